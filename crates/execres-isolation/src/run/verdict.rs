//! From what init reported and what the controllers counted to how a step ended. The only place where that is decided.

use std::time::Duration;

use execres_core::{Clock, LimitKind, Limits, Outcome, Peak, Usage, UsageSource};

use super::EndedBy;
use crate::cgroup::Counters;
use crate::sys::protocol::*;

/// What was seen of one step.
#[derive(Debug, Default)]
pub(super) struct StepRecord {
    /// Where and why the program did not start.
    pub(super) exec_failed: Option<(u32, i32)>,
    /// `si_code` and `si_status` of the leader.
    pub(super) leader: Option<(i32, i32)>,
    /// Why init ended the step. Absent when init never said that the tree is dead.
    pub(super) cause: Option<u32>,
    /// Whether init saw that nothing of the step is left.
    pub(super) swept_clean: bool,
    pub(super) usage: Raw,
}

/// Usage as init counts it.
#[derive(Debug, Default)]
pub(super) struct Raw {
    pub(super) wall: Duration,
    pub(super) user: Duration,
    pub(super) system: Duration,
    pub(super) max_rss: u64,
    pub(super) peak_processes: u32,
    pub(super) peak_bytes: u64,
}

const CLD_EXITED: i32 = 1;
const CLD_KILLED: i32 = 2;
const CLD_DUMPED: i32 = 3;

impl StepRecord {
    /// How the step ended. Each outcome has its proof; without one the answer is [`Outcome::Lost`].
    pub(super) fn outcome(
        &self,
        limits: &Limits,
        ended_by: Option<EndedBy>,
        counters: Option<(Counters, Counters)>,
    ) -> Outcome {
        if let Some((stage, errno)) = self.exec_failed {
            return Outcome::FailedToStart { reason: why_not_started(stage, errno) };
        }
        let out_of_memory = counters.is_some_and(|(before, now)| now.oom_kills > before.oom_kills);
        match (self.leader, self.cause) {
            // A program that did what it should is a success, whatever became of a helper of it.
            (Some((CLD_EXITED, 0)), _) => Outcome::Exited { code: 0 },
            (Some(_), _) if out_of_memory => Outcome::OutOfMemory,
            (Some((CLD_EXITED, code)), _) => Outcome::Exited { code },
            (Some((CLD_KILLED | CLD_DUMPED, signal)), _) => self.signalled(signal, limits),
            (_, Some(CAUSE_WALL)) => Outcome::TimedOut { clock: Clock::Wall },
            (_, Some(CAUSE_MEMORY)) => Outcome::OutOfMemory,
            (_, _) if out_of_memory => Outcome::OutOfMemory,
            (_, _) => match ended_by {
                Some(ended_by) => ended_by.outcome(),
                None => Outcome::Lost { reason: "the run's init ended without saying how the program ended".into() },
            },
        }
    }

    fn signalled(&self, signal: i32, limits: &Limits) -> Outcome {
        // The kernel counts ticks for the limit and exact time for the usage. On a busy virtual machine the two have been seen
        // to differ by an eighth.
        let used_up = self.usage.user + self.usage.system >= limits.cpu_time.mul_f64(0.75);
        match signal {
            // The kernel sends the first at the soft limit and the second at the hard one; a program can also send them to
            // itself, so the time that was used has to agree.
            libc::SIGXCPU | libc::SIGKILL if used_up => Outcome::TimedOut { clock: Clock::Cpu },
            libc::SIGXFSZ => Outcome::LimitExceeded { limit: LimitKind::FileSize },
            _ => Outcome::Signaled { signal },
        }
    }

    pub(super) fn usage(&self, counters: Option<(Counters, Counters)>) -> Usage {
        let raw = &self.usage;
        let mut usage = Usage::default();
        usage.wall = raw.wall;
        usage.cpu_user = raw.user;
        usage.cpu_system = raw.system;
        let peak = |value: u64, source: UsageSource| (value > 0).then_some(Peak { value, source });
        usage.peak_memory = counters
            .and_then(|(_, now)| peak(now.peak?, UsageSource::Controller))
            .or_else(|| peak(raw.peak_bytes, UsageSource::Polled).filter(|polled| polled.value > raw.max_rss))
            .or_else(|| peak(raw.max_rss, UsageSource::LargestProcess));
        usage.peak_processes = peak(raw.peak_processes.into(), UsageSource::Polled);
        usage
    }
}

fn why_not_started(stage: u32, errno: i32) -> String {
    let error = std::io::Error::from_raw_os_error(errno);
    match stage {
        TARGET_EXEC if errno == libc::ENOENT => {
            "the program is not there in the sandbox: grant its directory, or install it below /usr".into()
        }
        TARGET_EXEC if errno == libc::EACCES => {
            "the program cannot be executed in the sandbox: it is not executable, or its directory is not granted"
                .into()
        }
        TARGET_EXEC => format!("the program cannot be executed: {error}"),
        TARGET_CWD => format!("the working directory cannot be entered: {error}"),
        TARGET_STDIO => format!("the standard streams cannot be set up: {error}"),
        TARGET_RLIMIT => format!("a resource limit cannot be set: {error}"),
        TARGET_PRIORITY => format!("an ordinary priority cannot be taken: {error}"),
        TARGET_NO_NEW_PRIVS => format!("no_new_privs cannot be set: {error}"),
        TARGET_CAPABILITIES => format!("capabilities cannot be dropped: {error}"),
        TARGET_LANDLOCK => format!("the Landlock domain cannot be entered: {error}"),
        TARGET_SECCOMP => format!("the system-call filter cannot be installed: {error}"),
        _ => format!("the program cannot be forked: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(leader: Option<(i32, i32)>, cause: Option<u32>) -> StepRecord {
        StepRecord { leader, cause, ..StepRecord::default() }
    }

    fn decide(record: &StepRecord, ended_by: Option<EndedBy>, oom_kills: u64) -> Outcome {
        let counters = (Counters::default(), Counters { oom_kills, peak: None });
        record.outcome(&Limits::STANDARD, ended_by, Some(counters))
    }

    #[test]
    fn no_report_is_lost_and_never_success() {
        assert!(matches!(decide(&record(None, None), None, 0), Outcome::Lost { .. }));
        assert!(matches!(decide(&record(None, Some(CAUSE_LEADER)), None, 0), Outcome::Lost { .. }));
    }

    #[test]
    fn a_kill_is_out_of_memory_only_when_the_controller_says_so() {
        let killed = record(Some((CLD_KILLED, libc::SIGKILL)), Some(CAUSE_LEADER));
        assert_eq!(decide(&killed, None, 0), Outcome::Signaled { signal: libc::SIGKILL });
        assert_eq!(decide(&killed, None, 1), Outcome::OutOfMemory);
    }

    #[test]
    fn a_signal_of_the_program_s_own_making_is_no_time_limit() {
        let mut raised = record(Some((CLD_KILLED, libc::SIGXCPU)), Some(CAUSE_LEADER));
        assert_eq!(decide(&raised, None, 0), Outcome::Signaled { signal: libc::SIGXCPU });
        raised.usage.user = Limits::STANDARD.cpu_time;
        assert_eq!(decide(&raised, None, 0), Outcome::TimedOut { clock: Clock::Cpu });
    }

    #[test]
    fn what_ended_the_run_is_named_when_the_leader_did_not_end_by_itself() {
        let ended = record(None, Some(CAUSE_KILL));
        assert_eq!(decide(&ended, Some(EndedBy::Cancel), 0), Outcome::Cancelled);
        assert_eq!(decide(&ended, Some(EndedBy::Output), 0), Outcome::LimitExceeded { limit: LimitKind::Output });
        let late = record(None, Some(CAUSE_WALL));
        assert_eq!(decide(&late, None, 0), Outcome::TimedOut { clock: Clock::Wall });
        // A leader that was faster than the cancel ended by itself.
        let done = record(Some((CLD_EXITED, 3)), Some(CAUSE_LEADER));
        assert_eq!(decide(&done, Some(EndedBy::Cancel), 0), Outcome::Exited { code: 3 });
    }
}
