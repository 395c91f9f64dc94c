//! Capabilities: what a provider offers, what a requirement asks for, and whether the one satisfies the other.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::axis::AxisSet;
use crate::network::NetworkMode;
use crate::version::Version;

/// How a resource may use the task's workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum WorkspaceAccess {
    /// A copy of the named inputs; the workspace itself is out of reach.
    Snapshot,
    /// The workspace, for reading.
    ReadOnly,
    /// The workspace, for reading and writing.
    ReadWrite,
}

impl WorkspaceAccess {
    /// The stable name, as in JSON and in requirements.
    pub const fn name(self) -> &'static str {
        match self {
            WorkspaceAccess::Snapshot => "snapshot",
            WorkspaceAccess::ReadOnly => "read_only",
            WorkspaceAccess::ReadWrite => "read_write",
        }
    }
}

/// What a provider offers now, as its probe found it.
///
/// Isolation is not among these: axes are never claimed, they follow from the evidence of [`Probe::isolation`](crate::Probe::isolation).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Capabilities {
    /// Languages whose programs can be run, by id.
    pub languages: BTreeSet<String>,
    /// Tools that are there, each with its version. A tool whose version is unknown satisfies no version rule.
    pub toolchains: BTreeMap<String, Option<Version>>,
    /// How the workspace can be used.
    pub workspace_access: BTreeSet<WorkspaceAccess>,
    /// The networks that can be had.
    pub networks: BTreeSet<NetworkMode>,
    /// Further features, by name; a provider documents its own.
    pub features: BTreeSet<String>,
}

impl Capabilities {
    /// Nothing at all.
    pub fn new() -> Self {
        Capabilities::default()
    }

    /// Adds a language.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.languages.insert(language.into());
        self
    }

    /// Adds a tool with its version, where that is known.
    #[must_use]
    pub fn with_toolchain(mut self, tool: impl Into<String>, version: Option<Version>) -> Self {
        self.toolchains.insert(tool.into(), version);
        self
    }

    /// Adds a way to use the workspace.
    #[must_use]
    pub fn with_workspace_access(mut self, access: WorkspaceAccess) -> Self {
        self.workspace_access.insert(access);
        self
    }

    /// Adds a network that can be had.
    #[must_use]
    pub fn with_network(mut self, network: NetworkMode) -> Self {
        self.networks.insert(network);
        self
    }

    /// Adds a feature.
    #[must_use]
    pub fn with_feature(mut self, feature: impl Into<String>) -> Self {
        self.features.insert(feature.into());
        self
    }
}

/// Which versions of a tool will do. In JSON `{"minimum_version": "3.10"}`, `{"exact_version": "3.12.1"}` or `{}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "VersionRuleText", into = "VersionRuleText")]
pub enum VersionRule {
    /// Any, also an unknown one.
    Any,
    /// This one or a later one.
    AtLeast(Version),
    /// This one; missing components are 0.
    Exactly(Version),
}

impl VersionRule {
    fn accepts(&self, version: Option<&Version>) -> bool {
        match (self, version) {
            (VersionRule::Any, _) => true,
            (VersionRule::AtLeast(least), Some(version)) => version >= least,
            (VersionRule::Exactly(exact), Some(version)) => version == exact,
            (_, None) => false,
        }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct VersionRuleText {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minimum_version: Option<Version>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    exact_version: Option<Version>,
}

impl TryFrom<VersionRuleText> for VersionRule {
    type Error = &'static str;

    fn try_from(text: VersionRuleText) -> Result<Self, Self::Error> {
        match (text.minimum_version, text.exact_version) {
            (None, None) => Ok(VersionRule::Any),
            (Some(least), None) => Ok(VersionRule::AtLeast(least)),
            (None, Some(exact)) => Ok(VersionRule::Exactly(exact)),
            (Some(_), Some(_)) => Err("write minimum_version or exact_version, not both"),
        }
    }
}

impl From<VersionRule> for VersionRuleText {
    fn from(rule: VersionRule) -> Self {
        match rule {
            VersionRule::Any => VersionRuleText { minimum_version: None, exact_version: None },
            VersionRule::AtLeast(least) => VersionRuleText { minimum_version: Some(least), exact_version: None },
            VersionRule::Exactly(exact) => VersionRuleText { minimum_version: None, exact_version: Some(exact) },
        }
    }
}

/// What a requirement asks of a provider. Everything that is named has to be there; a key that is not known is an error.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct CapabilityRequirements {
    /// Axes that have to hold, as a list of names; a label such as `"required"` is an error.
    pub isolation: AxisSet,
    /// Languages that have to be offered.
    pub languages: BTreeSet<String>,
    /// Tools that have to be there, each with the versions that will do.
    pub toolchains: BTreeMap<String, VersionRule>,
    /// Ways in which the workspace has to be usable.
    pub workspace_access: BTreeSet<WorkspaceAccess>,
    /// Networks that have to be on offer.
    pub networks: BTreeSet<NetworkMode>,
    /// Features that have to be there.
    pub features: BTreeSet<String>,
}

impl CapabilityRequirements {
    /// Asks for nothing.
    pub fn new() -> Self {
        CapabilityRequirements::default()
    }

    /// Asks for axes.
    #[must_use]
    pub fn with_isolation(mut self, axes: AxisSet) -> Self {
        self.isolation = axes;
        self
    }

    /// Asks for a language.
    #[must_use]
    pub fn with_language(mut self, language: impl Into<String>) -> Self {
        self.languages.insert(language.into());
        self
    }

    /// Asks for a tool.
    #[must_use]
    pub fn with_toolchain(mut self, tool: impl Into<String>, versions: VersionRule) -> Self {
        self.toolchains.insert(tool.into(), versions);
        self
    }

    /// Asks for a way to use the workspace.
    #[must_use]
    pub fn with_workspace_access(mut self, access: WorkspaceAccess) -> Self {
        self.workspace_access.insert(access);
        self
    }

    /// Asks for a network.
    #[must_use]
    pub fn with_network(mut self, network: NetworkMode) -> Self {
        self.networks.insert(network);
        self
    }

    /// Asks for a feature.
    #[must_use]
    pub fn with_feature(mut self, feature: impl Into<String>) -> Self {
        self.features.insert(feature.into());
        self
    }

    /// Whether nothing is asked for.
    pub fn is_empty(&self) -> bool {
        *self == CapabilityRequirements::default()
    }

    /// Everything that is asked for and not there. Empty means satisfied.
    ///
    /// `axes` are those that the evidence proves; see [`Probe::axes`](crate::Probe::axes).
    pub fn unmet_by(&self, offered: &Capabilities, axes: AxisSet) -> Vec<Unmet> {
        let mut unmet: Vec<Unmet> =
            self.isolation.missing_from(axes).iter().map(|axis| Unmet::Isolation { axis: axis.name() }).collect();
        unmet.extend(
            self.languages
                .difference(&offered.languages)
                .map(|language| Unmet::Language { language: language.clone() }),
        );
        for (tool, rule) in &self.toolchains {
            let found = offered.toolchains.get(tool);
            if !found.is_some_and(|version| rule.accepts(version.as_ref())) {
                unmet.push(Unmet::Toolchain {
                    tool: tool.clone(),
                    rule: rule.clone(),
                    found: found.cloned().flatten(),
                });
            }
        }
        unmet.extend(
            self.workspace_access
                .difference(&offered.workspace_access)
                .map(|access| Unmet::WorkspaceAccess { access: *access }),
        );
        unmet.extend(self.networks.difference(&offered.networks).map(|network| Unmet::Network { network: *network }));
        unmet.extend(
            self.features.difference(&offered.features).map(|feature| Unmet::Feature { feature: feature.clone() }),
        );
        unmet
    }
}

/// One thing that was asked for and is not there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "unmet")]
#[non_exhaustive]
pub enum Unmet {
    /// No evidence proves the axis.
    Isolation {
        /// The axis.
        axis: &'static str,
    },
    /// The language is not offered.
    Language {
        /// The language.
        language: String,
    },
    /// The tool is missing, or no version of it will do.
    Toolchain {
        /// The tool.
        tool: String,
        /// The versions that would do.
        rule: VersionRule,
        /// The version that is there, if any.
        found: Option<Version>,
    },
    /// The workspace cannot be used in this way.
    WorkspaceAccess {
        /// The way.
        access: WorkspaceAccess,
    },
    /// The network is not on offer.
    Network {
        /// The network.
        network: NetworkMode,
    },
    /// The feature is not there.
    Feature {
        /// The feature.
        feature: String,
    },
}

impl fmt::Display for Unmet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unmet::Isolation { axis } => write!(f, "isolation axis {axis} is not proven"),
            Unmet::Language { language } => write!(f, "language {language} is not offered"),
            Unmet::Toolchain { tool, rule, found } => {
                match rule {
                    VersionRule::Any => write!(f, "tool {tool} is needed")?,
                    VersionRule::AtLeast(least) => write!(f, "tool {tool} {least} or later is needed")?,
                    VersionRule::Exactly(exact) => write!(f, "tool {tool} {exact} exactly is needed")?,
                }
                match found {
                    Some(version) => write!(f, ", {version} is there"),
                    None => f.write_str(", no known version is there"),
                }
            }
            Unmet::WorkspaceAccess { access } => write!(f, "workspace access {} is not offered", access.name()),
            Unmet::Network { network } => write!(f, "network {network} is not offered"),
            Unmet::Feature { feature } => write!(f, "feature {feature} is not there"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::axis::Axis;

    fn asks(text: &str) -> CapabilityRequirements {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn everything_that_is_asked_for_has_to_be_there() {
        let offered = Capabilities::new()
            .with_language("python")
            .with_toolchain("python", Some("3.12.4".parse().unwrap()))
            .with_workspace_access(WorkspaceAccess::Snapshot)
            .with_network(NetworkMode::None);
        let axes = AxisSet::EMPTY.with(Axis::ProcessContained);
        let met = asks(
            r#"{"isolation": ["process_contained"], "languages": ["python"], "workspace_access": ["snapshot"],
                "networks": ["none"], "toolchains": {"python": {"minimum_version": "3.10"}}}"#,
        );
        assert_eq!(met.unmet_by(&offered, axes), []);
        let unmet = asks(
            r#"{"isolation": ["process_contained", "syscalls_restricted"], "languages": ["go"],
                "workspace_access": ["read_write"], "networks": ["inherited"], "features": ["gpu"],
                "toolchains": {"python": {"exact_version": "3.12"}, "go": {}}}"#,
        );
        let text: Vec<String> = unmet.unmet_by(&offered, axes).iter().map(ToString::to_string).collect();
        assert_eq!(
            text,
            [
                "isolation axis syscalls_restricted is not proven",
                "language go is not offered",
                "tool go is needed, no known version is there",
                "tool python 3.12 exactly is needed, 3.12.4 is there",
                "workspace access read_write is not offered",
                "network inherited is not offered",
                "feature gpu is not there",
            ]
        );
    }

    #[test]
    fn versions_compare_by_number_and_an_unknown_version_meets_no_rule() {
        let rule = |text: &str| serde_json::from_str::<VersionRule>(text).unwrap();
        let at = |text: &str| Some(text.parse::<Version>().unwrap());
        assert!(rule(r#"{"minimum_version": "3.9"}"#).accepts(at("3.10").as_ref()));
        assert!(!rule(r#"{"minimum_version": "3.10"}"#).accepts(at("3.9").as_ref()));
        assert!(rule(r#"{"exact_version": "3.12"}"#).accepts(at("3.12.0").as_ref()));
        assert!(!rule(r#"{"exact_version": "3.12"}"#).accepts(None));
        assert!(rule("{}").accepts(None));
    }

    #[test]
    fn what_is_not_understood_is_an_error_and_never_a_match() {
        for bad in [
            r#"{"toolchains": {"go": {"maximum_version": "1.25"}}}"#,
            r#"{"toolchains": {"go": {"minimum_version": "1", "exact_version": "1"}}}"#,
            r#"{"toolchains": {"go": {"minimum_version": "latest"}}}"#,
            r#"{"isolation": "required"}"#,
            r#"{"isolation": {"process_contained": true}}"#,
            r#"{"isolation": ["required"]}"#,
            r#"{"language": "python"}"#,
        ] {
            assert!(serde_json::from_str::<CapabilityRequirements>(bad).is_err(), "{bad}");
        }
    }
}
