//! The one place where a result is derived from what happened.

use std::sync::Arc;

use execres_core::{Captured, IsolationReport, Outcome, Peak, Usage};
use execres_workspace::{AccessGrant, Collected};

use super::diagnostic::Diagnostic;
use super::not_kept::NotKeptList;
use super::report::{CodeExecution, Fallback, Status, StepReport, Trust};
use crate::bundle::{Bundle, StepRole};
use crate::runner::CodeJob;

/// What a runner knows at the end of a job.
#[derive(Debug)]
#[non_exhaustive]
pub struct ExecutionParts {
    /// Who ran it.
    pub provider: String,
    /// How well it was isolated.
    pub isolation: IsolationReport,
    /// Whether it ran in a box.
    pub trust: Trust,
    /// Set when another provider was preferred.
    pub fallback: Option<Fallback>,
    /// Every step that was started, in order.
    pub steps: Vec<StepReport>,
    /// What ended the job where no step did: a step that could not be started, a cancellation between steps, outputs that
    /// could not be collected. It decides over all steps.
    pub failure: Option<Outcome>,
    /// What was collected.
    pub collected: Collected,
    /// What was written and is gone.
    pub not_kept: NotKeptList,
    /// What all steps used together; where it is `None`, the sum of the steps.
    pub usage: Option<Usage>,
    /// What else to know. What follows from the other parts is added by itself.
    pub diagnostics: Vec<Diagnostic>,
    bundle: Arc<Bundle>,
    grant: Arc<AccessGrant>,
}

impl ExecutionParts {
    /// The parts of a job in which nothing has happened yet.
    pub fn new(job: &CodeJob, provider: impl Into<String>, isolation: IsolationReport, trust: Trust) -> Self {
        ExecutionParts {
            provider: provider.into(),
            isolation,
            trust,
            fallback: None,
            steps: Vec::new(),
            failure: None,
            collected: Collected::default(),
            not_kept: NotKeptList::nothing(),
            usage: None,
            diagnostics: Vec::new(),
            bundle: Arc::clone(&job.bundle),
            grant: Arc::clone(&job.grant),
        }
    }

    /// Derives the result.
    ///
    /// A declared output that is missing makes it an error, and leaves the program's own outcome and streams as they are. A
    /// job whose steps all succeeded without a run step among them is lost: nothing says that the program ran.
    pub fn conclude(mut self) -> CodeExecution {
        let decided = self.steps.iter().position(|step| !step.outcome.is_success());
        let decided = decided.or_else(|| self.steps.iter().position(|step| step.role == StepRole::Run));
        let outcome = match (self.failure, decided) {
            (Some(failure), _) => failure,
            (None, Some(step)) => self.steps[step].outcome.clone(),
            (None, None) => Outcome::Lost { reason: "nothing says that the program was run".to_owned() },
        };
        let is_success = outcome.is_success() && self.collected.is_complete();

        let mut diagnostics: Vec<_> = self.steps.iter().filter_map(Diagnostic::build_failed).collect();
        // After a failure before the run, every output is missing, and saying so of each explains nothing.
        if self.steps.iter().any(|step| step.role == StepRole::Run) {
            diagnostics.extend(self.collected.missing.iter().map(|path| Diagnostic::missing(path, &self.not_kept)));
        }
        diagnostics.extend(self.collected.refused.iter().map(Diagnostic::refused));
        diagnostics.extend(Diagnostic::not_kept(&self.not_kept));
        diagnostics.append(&mut self.diagnostics);

        let usage = self.usage.unwrap_or_else(|| sum(&self.steps));
        let shown = decided.or_else(|| self.steps.len().checked_sub(1));
        let (stdout, stderr) = match shown {
            Some(step) => (self.steps[step].stdout.take(), self.steps[step].stderr.take()),
            None => (None, None),
        };
        // A stream of a program that was never started is complete, and empty.
        let nothing = || Captured::new(Vec::new(), Vec::new(), 0, true);
        CodeExecution {
            status: if is_success { Status::Success } else { Status::Error },
            outcome,
            trust: self.trust,
            provider: self.provider,
            language: self.bundle.language(),
            stdout: stdout.unwrap_or_else(nothing),
            stderr: stderr.unwrap_or_else(nothing),
            outputs: self.collected.outputs,
            missing_outputs: self.collected.missing,
            refused_outputs: self.collected.refused,
            refused_more: self.collected.refused_more,
            not_kept: self.not_kept.files,
            not_kept_completeness: self.not_kept.completeness,
            diagnostics,
            usage,
            steps: self.steps,
            isolation: self.isolation,
            fallback: self.fallback,
            bundle_id: self.bundle.id().clone(),
            bundle_digest: self.bundle.digest(),
            provenance: self.bundle.provenance().clone(),
            grant_id: self.grant.id().clone(),
            call_id: self.grant.call().clone(),
            workspace_id: self.grant.workspace().clone(),
        }
    }
}

/// Times add up; peaks are those of the highest step.
fn sum(steps: &[StepReport]) -> Usage {
    let mut total = Usage::default();
    for step in steps {
        total.wall += step.usage.wall;
        total.cpu_user += step.usage.cpu_user;
        total.cpu_system += step.usage.cpu_system;
        total.peak_memory = higher(total.peak_memory, step.usage.peak_memory);
        total.peak_processes = higher(total.peak_processes, step.usage.peak_processes);
    }
    total
}

fn higher(one: Option<Peak>, other: Option<Peak>) -> Option<Peak> {
    match (one, other) {
        (Some(one), Some(other)) if other.value > one.value => Some(other),
        (Some(one), _) => Some(one),
        (None, other) => other,
    }
}
