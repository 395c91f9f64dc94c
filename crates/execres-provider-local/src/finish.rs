//! From the report of a run to the parts of a result.

use std::os::fd::OwnedFd;

use execres_code::{CodeJob, Diagnostic, ExecutionParts, StepReport};
use execres_core::{Clock, LimitKind, Limits, Outcome};
use execres_isolation::RunReport;
use execres_workspace::{Role, collect_async};

/// The steps of a run, and what ended it where no step did.
pub(crate) fn take_steps(parts: &mut ExecutionParts, job: &CodeJob, report: RunReport) {
    for (step, ran) in job.bundle.steps().zip(report.steps) {
        parts.steps.push(StepReport::new(step, ran.outcome, ran.stdout, ran.stderr, ran.usage));
    }
    if let Some(reached) = limit_reached(&report.outcome, &job.limits) {
        parts.diagnostics.push(reached);
    }
    if parts.steps.is_empty() {
        parts.failure = Some(report.outcome);
    }
    parts.usage = Some(report.usage);
}

/// Which limit ended the run, how high it was, and how to raise it.
fn limit_reached(outcome: &Outcome, limits: &Limits) -> Option<Diagnostic> {
    let mib = |bytes: u64| format!("{} MiB", bytes >> 20);
    let (what, how) = match outcome {
        Outcome::TimedOut { clock: Clock::Wall } => {
            (format!("the run's {:?} of wall time were over", limits.wall_time), "more wall time (`--timeout`)")
        }
        Outcome::TimedOut { clock: Clock::Cpu } => {
            (format!("the {:?} of processor time of one process were over", limits.cpu_time), "more processor time")
        }
        Outcome::OutOfMemory => (
            format!("the run used up its {}, to which files in its scratch space count", mib(limits.memory)),
            "more memory (`--memory`)",
        ),
        Outcome::LimitExceeded { limit: LimitKind::Output } => {
            (format!("the run printed more than {}", mib(limits.output_hard)), "less to print, or an output file")
        }
        Outcome::LimitExceeded { limit: LimitKind::FileSize } => {
            (format!("a file grew larger than {}", mib(limits.file_size)), "smaller files")
        }
        _ => return None,
    };
    Some(Diagnostic::new("code_execution.limit_reached", what).suggest(format!("give it {how}")))
}

/// Takes the declared outputs out of a directory that the program could write.
pub(crate) async fn take_outputs(parts: &mut ExecutionParts, job: &CodeJob, untrusted: OwnedFd) {
    if job.bundle.outputs().is_empty() {
        return;
    }
    let into = match job.grant.dir(Role::Kept).try_clone() {
        Ok(into) => into,
        Err(error) => return not_collected(parts, &error.to_string()),
    };
    match collect_async(untrusted, job.bundle.outputs().to_vec(), job.caps, into).await {
        Ok(collected) => parts.collected = collected,
        Err(error) => not_collected(parts, &error.to_string()),
    }
}

fn not_collected(parts: &mut ExecutionParts, why: &str) {
    parts.failure = Some(Outcome::Lost { reason: format!("the outputs could not be collected: {why}") });
}
