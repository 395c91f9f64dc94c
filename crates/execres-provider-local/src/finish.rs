//! From the report of a run to the parts of a result.

use std::os::fd::{AsFd, OwnedFd};

use execres_code::{CodeJob, Diagnostic, ExecutionParts, StepReport, not_kept};
use execres_core::{Clock, LimitKind, Limits, Outcome};
use execres_isolation::RunReport;
use execres_workspace::{Role, TreeBounds, collect_async, list_tree};

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

/// Says so when processes of a run may still be there, which no run with a PID namespace leaves.
pub(crate) fn say_what_is_left(parts: &mut ExecutionParts, nothing_left: bool) {
    if nothing_left {
        return;
    }
    parts.diagnostics.push(
        Diagnostic::new("code_execution.processes_left", "processes of this program may still be running")
            .suggest("look for them: what became another user's cannot be ended from here"),
    );
    // Success would say that everything is over.
    if parts.steps.last().is_some_and(|step| step.outcome.is_success()) {
        parts.failure = Some(Outcome::Lost { reason: "processes of the program may still be running".into() });
    }
}

/// Takes what a program left that ran in the directories of its grant themselves.
pub(crate) async fn take_in_place(parts: &mut ExecutionParts, job: &CodeJob) -> Result<(), Outcome> {
    let failed = |error: &dyn std::fmt::Display| Outcome::FailedToStart { reason: error.to_string() };
    let output = job.grant.dir(Role::Output).as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
    take_outputs(parts, job, output).await;
    // The working directory is the copy itself, so what is there as it was given has to be left out. A file that was
    // changed without changing its size is not seen here.
    if let Ok(mut listing) = list_tree(job.grant.dir(Role::Source).as_fd(), TreeBounds::default()) {
        listing.entries.retain(|entry| {
            let given = entry.path.to_str().and_then(|path| job.manifest.file(path));
            given.is_none_or(|file| file.bytes != entry.bytes)
        });
        parts.not_kept = not_kept(&listing, &job.manifest);
    }
    Ok(())
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
