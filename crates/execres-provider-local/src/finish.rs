//! From the report of a run to the parts of a result.

use std::os::fd::OwnedFd;

use execres_code::{CodeJob, ExecutionParts, StepReport};
use execres_core::Outcome;
use execres_isolation::RunReport;
use execres_workspace::{Role, collect_async};

/// The steps of a run, and what ended it where no step did.
pub(crate) fn take_steps(parts: &mut ExecutionParts, job: &CodeJob, report: RunReport) {
    for (step, ran) in job.bundle.steps().zip(report.steps) {
        parts.steps.push(StepReport::new(step, ran.outcome, ran.stdout, ran.stderr, ran.usage));
    }
    if parts.steps.is_empty() {
        parts.failure = Some(report.outcome);
    }
    parts.usage = Some(report.usage);
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
