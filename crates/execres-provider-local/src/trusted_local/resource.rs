//! The live resource: runs jobs as plain, supervised processes.

use std::sync::Arc;

use async_trait::async_trait;
use execres_code::{CodeExecution, CodeJob, CodeRunner, Diagnostic, ExecutionParts, GuestLayout, Program, Trust};
use execres_core::{IsolationReport, Outcome};
use execres_isolation::{Sandbox, Stdin, Step};
use execres_workspace::AccessMode;

use crate::error::TRUSTED_LOCAL_SNAPSHOT_REQUIRED;
use crate::finish::{say_what_is_left, take_in_place, take_steps};
use crate::limits::PolicyLimits;
use crate::sink::Adapter;
use crate::tools::Toolbox;

/// Runs jobs without isolation.
#[derive(Debug)]
pub(super) struct TrustedLocalRunner {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) report: IsolationReport,
    pub(super) limits: PolicyLimits,
}

#[async_trait]
impl CodeRunner for TrustedLocalRunner {
    fn isolation(&self) -> &IsolationReport {
        &self.report
    }

    async fn run(&self, mut job: CodeJob) -> CodeExecution {
        job.limits = self.limits.tighten(&job.limits);
        let mut parts = ExecutionParts::new(&job, super::provider::ID, self.report.clone(), Trust::Unsafe);
        if let Err(failure) = self.run_into(&job, &mut parts).await {
            parts.failure = Some(failure);
        }
        parts.conclude()
    }
}

impl TrustedLocalRunner {
    async fn run_into(&self, job: &CodeJob, parts: &mut ExecutionParts) -> Result<(), Outcome> {
        let failed = |error: &dyn std::fmt::Display| Outcome::FailedToStart { reason: error.to_string() };
        if job.cancel.is_cancelled() {
            return Err(Outcome::Cancelled);
        }
        if job.grant.mode() != AccessMode::Snapshot {
            let reason = format!(
                "a run without isolation gets copies of files, never the workspace itself: ask for a snapshot grant \
                 [{TRUSTED_LOCAL_SNAPSHOT_REQUIRED}]"
            );
            return Err(Outcome::Blocked { reason });
        }
        job.grant.link_output().map_err(|error| failed(&error))?;
        parts.diagnostics.push(Diagnostic::new(
            "code_execution.unsafe",
            "this program was not isolated: it had the identity, the files and the network of the host",
        ));
        let steps = self.steps(job).await?;
        let run = self.sandbox.launch_unconfined(&job.limits, steps).await.map_err(|error| failed(&error))?;
        let sink = job.sink.as_ref().map(|sink| Adapter::new(sink, &job.bundle));
        let sink = sink.as_ref().map(|sink| sink as &dyn execres_isolation::OutputSink);
        let report = run.finish(sink, job.cancel.cancelled()).await;
        let nothing_left = report.nothing_left;
        take_steps(parts, job, report);
        say_what_is_left(parts, nothing_left);
        take_in_place(parts, job).await
    }

    async fn steps(&self, job: &CodeJob) -> Result<Vec<Step>, Outcome> {
        let failed = |reason: String| Outcome::FailedToStart { reason };
        let layout = GuestLayout::host(&job.grant);
        let mut steps = Vec::new();
        let last = job.bundle.steps().count().saturating_sub(1);
        for (index, step) in job.bundle.steps().enumerate() {
            let program = match step.program() {
                Program::Tool(id) => {
                    let need = job.bundle.toolchains().iter().find(|need| need.tool == *id);
                    let need =
                        need.ok_or_else(|| failed(format!("the bundle runs {id} without naming it as needed")))?;
                    self.toolbox.get(need).await.map_err(|error| failed(error.to_string()))?.path
                }
                Program::Built(name) => layout.build().join(name),
                other => return Err(failed(format!("this machine cannot run {}", other.shown()))),
            };
            // A minimal environment: nothing of this process's own, which may hold keys.
            let mut ready = Step::new(&program, step.args())
                .in_directory(layout.source())
                .with_variable("PATH", "/usr/local/bin:/usr/bin:/bin")
                .with_variable("HOME", layout.build())
                .with_variable("TMPDIR", layout.build())
                .with_variable("LANG", "C.UTF-8");
            for (name, value) in step.env() {
                let value = layout
                    .resolve(value)
                    .map_err(|error| failed(format!("the value of {name} means nothing: {error}")))?;
                ready = ready.with_variable(name, value);
            }
            if index == last {
                for (name, value) in &job.env {
                    ready = ready.with_variable(name, value);
                }
                if !job.stdin.is_empty() {
                    ready = ready.with_stdin(Stdin::Bytes(job.stdin.clone()));
                }
            }
            steps.push(ready);
        }
        Ok(steps)
    }
}
