//! The live resource: runs one job after the other, each in a sandbox of its own.

use std::os::fd::AsFd;
use std::sync::Arc;

use async_trait::async_trait;
use execres_code::{
    CodeExecution, CodeJob, CodeRunner, Diagnostic, ExecutionParts, GuestLayout, Program, Trust, WorkingDirectory,
    not_kept,
};
use execres_core::{AxisSet, Enforcement, IsolationReport, NetworkMode, Outcome};
use execres_isolation::{LaunchError, Profile, RunReport, Rung, Sandbox, Stdin, Step};
use execres_workspace::{TreeBounds, list_tree};

use super::profile;
use crate::finish::{say_what_is_left, take_in_place, take_outputs, take_steps};
use crate::limits::PolicyLimits;
use crate::sink::Adapter;
use crate::tools::{Tool, Toolbox};

/// Runs jobs in the native sandbox.
#[derive(Debug)]
pub(super) struct SandboxRunner {
    pub(super) sandbox: Arc<Sandbox>,
    pub(super) toolbox: Arc<Toolbox>,
    pub(super) report: IsolationReport,
    /// Where on the ladder this host stands.
    pub(super) rung: Rung,
    /// What every run has to prove.
    pub(super) required: AxisSet,
    /// The network that policy allows, and the limits that it sets.
    pub(super) network: NetworkMode,
    pub(super) limits: PolicyLimits,
}

#[async_trait]
impl CodeRunner for SandboxRunner {
    fn isolation(&self) -> &IsolationReport {
        &self.report
    }

    async fn run(&self, mut job: CodeJob) -> CodeExecution {
        job.limits = self.limits.tighten(&job.limits);
        let mut parts = ExecutionParts::new(&job, super::provider::ID, self.report.clone(), Trust::Isolated);
        if let Err(failure) = self.run_into(&job, &mut parts).await {
            parts.failure = Some(failure);
        }
        parts.conclude()
    }
}

impl SandboxRunner {
    async fn run_into(&self, job: &CodeJob, parts: &mut ExecutionParts) -> Result<(), Outcome> {
        if job.cancel.is_cancelled() {
            return Err(Outcome::Cancelled);
        }
        if job.network > self.network {
            let reason =
                format!("the policy gives this run the network {}, and it asks for {}", self.network, job.network);
            return Err(Outcome::Blocked { reason });
        }
        let is_built = job.bundle.steps().any(|step| matches!(step.program(), Program::Built(_)));
        if self.rung == Rung::NoNamespaces && is_built {
            // What a linker writes becomes a program by a change of its mode, which nobody can make there.
            let reason = "programs that are compiled first need user namespaces, which this host does not allow: `execres \
                          doctor` says how to allow them";
            return Err(Outcome::Blocked { reason: reason.into() });
        }
        if let Some(degraded) = self.rung.degraded() {
            let unlimited: Vec<&str> = self
                .report
                .limits
                .iter()
                .filter(|limit| limit.enforcement == Enforcement::None)
                .map(|limit| limit.limit.as_ref())
                .collect();
            let limits = match unlimited.as_slice() {
                [] => String::new(),
                unlimited => format!("; nothing limits {}", unlimited.join(", ")),
            };
            let message = format!("on this host {degraded}{limits}");
            parts.diagnostics.push(Diagnostic::new("code_execution.degraded", message));
        }
        let mut tools = Vec::new();
        for need in job.bundle.toolchains() {
            let tool = self.toolbox.get(need).await;
            tools.push(tool.map_err(|error| Outcome::FailedToStart { reason: error.to_string() })?);
        }
        let mut working_directory = job.working_directory;
        let mut report = self.attempt(job, working_directory, &tools, parts).await?;
        if let (WorkingDirectory::Scratch, Some(LaunchError::Overlay { source })) = (working_directory, &report.failure)
        {
            let message =
                format!("this host allows no writable copy of the working directory ({source}); it is read-only");
            parts.diagnostics.push(
                Diagnostic::new("code_execution.scratch_unavailable", message)
                    .suggest("write under output/ to keep a file, under /tmp to lose it"),
            );
            working_directory = WorkingDirectory::ReadOnly;
            report = self.attempt(job, working_directory, &tools, parts).await?;
        }

        let mut handed_up: Vec<Option<_>> = report.handed_up.drain(..).map(Some).collect();
        let mut take = |index: usize| handed_up.get_mut(index).and_then(Option::take);
        let (output, scratch) = (take(profile::OUTPUT), take(profile::SCRATCH));
        let nothing_left = report.nothing_left;
        take_steps(parts, job, report);
        if self.rung == Rung::NoNamespaces {
            say_what_is_left(parts, nothing_left);
            return take_in_place(parts, job).await;
        }
        if let Some(output) = output {
            take_outputs(parts, job, output).await;
        }
        if let Some(scratch) = scratch {
            // The run is over and its mounts are gone but for this descriptor, so a listing is quick; it is bounded all the same.
            if let Ok(listing) = list_tree(scratch.as_fd(), TreeBounds::default()) {
                parts.not_kept = not_kept(&listing, &job.manifest);
            }
        }
        Ok(())
    }

    async fn attempt(
        &self,
        job: &CodeJob,
        working_directory: WorkingDirectory,
        tools: &[Tool],
        parts: &mut ExecutionParts,
    ) -> Result<RunReport, Outcome> {
        let failed = |error: &dyn std::fmt::Display| Outcome::FailedToStart { reason: error.to_string() };
        let (profile, layout) = match self.rung {
            Rung::NoNamespaces => {
                job.grant.link_output().map_err(|error| failed(&error))?;
                (profile::in_place(job, working_directory, tools), GuestLayout::host(&job.grant))
            }
            rung => {
                (profile::of(job, working_directory, tools).map(|profile| profile.on_rung(rung)), GuestLayout::boxed())
            }
        };
        let profile = profile.map_err(|error| failed(&error))?;
        let evidence = self.sandbox.evidence(&profile).await.map_err(|error| failed(&error))?;
        parts.isolation = (*evidence).clone();
        let unproven = self.required.missing_from(evidence.axes());
        if !unproven.is_empty() {
            return Err(Outcome::Blocked {
                reason: format!("with this network the sandbox does not prove {unproven}"),
            });
        }
        let steps = steps(job, tools, &layout).map_err(|reason| Outcome::FailedToStart { reason })?;
        let run = self.launch(&profile, steps, job).await.map_err(|error| failed(&error))?;
        let sink = job.sink.as_ref().map(|sink| Adapter::new(sink, &job.bundle));
        let sink = sink.as_ref().map(|sink| sink as &dyn execres_isolation::OutputSink);
        Ok(run.finish(sink, job.cancel.cancelled()).await)
    }

    async fn launch(
        &self,
        profile: &Profile,
        steps: Vec<Step>,
        job: &CodeJob,
    ) -> Result<execres_isolation::Run, LaunchError> {
        tracing::debug!(bundle = %job.bundle.id(), grant = %job.grant.id(), "launching in the sandbox");
        self.sandbox.launch(profile, steps).await
    }
}

fn steps(job: &CodeJob, tools: &[Tool], layout: &GuestLayout) -> Result<Vec<Step>, String> {
    let mut steps = Vec::new();
    let last = job.bundle.steps().count().saturating_sub(1);
    for (index, step) in job.bundle.steps().enumerate() {
        let program = match step.program() {
            Program::Tool(id) => {
                let tool = tools.iter().find(|tool| tool.id == *id);
                tool.map(|tool| tool.path.clone())
                    .ok_or_else(|| format!("the bundle runs {id} without naming it as needed"))?
            }
            Program::Built(name) => layout.build().join(name),
            other => return Err(format!("this sandbox cannot run {}", other.shown())),
        };
        // The tool's own directory comes first, so that what it calls by name is of the same installation.
        let beside = program.parent().unwrap_or(&program).display().to_string();
        let path = if program.starts_with(layout.build()) { String::new() } else { format!("{beside}:") };
        let mut ready = Step::new(&program, step.args())
            .in_directory(layout.source())
            .with_variable("PATH", format!("{path}/usr/local/bin:/usr/bin:/bin"));
        for (name, value) in step.env() {
            let value = layout.resolve(value).map_err(|error| format!("the value of {name} means nothing: {error}"))?;
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
