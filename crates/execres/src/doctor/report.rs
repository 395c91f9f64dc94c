//! What the doctor says.

use std::borrow::Cow;
use std::fmt;

use execres_core::AxisSet;
use execres_isolation::host::HostFacts;
use serde::Serialize;

use super::best::BestProfile;

/// Everything that was found out.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of Execres that looked.
    pub version: &'static str,
    /// Whether programs run here with the axes that were required.
    pub verdict: Readiness,
    /// The axes that were required: all four, unless somebody said otherwise.
    pub required_axes: AxisSet,
    /// The best that runs can get here.
    pub best: BestProfile,
    /// Each thing that was looked at, in the order in which people read them.
    pub checks: Vec<Check>,
    /// What the checks of the kernel were made from.
    pub host: HostFacts,
}

/// Whether programs run on a host as well isolated as they have to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Readiness {
    /// They do.
    Ready,
    /// An axis that is required is not proven, or something is missing without which nothing runs.
    Blocked,
}

impl Readiness {
    pub(super) fn of(required: AxisSet, best: &BestProfile, checks: &[Check]) -> Self {
        let ready = required.is_subset_of(best.axes) && best.rung.is_some() && !checks.iter().any(Check::blocks);
        if ready { Readiness::Ready } else { Readiness::Blocked }
    }
}

impl Report {
    /// Whether programs can run here with all four axes proven.
    pub fn proves_all_axes(&self) -> bool {
        self.best.missing_axes.is_empty()
    }

    /// What keeps programs from running whichever axes are asked for.
    pub fn blockers(&self) -> impl Iterator<Item = &Check> {
        self.checks.iter().filter(|check| check.blocks())
    }

    /// The check with this id.
    pub fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Check {
    /// Stable, for example `kernel.user_namespaces`.
    pub id: Cow<'static, str>,
    /// What it belongs to.
    pub group: Group,
    /// How it is.
    pub status: Status,
    /// How much depends on it.
    pub importance: Importance,
    /// What was found, in one line.
    pub found: String,
    /// What it is good for.
    pub why: &'static str,
    /// What to do. Empty where everything is well or nothing helps.
    pub remedies: Vec<Remedy>,
}

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// As it should be.
    Ok,
    /// It works, and not as well as it could.
    Degraded,
    /// It is not there, or does not work.
    Missing,
    /// It could not be found out.
    Unknown,
}

/// How much depends on something.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Importance {
    /// Without it no program is isolated.
    Required,
    /// Without it runs are limited less well, or a built-in language is missing.
    Useful,
    /// Only some kinds of work need it.
    Optional,
}

/// What checks are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Group {
    /// The sandbox and what the kernel gives it.
    Isolation,
    /// What is around this process.
    Host,
    /// Languages that programs are written in.
    Languages,
    /// Other interpreters and compilers.
    Interpreters,
    /// Container engines.
    Engines,
    /// Browsers and what drives them.
    Browsers,
    /// What servers of tools are started with.
    Mcp,
}

impl Group {
    /// All groups, in the order in which people read them.
    pub const ALL: [Group; 7] = [
        Group::Isolation,
        Group::Host,
        Group::Languages,
        Group::Interpreters,
        Group::Engines,
        Group::Browsers,
        Group::Mcp,
    ];

    /// A heading.
    pub const fn title(self) -> &'static str {
        match self {
            Group::Isolation => "isolation",
            Group::Host => "this host",
            Group::Languages => "languages",
            Group::Interpreters => "other interpreters and compilers (optional)",
            Group::Engines => "container engines (optional)",
            Group::Browsers => "browsers (optional)",
            Group::Mcp => "runtimes of MCP servers (optional)",
        }
    }
}

impl Status {
    /// The stable name, as in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Degraded => "degraded",
            Status::Missing => "missing",
            Status::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// Something to do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Remedy {
    /// What it does, and what it costs.
    pub says: String,
    /// What to type into a shell, in this order. Empty where it is not done in a shell.
    pub commands: Vec<String>,
}

impl Remedy {
    /// Something that is typed.
    pub fn commands(says: impl Into<String>, commands: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Remedy { says: says.into(), commands: commands.into_iter().map(Into::into).collect() }
    }

    /// Something that is done elsewhere.
    pub fn advice(says: impl Into<String>) -> Self {
        Remedy { says: says.into(), commands: Vec::new() }
    }
}

impl Check {
    /// A check that is well.
    pub(super) fn ok(
        id: impl Into<Cow<'static, str>>,
        group: Group,
        why: &'static str,
        found: impl Into<String>,
    ) -> Self {
        let importance = match group {
            Group::Isolation => Importance::Required,
            Group::Host | Group::Languages => Importance::Useful,
            _ => Importance::Optional,
        };
        Check { id: id.into(), group, status: Status::Ok, importance, found: found.into(), why, remedies: Vec::new() }
    }

    pub(super) fn with_status(mut self, status: Status) -> Self {
        self.status = status;
        self
    }

    /// What the isolation lacks shows in the axes; the rest has to be there whichever axes are asked for.
    fn blocks(&self) -> bool {
        self.group != Group::Isolation && self.importance == Importance::Required && self.status == Status::Missing
    }

    pub(super) fn of_importance(mut self, importance: Importance) -> Self {
        self.importance = importance;
        self
    }

    pub(super) fn with_remedy(mut self, remedy: impl Into<Option<Remedy>>) -> Self {
        self.remedies.extend(remedy.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use execres_core::{Axis, Enforcement, LimitReport};
    use execres_isolation::host::{Hierarchy, LandlockState, MemoryControl, SeccompMode};

    use super::*;
    use crate::doctor::surroundings::tests::host;

    fn best(axes: AxisSet) -> BestProfile {
        BestProfile {
            rung: Some(execres_isolation::Rung::Full),
            degraded: None,
            axes,
            missing_axes: AxisSet::ALL.missing_from(axes),
            limits: vec![LimitReport {
                limit: "memory".into(),
                enforcement: Enforcement::Polled,
                mechanism: "init, every 20 ms".into(),
            }],
            sentence: "Programs get the full sandbox.".into(),
            error_code: None,
        }
    }

    #[test]
    fn the_json_is_stable() {
        let mut host = host();
        host.kernel.machine = "x86_64".into();
        host.landlock = LandlockState::Available { abi: 7 };
        host.seccomp.actions = vec!["errno".into(), "allow".into()];
        host.seccomp.mode = Some(SeccompMode::Off);
        host.seccomp.filters = Some(0);
        host.memory.hierarchy = Hierarchy::V2;
        host.memory.parent = Some("/sys/fs/cgroup/user.slice".into());
        host.memory.control = MemoryControl::NoMove { why: "Permission denied (os error 13)".into() };
        host.identity.gid = 1000;
        host.identity.groups = 0;
        let best = best(AxisSet::ALL);
        let checks = vec![
            Check::ok("kernel.landlock", Group::Isolation, "a second wall", "ABI 7"),
            Check::ok("mcp.uvx", Group::Mcp, "servers start with it", "uvx is not on the search path")
                .with_status(Status::Missing)
                .with_remedy(Remedy::commands("Install it:", ["sudo dnf install uv"])),
        ];
        let required_axes = AxisSet::ALL;
        let verdict = Readiness::of(required_axes, &best, &checks);
        let report = Report { version: "0.0.0", verdict, required_axes, best, checks, host };
        insta::assert_snapshot!(serde_json::to_string_pretty(&report).unwrap());
    }

    #[test]
    fn what_is_optional_never_blocks_and_what_is_required_does() {
        let of = |required, best: &BestProfile, checks: &[Check]| Readiness::of(required, best, checks);
        let missing = |group| Check::ok("x.y", group, "why", "gone").with_status(Status::Missing);
        let all = best(AxisSet::ALL);
        for group in [Group::Engines, Group::Browsers, Group::Mcp, Group::Interpreters, Group::Languages, Group::Host] {
            assert_eq!(of(AxisSet::ALL, &all, &[missing(group)]), Readiness::Ready, "{group:?}");
        }
        let required = || missing(Group::Host).of_importance(Importance::Required);
        assert_eq!(of(AxisSet::ALL, &all, &[required()]), Readiness::Blocked);
        assert_eq!(of(AxisSet::ALL, &all, &[required().with_status(Status::Degraded)]), Readiness::Ready);

        let calls = AxisSet::EMPTY.with(Axis::SyscallsRestricted);
        assert_eq!(of(AxisSet::ALL, &best(calls), &[]), Readiness::Blocked);
        assert_eq!(of(calls, &best(calls), &[]), Readiness::Ready);
        let none = BestProfile { rung: None, ..best(AxisSet::EMPTY) };
        assert_eq!(
            of(AxisSet::EMPTY, &none, &[]),
            Readiness::Blocked,
            "no sandbox is no isolation, whatever is required"
        );
    }

    #[tokio::test]
    async fn ids_are_unique_and_whatever_is_not_well_says_what_to_do() {
        let state = tempfile::tempdir().unwrap();
        let report = crate::doctor::Doctor::new().state_dir(state.path().join("state")).examine().await;
        let ids: BTreeSet<_> = report.checks.iter().map(|check| &check.id).collect();
        assert_eq!(ids.len(), report.checks.len(), "{ids:?}");
        for check in &report.checks {
            let well = check.status == Status::Ok;
            assert!(well || check.status == Status::Unknown || !check.remedies.is_empty(), "{check:?}");
            assert!(!well || check.remedies.is_empty(), "{check:?}");
            assert!(!check.found.contains('\n') && !check.why.is_empty(), "{check:?}");
        }
    }
}
