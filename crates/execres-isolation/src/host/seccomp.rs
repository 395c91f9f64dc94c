//! System-call filters: whether the kernel has them, and whether this process is under one.

use serde::Serialize;

use super::setting;

/// Seccomp as this process finds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct SeccompFacts {
    /// What a filter can do with a call, as the kernel lists it; empty where the kernel has no filters.
    pub actions: Vec<String>,
    /// What this process is under itself.
    pub mode: Option<SeccompMode>,
    /// How many filters this process is under, where the kernel tells (5.9).
    pub filters: Option<u32>,
}

/// What a process is under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeccompMode {
    /// Nothing.
    Off,
    /// Only reading, writing and ending.
    Strict,
    /// A filter, as in most containers.
    Filter,
}

impl SeccompFacts {
    pub(super) fn of_this_process() -> Self {
        let actions = setting::read("/proc/sys/kernel/seccomp/actions_avail").unwrap_or_default();
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        SeccompFacts::parse(&actions, &status)
    }

    fn parse(actions: &str, status: &str) -> Self {
        let number = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)?.trim().parse::<u32>().ok());
        let mode = number("Seccomp:").and_then(|mode| match mode {
            0 => Some(SeccompMode::Off),
            1 => Some(SeccompMode::Strict),
            2 => Some(SeccompMode::Filter),
            _ => None,
        });
        let actions = actions.split_ascii_whitespace().map(str::to_owned).collect();
        SeccompFacts { actions, mode, filters: number("Seccomp_filters:") }
    }

    /// Whether a filter can refuse calls here.
    pub fn has_filters(&self) -> bool {
        // A kernel of which nothing can be read still says whether this process has a mode at all.
        self.actions.iter().any(|action| action == "errno") || (self.actions.is_empty() && self.mode.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_container_s_own_filter_is_seen() {
        let facts = SeccompFacts::parse(
            "kill_process kill_thread trap errno user_notif trace log allow",
            "NoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n",
        );
        assert!(facts.has_filters());
        assert_eq!((facts.mode, facts.filters), (Some(SeccompMode::Filter), Some(1)));
        assert_eq!(SeccompFacts::parse("", "Seccomp:\t0\n").mode, Some(SeccompMode::Off));
        assert!(!SeccompFacts::parse("", "Name:\tx\n").has_filters());
    }
}
