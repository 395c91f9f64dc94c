//! A provider of `code_execution` that starts Python itself, good or with one flaw. It isolates nothing.

use std::fs;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use async_trait::async_trait;
use execres_code::{
    CodeExecution, CodeJob, CodeRunner, Diagnostic, ExecutionParts, GuestLayout, KIND, OutputSink, SharedRunner,
    StepAt, StepReport, StepRole, Trust,
};
use execres_core::{
    Attempt, AxisEvidence, AxisSet, Capabilities, Captured, Clock, Enforcement, EnsureRequest, Health, HeldResource,
    IsolationReport, Kind, LimitKind, LimitReport, NetworkMode, Outcome, Policy, Probe, ProbeRequest, ProvidedResource,
    Provider, ProviderError, ProviderId, Requirement, Stream, Usage, Verdict,
};
use execres_testkit::contract::Subject;
use execres_workspace::{Role, collect_async};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe::{Receiver, Sender};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Flaw {
    LosesOutput,
    ChangesTheExitCode,
    ChangesAnOutput,
    MissesNoOutput,
    SparesChildren,
    GivesNoInput,
    GivesNoVariables,
    InheritsTheEnvironment,
    StreamsNothing,
    KeepsEverything,
    EndsNoOutput,
    ReadsNoPolicy,
    SaysMemoryIsLimited,
    MixesUpJobs,
    IsSomebodyElse,
    TellsVariables,
    ForgesAxes,
}

/// The description of the provider, good or with a flaw.
pub(crate) fn subject(flaw: Option<Flaw>) -> Subject {
    Subject::new("python", [KIND], move || {
        Arc::new(Python { id: ProviderId::from_static("python"), kinds: [Kind::from_static(KIND)], flaw })
    })
    .requirement(|| Requirement::builder(Kind::from_static(KIND)))
    .used_by(|runner: Arc<SharedRunner>| async move {
        if runner.isolation().evidence_id.is_empty() { Err("it has no evidence".to_owned()) } else { Ok(()) }
    })
    .cannot_be_broken("it holds nothing between jobs")
    .proves(if flaw == Some(Flaw::ForgesAxes) { AxisSet::ALL } else { AxisSet::EMPTY })
}

struct Python {
    id: ProviderId,
    kinds: [Kind; 1],
    flaw: Option<Flaw>,
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct PythonConfig {}

fn report(flaw: Option<Flaw>) -> IsolationReport {
    let forged = |axis| AxisEvidence { axis, attempts: vec![Attempt::new("none", Verdict::Verified, "forged")] };
    let mut report = match flaw {
        Some(Flaw::ForgesAxes) => {
            IsolationReport::new("forged", NetworkMode::None, AxisSet::ALL.iter().map(forged).collect())
        }
        _ => IsolationReport::none(NetworkMode::Inherited),
    };
    let enforcement = if flaw == Some(Flaw::SaysMemoryIsLimited) { Enforcement::Enforced } else { Enforcement::None };
    report.limits.push(LimitReport { limit: "memory".into(), enforcement, mechanism: "none".into() });
    report
}

#[async_trait]
impl Provider for Python {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        request.parse_config::<PythonConfig>()?;
        Ok(Probe::available(Capabilities::new().with_language("python")).with_isolation(report(self.flaw)))
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let policy = (self.flaw != Some(Flaw::ReadsNoPolicy)).then(|| (**request.policy()).clone());
        let policy = policy.unwrap_or_default();
        let runner: SharedRunner = Arc::new(Runner {
            flaw: self.flaw,
            policy,
            report: report(self.flaw),
            jobs: AtomicUsize::new(0),
            spared: Mutex::new(Vec::new()),
        });
        Ok(ProvidedResource::new(runner).with_isolation(report(self.flaw)))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        Health::Healthy
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}

#[derive(Debug)]
struct Runner {
    flaw: Option<Flaw>,
    policy: Policy,
    report: IsolationReport,
    jobs: AtomicUsize,
    /// What the flaw spares is ended with the runner: the control leaves nothing either.
    spared: Mutex<Vec<Sweep>>,
}

/// Ends every process that works in this directory or below, whatever session it went to.
#[derive(Debug)]
struct Sweep(std::path::PathBuf);

impl Drop for Sweep {
    fn drop(&mut self) {
        let is_below = |pid: &i32| fs::read_link(format!("/proc/{pid}/cwd")).is_ok_and(|cwd| cwd.starts_with(&self.0));
        for entry in fs::read_dir("/proc").unwrap().flatten() {
            let pid = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()).filter(is_below);
            if let Some(pid) = pid.and_then(rustix::process::Pid::from_raw) {
                // It may have ended by itself in between, which is as good.
                rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap_or_default();
            }
        }
    }
}

#[async_trait]
impl CodeRunner for Runner {
    fn isolation(&self) -> &IsolationReport {
        &self.report
    }

    async fn run(&self, mut job: CodeJob) -> CodeExecution {
        if let Some(limits) = &self.policy.limits {
            job.limits.wall_time = job.limits.wall_time.min(limits.wall_time);
        }
        job.limits.wall_time = job.limits.wall_time.min(self.policy.timeout.unwrap_or(Duration::MAX));
        let kept = self.policy.max_output_bytes.map_or(u64::MAX, |most| most / 2);
        job.limits.output_retained = job.limits.output_retained.min(kept);
        let id = if self.has(Flaw::IsSomebodyElse) { "somebody" } else { "python" };
        let trust = if self.has(Flaw::ForgesAxes) { Trust::Isolated } else { Trust::Unsafe };
        let mut parts = ExecutionParts::new(&job, id, self.report.clone(), trust);
        if let Err(error) = self.run_into(&job, &mut parts).await {
            parts.failure = Some(Outcome::FailedToStart { reason: error.to_string() });
        }
        if self.has(Flaw::TellsVariables) {
            parts.diagnostics.push(Diagnostic::new("python.ran", format!("with {:?}", job.env)));
        }
        parts.conclude()
    }
}

impl Runner {
    fn has(&self, flaw: Flaw) -> bool {
        self.flaw == Some(flaw)
    }

    fn command(&self, job: &CodeJob) -> Command {
        let layout = GuestLayout::host(&job.grant);
        let step = job.bundle.run();
        let mut args = step.args().to_vec();
        if self.has(Flaw::MixesUpJobs) && self.jobs.fetch_add(1, Ordering::SeqCst) > 0 {
            args.truncate(1);
        }
        #[allow(clippy::disallowed_methods, reason = "a test starts what it tests")]
        let mut command = Command::new("/usr/bin/python3");
        command.args(args).current_dir(layout.source());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if !self.has(Flaw::InheritsTheEnvironment) {
            command.env_clear();
        }
        for (name, value) in step.env() {
            command.env(name, layout.resolve(value).unwrap());
        }
        if !self.has(Flaw::GivesNoVariables) {
            command.envs(job.env.iter().cloned());
        }
        command
    }

    async fn run_into(&self, job: &CodeJob, parts: &mut ExecutionParts) -> io::Result<()> {
        job.grant.link_output()?;
        let started = Instant::now();
        let sweep = job.grant.root(Role::Source).parent().map(|area| Sweep(area.to_owned()));
        let _sweep = match self.has(Flaw::SparesChildren) {
            true => {
                self.spared.lock().unwrap().extend(sweep);
                None
            }
            false => sweep,
        };
        let mut child = Started(self.command(job).spawn()?);
        let mut stdin = Sender::from_owned_fd(child.0.stdin.take().unwrap().into())?;
        if !self.has(Flaw::GivesNoInput) {
            // A program that does not read its input is no fault of the run.
            drop(stdin.write_all(&job.stdin).await);
        }
        drop(stdin);
        let (mut stdout, mut stderr) = (self.stream(job, Stream::Stdout), self.stream(job, Stream::Stderr));
        let ended = {
            let (out, err) = (child.0.stdout.take().unwrap(), child.0.stderr.take().unwrap());
            let (out, err) = (Receiver::from_owned_fd(out.into())?, Receiver::from_owned_fd(err.into())?);
            tokio::select! {
                biased;
                () = job.cancel.cancelled() => Some(Outcome::Cancelled),
                () = tokio::time::sleep(job.limits.wall_time) => Some(Outcome::TimedOut { clock: Clock::Wall }),
                (one, other) = async { tokio::join!(stdout.follow(out), stderr.follow(err)) } => one.or(other),
            }
        };
        let outcome = match ended {
            Some(outcome) => {
                child.0.kill()?;
                child.wait().await?;
                outcome
            }
            None => self.outcome(child.wait().await?),
        };
        let mut usage = Usage::default();
        usage.wall = started.elapsed();
        if self.has(Flaw::LosesOutput) {
            stdout.bytes.clear();
        }
        parts.steps.push(StepReport::new(job.bundle.run(), outcome, stdout.captured(), stderr.captured(), usage));

        let output = job.grant.dir(Role::Output).as_fd().try_clone_to_owned()?;
        let into = job.grant.dir(Role::Kept).try_clone()?;
        parts.collected =
            collect_async(output, job.bundle.outputs().to_vec(), job.caps, into).await.map_err(io::Error::other)?;
        if self.has(Flaw::ChangesAnOutput) {
            job.grant.dir(Role::Kept).write("a.txt", "omega")?;
        }
        if self.has(Flaw::MissesNoOutput) {
            parts.collected.missing.clear();
        }
        Ok(())
    }

    fn outcome(&self, status: ExitStatus) -> Outcome {
        match (status.code(), status.signal()) {
            (Some(_), _) if self.has(Flaw::ChangesTheExitCode) => Outcome::Exited { code: 0 },
            (Some(code), _) => Outcome::Exited { code },
            (None, signal) => Outcome::Signaled { signal: signal.unwrap_or_default() },
        }
    }

    fn stream(&self, job: &CodeJob, stream: Stream) -> Kept {
        Kept {
            stream,
            bytes: Vec::new(),
            retained: if self.has(Flaw::KeepsEverything) { usize::MAX } else { job.limits.output_retained as usize },
            hard: if self.has(Flaw::EndsNoOutput) { 64 << 20 } else { job.limits.output_hard as usize },
            reports: !self.has(Flaw::EndsNoOutput),
            sink: job.sink.clone().filter(|_| !self.has(Flaw::StreamsNothing)),
        }
    }
}

/// A process that is ended and reaped at the latest when it is dropped.
struct Started(Child);

impl Started {
    async fn wait(&mut self) -> io::Result<ExitStatus> {
        loop {
            match self.0.try_wait()? {
                Some(status) => return Ok(status),
                None => tokio::time::sleep(Duration::from_millis(1)).await,
            }
        }
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        // Both do nothing for one that has been waited for.
        self.0.kill().and_then(|()| self.0.wait()).map(drop).unwrap();
    }
}

/// What is kept of one stream.
struct Kept {
    stream: Stream,
    bytes: Vec<u8>,
    retained: usize,
    hard: usize,
    reports: bool,
    sink: Option<Arc<dyn OutputSink>>,
}

impl Kept {
    /// Follows the stream to its end, or to more than there may be.
    async fn follow(&mut self, mut from: impl tokio::io::AsyncRead + Unpin) -> Option<Outcome> {
        let mut buffer = [0; 65536];
        while let Ok(count @ 1..) = from.read(&mut buffer).await {
            self.bytes.extend(&buffer[..count]);
            if let Some(sink) = &self.sink {
                sink.write(StepAt { index: 0, role: StepRole::Run }, self.stream, &buffer[..count]);
            }
            if self.bytes.len() > self.hard {
                return match self.reports {
                    true => Some(Outcome::LimitExceeded { limit: LimitKind::Output }),
                    false => Some(Outcome::Exited { code: 0 }),
                };
            }
        }
        None
    }

    fn captured(self) -> Captured {
        let total = self.bytes.len();
        if total <= self.retained {
            return Captured::new(self.bytes, Vec::new(), total as u64, true);
        }
        let half = self.retained / 2;
        Captured::new(self.bytes[..half].to_vec(), self.bytes[total - half..].to_vec(), total as u64, true)
    }
}
