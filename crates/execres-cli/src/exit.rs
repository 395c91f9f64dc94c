//! Exit codes. The table is in `docs/cli.md`.

use std::process::ExitCode;

use execres::core::Outcome;

/// The program succeeded and the run did not: a declared output is missing, was refused or could not be written.
pub(crate) const OUTPUTS: u8 = 120;
/// Nothing ran: policy, missing isolation, or nobody who can run it.
pub(crate) const BLOCKED: u8 = 121;
/// The program could not be started.
pub(crate) const NOT_STARTED: u8 = 122;
/// We do not know how it ended, or something of ours failed.
pub(crate) const INTERNAL: u8 = 123;
/// Out of wall or processor time, as `timeout` has it.
pub(crate) const TIMED_OUT: u8 = 124;
/// Out of memory, or another hard limit.
pub(crate) const LIMIT: u8 = 125;
/// The command line names something that does not exist or makes no sense.
pub(crate) const USAGE: u8 = 2;
/// Interrupted, as shells have it.
pub(crate) const CANCELLED: u8 = 130;

/// The exit code of a run.
pub(crate) fn of(outcome: &Outcome, is_success: bool) -> u8 {
    match outcome {
        Outcome::Exited { code: 0 } if !is_success => OUTPUTS,
        Outcome::Exited { code } => u8::try_from(*code).unwrap_or(INTERNAL),
        Outcome::Signaled { signal } => u8::try_from(128 + signal).unwrap_or(INTERNAL),
        Outcome::TimedOut { .. } => TIMED_OUT,
        Outcome::OutOfMemory | Outcome::LimitExceeded { .. } => LIMIT,
        Outcome::Cancelled => CANCELLED,
        Outcome::Blocked { .. } => BLOCKED,
        Outcome::FailedToStart { .. } => NOT_STARTED,
        _ => INTERNAL,
    }
}

/// Says what went wrong on standard error.
pub(crate) fn fail(code: u8, message: &str) -> ExitCode {
    crate::stream::say(&format!("execres: error: {message}"));
    ExitCode::from(code)
}

/// What was to be printed was not.
pub(crate) fn unprinted(error: &std::io::Error) -> ExitCode {
    fail(INTERNAL, &format!("standard output cannot be written: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_s_own_code_is_the_command_s() {
        assert_eq!(of(&Outcome::Exited { code: 3 }, true), 3);
        assert_eq!(of(&Outcome::Exited { code: 0 }, true), 0);
        assert_eq!(of(&Outcome::Exited { code: 0 }, false), OUTPUTS);
        assert_eq!(of(&Outcome::Exited { code: 1 }, false), 1);
        assert_eq!(of(&Outcome::Signaled { signal: 11 }, true), 139);
        assert_eq!(of(&Outcome::Lost { reason: String::new() }, true), INTERNAL);
    }
}
