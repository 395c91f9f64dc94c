//! The live resource: runs jobs, each in a bubblewrap of its own.

use std::os::fd::AsFd;
use std::sync::Arc;

use async_trait::async_trait;
use execres::code::{
    Bundle, CodeExecution, CodeJob, CodeRunner, ExecutionParts, GuestLayout, OutputSink, Program, StepAt, StepReport,
    StepRole, Trust, WorkingDirectory,
};
use execres::core::{IsolationReport, Limits, NetworkMode, Outcome, Policy, Stream};
use execres::isolation::{RunReport, Sandbox, Stdin, Step};
use execres::workspace::{AccessMode, Role, collect_async};

use crate::bubblewrap::{Bubblewrap, Roots, STARTED};
use crate::provider::ID;
use crate::tools;

#[derive(Debug)]
pub(crate) struct BubblewrapRunner {
    pub(crate) bubblewrap: Bubblewrap,
    pub(crate) sandbox: Arc<Sandbox>,
    pub(crate) report: IsolationReport,
    pub(crate) policy: Arc<Policy>,
    pub(crate) hostname: String,
}

#[async_trait]
impl CodeRunner for BubblewrapRunner {
    fn isolation(&self) -> &IsolationReport {
        &self.report
    }

    async fn run(&self, job: CodeJob) -> CodeExecution {
        let mut parts = ExecutionParts::new(&job, ID, self.report.clone(), Trust::Isolated);
        if let Err(failure) = self.run_into(&job, &mut parts).await {
            parts.failure = Some(failure);
        }
        parts.conclude()
    }
}

impl BubblewrapRunner {
    async fn run_into(&self, job: &CodeJob, parts: &mut ExecutionParts) -> Result<(), Outcome> {
        can_do(job)?;
        let steps = self.steps(job)?;
        let limits = under(&self.policy, &job.limits);
        let run = self.sandbox.launch_unconfined(&limits, steps).await.map_err(|error| failed(&error))?;
        let sink = job.sink.as_ref().map(|sink| Passing { sink: Arc::clone(sink), bundle: Arc::clone(&job.bundle) });
        let sink = sink.as_ref().map(|sink| sink as &dyn execres::isolation::OutputSink);
        let report = run.finish(sink, job.cancel.cancelled()).await;
        take_steps(parts, job, report);

        let output = job.grant.dir(Role::Output).as_fd().try_clone_to_owned().map_err(|error| failed(&error))?;
        let kept = job.grant.dir(Role::Kept).try_clone().map_err(|error| failed(&error))?;
        match collect_async(output, job.bundle.outputs().to_vec(), job.caps, kept).await {
            Ok(collected) => parts.collected = collected,
            Err(error) => {
                return Err(Outcome::Lost { reason: format!("the outputs could not be collected: {error}") });
            }
        }
        Ok(())
    }

    fn steps(&self, job: &CodeJob) -> Result<Vec<Step>, Outcome> {
        let layout = GuestLayout::boxed();
        let roots = Roots {
            source: job.grant.root(Role::Source),
            build: job.grant.root(Role::Build),
            output: job.grant.root(Role::Output),
            hostname: &self.hostname,
        };
        let mut steps = Vec::new();
        for (number, step) in job.bundle.steps().enumerate() {
            let program = match step.program() {
                Program::Tool(id) => tools::find(id).ok_or_else(|| failed(&format!("{id} is not below /usr")))?,
                Program::Built(name) => layout.build().join(name),
                other => return Err(failed(&format!("this provider cannot run {}", other.shown()))),
            };
            let mut ready = self.bubblewrap.step(number, roots, &program, step.args());
            for (name, value) in step.env() {
                ready = ready.with_variable(name, layout.resolve(value).map_err(|error| failed(&error))?);
            }
            if step.role() == StepRole::Run {
                for (name, value) in &job.env {
                    ready = ready.with_variable(name, value);
                }
                ready = ready.with_stdin(Stdin::Bytes(job.stdin.clone()));
            }
            steps.push(ready);
        }
        Ok(steps)
    }
}

/// What this provider does not do it says, instead of doing less than was asked for.
fn can_do(job: &CodeJob) -> Result<(), Outcome> {
    let refused = |reason: &str| Err(Outcome::Blocked { reason: reason.to_owned() });
    match (job.network, job.grant.mode(), job.working_directory) {
        (NetworkMode::None, AccessMode::Snapshot, WorkingDirectory::ReadOnly) => Ok(()),
        (NetworkMode::None, AccessMode::Snapshot, _) => refused("this provider has no writable working directory"),
        (NetworkMode::None, _, _) => refused("this provider takes snapshot grants only"),
        _ => refused("this provider has no network"),
    }
}

/// The job's limits and the policy's: both hold.
fn under(policy: &Policy, job: &Limits) -> Limits {
    let mut limits = job.clone();
    if let Some(other) = &policy.limits {
        limits.memory = limits.memory.min(other.memory);
        limits.processes = limits.processes.min(other.processes);
        limits.cpu_time = limits.cpu_time.min(other.cpu_time);
        limits.wall_time = limits.wall_time.min(other.wall_time);
        limits.file_size = limits.file_size.min(other.file_size);
        limits.open_files = limits.open_files.min(other.open_files);
        limits.output_retained = limits.output_retained.min(other.output_retained);
        limits.output_hard = limits.output_hard.min(other.output_hard);
    }
    if let Some(timeout) = policy.timeout {
        limits.wall_time = limits.wall_time.min(timeout);
    }
    if let Some(most) = policy.max_output_bytes {
        limits.output_retained = limits.output_retained.min(most / 2);
    }
    limits
}

/// The steps that ran. One that bubblewrap did not start has no exit code of its own, so it failed to start.
fn take_steps(parts: &mut ExecutionParts, job: &CodeJob, report: RunReport) {
    for (number, (step, ran)) in job.bundle.steps().zip(report.steps).enumerate() {
        let started = job.grant.dir(Role::Build).is_dir(format!("{STARTED}{number}"));
        let outcome = match ran.outcome {
            Outcome::Exited { .. } if !started => failed(&ran.stderr.text().trim()),
            outcome => outcome,
        };
        parts.steps.push(StepReport::new(step, outcome, ran.stdout, ran.stderr, ran.usage));
    }
    if parts.steps.is_empty() {
        parts.failure = Some(report.outcome);
    }
    parts.usage = Some(report.usage);
}

fn failed(why: &dyn std::fmt::Display) -> Outcome {
    Outcome::FailedToStart { reason: why.to_string() }
}

/// Passes streamed output on, with the role of its step.
struct Passing {
    sink: Arc<dyn OutputSink>,
    bundle: Arc<Bundle>,
}

impl execres::isolation::OutputSink for Passing {
    fn write(&self, step: usize, stream: Stream, bytes: &[u8]) {
        if let Some(one) = self.bundle.steps().nth(step) {
            self.sink.write(StepAt { index: step, role: one.role() }, stream, bytes);
        }
    }
}
