//! How a run ended: one table for every provider, layer, event, exit code and page of the docs.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which clock a run overran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Clock {
    /// Elapsed time, by a monotonic clock.
    Wall,
    /// Processor time of the run.
    Cpu,
}

/// Which hard limit ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum LimitKind {
    /// Processes and threads.
    Processes,
    /// Scratch disk: bytes or inodes.
    Disk,
    /// The size of one file.
    FileSize,
    /// The hard cap on output. (The retention cap only drops the middle and counts.)
    Output,
}

/// How a run ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "outcome")]
#[non_exhaustive]
pub enum Outcome {
    /// The program ended by itself with this exit code.
    Exited {
        /// 0 to 255.
        code: i32,
    },
    /// A signal ended the program.
    Signaled {
        /// The signal's number on this system.
        signal: i32,
    },
    /// A time limit ended the run.
    TimedOut {
        /// Which clock.
        clock: Clock,
    },
    /// The memory limit ended the run; proven from the controller's events, never guessed from an exit code.
    OutOfMemory,
    /// Another hard limit ended the run.
    LimitExceeded {
        /// Which limit.
        limit: LimitKind,
    },
    /// The caller cancelled the run.
    Cancelled,
    /// Policy or approval kept the run from starting.
    Blocked {
        /// What refused, and what to do.
        reason: String,
    },
    /// We cannot know how the run ended. Never turned into success.
    Lost {
        /// What is known.
        reason: String,
    },
    /// The program never started.
    FailedToStart {
        /// What failed, and what to do.
        reason: String,
    },
}

impl Outcome {
    /// Whether the program ended by itself with exit code 0.
    pub const fn is_success(&self) -> bool {
        matches!(self, Outcome::Exited { code: 0 })
    }

    /// The stable name, as in JSON, events and docs.
    pub const fn name(&self) -> &'static str {
        match self {
            Outcome::Exited { .. } => "exited",
            Outcome::Signaled { .. } => "signaled",
            Outcome::TimedOut { .. } => "timed_out",
            Outcome::OutOfMemory => "out_of_memory",
            Outcome::LimitExceeded { .. } => "limit_exceeded",
            Outcome::Cancelled => "cancelled",
            Outcome::Blocked { .. } => "blocked",
            Outcome::Lost { .. } => "lost",
            Outcome::FailedToStart { .. } => "failed_to_start",
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Exited { code } => write!(f, "exited with code {code}"),
            Outcome::Signaled { signal } => match signal_name(*signal) {
                Some(name) => write!(f, "ended by signal {signal} ({name})"),
                None => write!(f, "ended by signal {signal}"),
            },
            Outcome::TimedOut { clock: Clock::Wall } => f.write_str("ran out of its wall time"),
            Outcome::TimedOut { clock: Clock::Cpu } => f.write_str("ran out of its processor time"),
            Outcome::OutOfMemory => f.write_str("ran out of its memory"),
            Outcome::LimitExceeded { limit } => f.write_str(match limit {
                LimitKind::Processes => "exceeded its limit of processes",
                LimitKind::Disk => "exceeded its limit of scratch disk",
                LimitKind::FileSize => "exceeded its limit of file size",
                LimitKind::Output => "exceeded its hard limit of output",
            }),
            Outcome::Cancelled => f.write_str("was cancelled"),
            Outcome::Blocked { reason } => write!(f, "was blocked: {reason}"),
            Outcome::Lost { reason } => write!(f, "was lost: {reason}"),
            Outcome::FailedToStart { reason } => write!(f, "failed to start: {reason}"),
        }
    }
}

/// Signals that have the same number on every Linux that we run on, and that end programs.
fn signal_name(signal: i32) -> Option<&'static str> {
    Some(match signal {
        1 => "SIGHUP",
        2 => "SIGINT",
        3 => "SIGQUIT",
        4 => "SIGILL",
        5 => "SIGTRAP",
        6 => "SIGABRT",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        13 => "SIGPIPE",
        14 => "SIGALRM",
        15 => "SIGTERM",
        24 => "SIGXCPU",
        25 => "SIGXFSZ",
        31 => "SIGSYS",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_named_where_it_has_a_name() {
        assert_eq!(Outcome::Signaled { signal: 11 }.to_string(), "ended by signal 11 (SIGSEGV)");
        assert_eq!(Outcome::Signaled { signal: 40 }.to_string(), "ended by signal 40");
    }
}
