//! What a bundle needs of a tool.

use std::fmt;

use execres_core::Version;
use serde::Serialize;

use super::id::ToolId;

/// Which versions do.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum VersionNeed {
    /// Any.
    Any,
    /// This one or a later one.
    AtLeast(Version),
    /// This one only.
    Exactly(Version),
}

/// A tool that a bundle needs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[non_exhaustive]
pub struct ToolchainRequirement {
    /// The tool.
    pub tool: ToolId,
    /// Which versions of it do.
    pub version: VersionNeed,
}

impl ToolchainRequirement {
    /// A need for a tool.
    pub const fn new(tool: ToolId, version: VersionNeed) -> Self {
        ToolchainRequirement { tool, version }
    }

    /// Whether a tool of this version does.
    pub fn is_met_by(&self, found: &Version) -> bool {
        match &self.version {
            VersionNeed::Any => true,
            VersionNeed::AtLeast(least) => found >= least,
            VersionNeed::Exactly(exact) => found == exact,
        }
    }
}

impl fmt::Display for ToolchainRequirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            VersionNeed::Any => write!(f, "{}", self.tool),
            VersionNeed::AtLeast(least) => write!(f, "{} {least} or later", self.tool),
            VersionNeed::Exactly(exact) => write!(f, "{} {exact} exactly", self.tool),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needs_are_met_by_version() {
        let need = |version| ToolchainRequirement::new(ToolId::PYTHON, version);
        let met = |version, found: &str| need(version).is_met_by(&found.parse().unwrap());
        let at = || Version::of([3, 10]);
        assert!(met(VersionNeed::Any, "1"));
        assert!(met(VersionNeed::AtLeast(at()), "3.10.0") && met(VersionNeed::AtLeast(at()), "3.12"));
        assert!(!met(VersionNeed::AtLeast(at()), "3.9.18"));
        assert!(met(VersionNeed::Exactly(at()), "3.10.0") && !met(VersionNeed::Exactly(at()), "3.10.1"));
        assert_eq!(need(VersionNeed::AtLeast(at())).to_string(), "python 3.10 or later");
    }
}
