//! The ladder: how much of the isolation a host allows at all.

use std::fmt;

use execres_core::IsolationReport;

/// The name under which a report says it.
pub(crate) const MECHANISM: &str = "rung";

/// One rung of the ladder, the best first. A run stands on the rung that its profile names and on no other: what a host does
/// not allow is an error, never a weaker run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rung {
    /// Every layer.
    Full,
    /// Every layer, but `/proc` of the guest is empty: the host refuses a private one, as containers do that mask parts of
    /// theirs. Programs that look at `/proc/self` do without.
    EmptyProc,
    /// No namespaces, for hosts without user namespaces: an identity of its own where the host can give one, Landlock, and a
    /// stricter filter. A guest sees the host's paths, and only what is granted can be opened. `process_contained` never holds:
    /// without a PID namespace nothing ends a process that has become somebody else's, and processes of the host can be seen.
    NoNamespaces,
}

impl Rung {
    /// From the best down.
    pub const ALL: [Rung; 3] = [Rung::Full, Rung::EmptyProc, Rung::NoNamespaces];

    /// The rung that a report is about; `None` where nothing of this library was tried.
    pub fn of(report: &IsolationReport) -> Option<Self> {
        let named = report.mechanisms.iter().find(|mechanism| mechanism.name == MECHANISM)?;
        Self::ALL.into_iter().find(|rung| rung.as_str() == named.state)
    }

    /// What it is called in reports.
    pub const fn as_str(self) -> &'static str {
        match self {
            Rung::Full => "full",
            Rung::EmptyProc => "empty_proc",
            Rung::NoNamespaces => "no_namespaces",
        }
    }

    /// What programs have to do without, in words; `None` on the best rung.
    pub const fn degraded(self) -> Option<&'static str> {
        match self {
            Rung::Full => None,
            Rung::EmptyProc => Some(
                "`/proc` is empty: `/dev/stdin`, `/dev/fd` and process substitution do not work, nor do the JVM and what \
                 else looks at `/proc/self`",
            ),
            Rung::NoNamespaces => Some(
                "there are no namespaces: paths are the host's, `/proc`, `/dev/shm` and sockets are closed, modes and owners \
                 of files cannot be changed, so nothing is compiled and run, and what a program writes goes to disk",
            ),
        }
    }
}

impl fmt::Display for Rung {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
