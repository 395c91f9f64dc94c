//! Policy: what a resource may do. Policies are put together by tightening only.

mod command_prefix;
mod path_rule;

pub use command_prefix::{CommandPrefix, InvalidCommandPrefix};
pub use path_rule::{InvalidPathRule, PathRule};

use std::collections::BTreeSet;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::limits::Limits;
use crate::network::NetworkMode;

/// When a person or the host's rules are asked before a resource is made. The order is the one of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalMode {
    /// Ask once where approval is needed, per kind, digest of what is to be done, scope and owner.
    #[default]
    Auto,
    /// Ask every time, also where approval is not needed otherwise.
    Always,
    /// Deny where approval is needed.
    Never,
}

/// A way to change stored things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WriteOperation {
    /// Make what is not there.
    Create,
    /// Change what is there.
    Update,
    /// Remove what is there.
    Delete,
}

/// What a resource may do. A field that is `None` says nothing: what it is about stays as the provider has it by default.
///
/// There is no field that approves anything: approving is the host's, see [`ManagerBuilder`](crate::ManagerBuilder).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Policy {
    /// When to ask.
    pub approval_mode: ApprovalMode,
    /// The most network that may be had.
    pub network: Option<NetworkMode>,
    /// The longest that one use of the resource may take.
    pub timeout: Option<Duration>,
    /// The most output of one use that is kept, in bytes.
    pub max_output_bytes: Option<u64>,
    /// The limits of one run.
    pub limits: Option<Limits>,
    /// The commands that may be run, by their first words. An empty set allows none.
    pub command_prefixes: Option<BTreeSet<CommandPrefix>>,
    /// The paths that may be used: these and what is below them. An empty set allows none.
    pub allowed_paths: Option<BTreeSet<PathRule>>,
    /// Paths that may not be used, nor what is below them, whatever is allowed.
    pub denied_paths: BTreeSet<PathRule>,
    /// The directories in which a task's workspace may lie. An empty set allows none.
    pub workspace_roots: Option<BTreeSet<PathRule>>,
    /// The ways in which stored things may be changed. An empty set means read-only.
    pub writes: Option<BTreeSet<WriteOperation>>,
}

impl Policy {
    /// A policy that says nothing.
    pub fn new() -> Self {
        Policy::default()
    }

    /// Sets when to ask.
    #[must_use]
    pub fn with_approval_mode(mut self, mode: ApprovalMode) -> Self {
        self.approval_mode = mode;
        self
    }

    /// Sets the most network that may be had.
    #[must_use]
    pub fn with_network(mut self, network: NetworkMode) -> Self {
        self.network = Some(network);
        self
    }

    /// Sets the longest that one use may take.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets the most output that is kept.
    #[must_use]
    pub fn with_max_output_bytes(mut self, bytes: u64) -> Self {
        self.max_output_bytes = Some(bytes);
        self
    }

    /// Sets the limits of one run.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = Some(limits);
        self
    }

    /// Sets the commands that may be run.
    #[must_use]
    pub fn with_command_prefixes(mut self, prefixes: impl IntoIterator<Item = CommandPrefix>) -> Self {
        self.command_prefixes = Some(prefixes.into_iter().collect());
        self
    }

    /// Sets the paths that may be used.
    #[must_use]
    pub fn with_allowed_paths(mut self, paths: impl IntoIterator<Item = PathRule>) -> Self {
        self.allowed_paths = Some(paths.into_iter().collect());
        self
    }

    /// Adds paths that may not be used.
    #[must_use]
    pub fn with_denied_paths(mut self, paths: impl IntoIterator<Item = PathRule>) -> Self {
        self.denied_paths.extend(paths);
        self
    }

    /// Sets the directories in which a task's workspace may lie.
    #[must_use]
    pub fn with_workspace_roots(mut self, roots: impl IntoIterator<Item = PathRule>) -> Self {
        self.workspace_roots = Some(roots.into_iter().collect());
        self
    }

    /// Sets the ways in which stored things may be changed.
    #[must_use]
    pub fn with_writes(mut self, writes: impl IntoIterator<Item = WriteOperation>) -> Self {
        self.writes = Some(writes.into_iter().collect());
        self
    }

    /// Allows no change of stored things.
    #[must_use]
    pub fn read_only(self) -> Self {
        self.with_writes([])
    }

    /// Whether every change of stored things is forbidden.
    pub fn is_read_only(&self) -> bool {
        self.writes.as_ref().is_some_and(BTreeSet::is_empty)
    }

    /// Both policies in force at once: what either forbids is forbidden.
    #[must_use]
    pub fn tightened_by(&self, other: &Policy) -> Policy {
        Policy {
            approval_mode: self.approval_mode.max(other.approval_mode),
            network: both(self.network, other.network, |one, two| one.min(two)),
            timeout: both(self.timeout, other.timeout, |one, two| one.min(two)),
            max_output_bytes: both(self.max_output_bytes, other.max_output_bytes, |one, two| one.min(two)),
            limits: both(self.limits.clone(), other.limits.clone(), smallest),
            command_prefixes: covered(&self.command_prefixes, &other.command_prefixes, CommandPrefix::covers),
            allowed_paths: covered(&self.allowed_paths, &other.allowed_paths, PathRule::covers),
            denied_paths: self.denied_paths.union(&other.denied_paths).cloned().collect(),
            workspace_roots: covered(&self.workspace_roots, &other.workspace_roots, PathRule::covers),
            writes: covered(&self.writes, &other.writes, WriteOperation::eq),
        }
    }

    /// Whether this policy allows nothing that `other` forbids.
    pub fn narrows(&self, other: &Policy) -> bool {
        self.tightened_by(other) == *self
    }
}

fn both<T>(one: Option<T>, two: Option<T>, choose: impl FnOnce(T, T) -> T) -> Option<T> {
    match (one, two) {
        (Some(one), Some(two)) => Some(choose(one, two)),
        (one, two) => one.or(two),
    }
}

/// The rules of either list that the other list covers too; where one covers another, the narrower of both stays.
fn covered<T: Ord + Clone>(
    one: &Option<BTreeSet<T>>,
    two: &Option<BTreeSet<T>>,
    covers: impl Fn(&T, &T) -> bool,
) -> Option<BTreeSet<T>> {
    let (Some(one), Some(two)) = (one, two) else { return one.clone().or_else(|| two.clone()) };
    let within = |rules: &BTreeSet<T>, others: &BTreeSet<T>| -> Vec<T> {
        rules.iter().filter(|rule| others.iter().any(|other| covers(other, rule))).cloned().collect()
    };
    Some(within(one, two).into_iter().chain(within(two, one)).collect())
}

fn smallest(one: Limits, two: Limits) -> Limits {
    Limits {
        memory: one.memory.min(two.memory),
        processes: one.processes.min(two.processes),
        cpu_time: one.cpu_time.min(two.cpu_time),
        wall_time: one.wall_time.min(two.wall_time),
        file_size: one.file_size.min(two.file_size),
        open_files: one.open_files.min(two.open_files),
        scratch: one.scratch.min(two.scratch),
        scratch_inodes: one.scratch_inodes.min(two.scratch_inodes),
        output_retained: one.output_retained.min(two.output_retained),
        output_hard: one.output_hard.min(two.output_hard),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(texts: &[&str]) -> Policy {
        Policy::new().with_command_prefixes(texts.iter().map(|text| text.parse().unwrap()))
    }

    fn paths(texts: &[&str]) -> Policy {
        Policy::new().with_allowed_paths(texts.iter().map(|text| text.parse().unwrap()))
    }

    #[test]
    fn tightening_keeps_the_narrower_of_both() {
        assert_eq!(commands(&["git", "ls"]).tightened_by(&commands(&["git status", "rm"])), commands(&["git status"]));
        assert_eq!(commands(&["rm"]).tightened_by(&commands(&["ls"])), commands(&[]), "nothing in common is nothing");
        assert_eq!(paths(&["/work"]).tightened_by(&paths(&["/work/a", "/etc"])), paths(&["/work/a"]));
        let limits = |memory, processes| Policy::new().with_limits(Limits { memory, processes, ..Limits::STANDARD });
        assert_eq!(limits(1, 20).tightened_by(&limits(10, 2)), limits(1, 2));
        let network = |mode| Policy::new().with_network(mode);
        assert_eq!(
            network(NetworkMode::Inherited).tightened_by(&network(NetworkMode::None)),
            network(NetworkMode::None)
        );
        let writes = |list: &[WriteOperation]| Policy::new().with_writes(list.iter().copied());
        assert!(
            writes(&[WriteOperation::Create]).tightened_by(&writes(&[WriteOperation::Delete])).is_read_only(),
            "no common operation leaves none"
        );
        let mode = |mode| Policy::new().with_approval_mode(mode);
        assert_eq!(mode(ApprovalMode::Always).tightened_by(&mode(ApprovalMode::Auto)), mode(ApprovalMode::Always));
    }

    #[test]
    fn what_says_nothing_changes_nothing() {
        let full = commands(&["ls"])
            .with_network(NetworkMode::Loopback)
            .with_timeout(Duration::from_secs(1))
            .with_max_output_bytes(1)
            .with_limits(Limits::STANDARD)
            .with_allowed_paths(["/a".parse().unwrap()])
            .with_denied_paths(["/a/b".parse().unwrap()])
            .with_workspace_roots(["/w".parse().unwrap()])
            .read_only();
        assert_eq!(full.tightened_by(&Policy::new()), full);
        assert_eq!(Policy::new().tightened_by(&full), full);
        assert!(full.narrows(&Policy::new()) && full.narrows(&full));
        assert!(!Policy::new().narrows(&full));
    }

    #[test]
    fn a_misspelt_field_is_an_error() {
        assert!(serde_json::from_str::<Policy>(r#"{"netwrok": "none"}"#).is_err());
        assert!(serde_json::from_str::<Policy>(r#"{"auto_allow": true}"#).is_err(), "a policy cannot approve");
        assert!(serde_json::from_str::<Policy>(r#"{"network": "none"}"#).is_ok());
    }
}
