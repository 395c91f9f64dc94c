//! One run from start to end: its streams, its deadline, its reports, and the death of its whole tree.

mod verdict;

use std::future::{Future, poll_fn};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use execres_core::{Captured, Clock, LimitKind, Limits, Outcome, Stream, Usage};
use rustix::process::Signal;

use crate::capture::Capture;
use crate::cgroup::Counters;
use crate::error::LaunchError;
use crate::launcher::{Launcher, stage_name};
use crate::layout::Layout;
use crate::own_directory::OwnDirectory;
use crate::profile::Confinement;
use crate::sandbox::Sandbox;
use crate::sys::protocol;
use crate::sys::socket::{self, Message, Wait};
use crate::sys::watch::{self, Watched};
use verdict::StepRecord;

/// How long the streams are read after the whole tree is dead. Nobody holds the other ends then, so this is not waited for
/// unless a descriptor has left the run.
const DRAIN: Duration = Duration::from_millis(250);
/// How much later than init the host itself ends a run.
const BACKSTOP: Duration = Duration::from_secs(2);
/// How long init may take to end the tree when it is asked to, before the kernel does it.
const ASKED: Duration = Duration::from_millis(500);

/// The same without a PID namespace, where init ends the tree one generation after the other and nobody can do it instead.
const ASKED_UNCONFINED: Duration = Duration::from_secs(5);

/// Receives output while the run goes on.
pub trait OutputSink: Send + Sync {
    /// The next piece of a stream of the step with this number, as it came. Called in order for each stream; must not block.
    fn write(&self, step: usize, stream: Stream, bytes: &[u8]);
}

/// One run. Dropping it ends the run's whole tree.
#[derive(Debug)]
pub struct Run {
    pid: i32,
    pidfd: Arc<OwnedFd>,
    control: Arc<OwnedFd>,
    streams: Vec<StepStreams>,
    layout: Layout,
    limits: Limits,
    confinement: Confinement,
    started: Instant,
    owner: Option<Owner>,
    /// A directory that was made for the run, which goes when the run is over.
    own_directory: Option<OwnDirectory>,
    /// The process that launched it.
    host: rustix::process::Pid,
}

/// The read ends of a step's outputs.
#[derive(Debug)]
pub(crate) struct StepStreams {
    pub(crate) stdout: Arc<OwnedFd>,
    pub(crate) stderr: Arc<OwnedFd>,
}

/// What the run goes back to.
#[derive(Debug)]
struct Owner {
    sandbox: Arc<Sandbox>,
    launcher: Option<Launcher>,
    before: Option<Counters>,
}

/// How one step ended.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct StepReport {
    /// How it ended.
    pub outcome: Outcome,
    /// What it wrote to its standard output.
    pub stdout: Captured,
    /// What it wrote to its standard error.
    pub stderr: Captured,
    /// What it used. Processor times are those of the run so far.
    pub usage: Usage,
}

/// How a run ended.
#[derive(Debug)]
#[non_exhaustive]
pub struct RunReport {
    /// The steps that started, in order.
    pub steps: Vec<StepReport>,
    /// How the run ended: the outcome of the last step that started.
    pub outcome: Outcome,
    /// What the whole run used.
    pub usage: Usage,
    /// The directories that the profile hands up, in its order. Their content is the guest's: hostile, and no longer changing.
    pub handed_up: Vec<OwnedFd>,
    /// The error that kept the root from being built, when nothing started.
    pub failure: Option<LaunchError>,
    /// Whether nothing of the run is left. Always so in a sandbox, whose namespace ends whole; an unconfined run can leave a
    /// process that became another user's, or everything when its init was stopped.
    pub nothing_left: bool,
}

impl Run {
    pub(crate) fn new(
        pid: i32,
        pidfd: OwnedFd,
        control: OwnedFd,
        streams: Vec<StepStreams>,
        layout: Layout,
        limits: Limits,
        confinement: Confinement,
    ) -> Self {
        Run {
            pid,
            pidfd: Arc::new(pidfd),
            control: Arc::new(control),
            streams,
            layout,
            limits,
            confinement,
            started: Instant::now(),
            owner: None,
            own_directory: None,
            host: rustix::process::getpid(),
        }
    }

    pub(crate) fn owned_by(mut self, sandbox: Arc<Sandbox>, launcher: Launcher, before: Option<Counters>) -> Self {
        self.owner = Some(Owner { sandbox, launcher: Some(launcher), before });
        self
    }

    pub(crate) fn with_directory(mut self, directory: Option<OwnDirectory>) -> Self {
        self.own_directory = directory;
        self
    }

    /// The process id of the run's init, as this process sees it.
    pub fn init_pid(&self) -> i32 {
        self.pid
    }

    /// Sends a signal to the leader of the step that is running.
    ///
    /// # Errors
    /// When the run is over.
    pub fn signal(&self, signal: i32) -> std::io::Result<()> {
        Ok(socket::send(&self.control, &[protocol::SIGNAL, signal as u32], &[])?)
    }

    /// Waits for the end of the run: of its leader, and of everything that it started.
    ///
    /// Output is passed to `sink` as it comes. When `cancel` is ready first, the run is ended and its outcome is
    /// [`Outcome::Cancelled`].
    ///
    /// Must be called within a tokio runtime with I/O and time.
    ///
    /// # Cancel safety
    /// Dropping the future drops the run, which ends its whole tree.
    pub async fn finish(mut self, sink: Option<&dyn OutputSink>, cancel: impl Future<Output = ()>) -> RunReport {
        let watched = self.watch(sink, cancel).await;
        let counters = self.owner.as_ref().and_then(|owner| {
            let now = owner.launcher.as_ref()?.slot.as_ref()?.counters();
            Some((owner.before?, now))
        });
        let over = watched.as_ref().is_ok_and(|watch| self.is_over(watch));
        let launcher = self.owner.as_mut().and_then(|owner| owner.launcher.take());
        let directory = self.own_directory.take();
        match (over, launcher) {
            // Now the launcher can take the next run.
            (true, Some(launcher)) => {
                if let Some(owner) = &self.owner {
                    owner.sandbox.put_back(launcher);
                }
                if let Some(directory) = directory {
                    // Hundreds of thousands of files take a while.
                    if tokio::task::spawn_blocking(move || drop(directory)).await.is_err() {
                        tracing::debug!("the directory of a run stays until it is reaped");
                    }
                }
            }
            // What may still be there would share its memory, its processes and its user with the next run. The end of the
            // launcher's group is the end of what is in it, and takes a moment.
            (false, Some(launcher)) => {
                let ended = tokio::task::spawn_blocking(move || drop(launcher)).await;
                if ended.is_err() {
                    tracing::debug!("a launcher whose run is not over could not be ended");
                }
                if let Some(directory) = directory {
                    directory.leave_to_the_reaper();
                }
            }
            (_, None) => {
                if let Some(directory) = directory.filter(|_| !over) {
                    directory.leave_to_the_reaper();
                }
            }
        }
        match watched {
            Ok(watch) => {
                let steps = self.streams.len();
                watch.report(&self.layout, &self.limits, steps, counters, self.started.elapsed(), self.confinement)
            }
            Err(error) => RunReport {
                steps: Vec::new(),
                outcome: Outcome::Lost { reason: format!("the run cannot be watched: {error}") },
                usage: Usage::default(),
                handed_up: Vec::new(),
                failure: None,
                nothing_left: self.confinement.has_pid_namespace(),
            },
        }
    }

    /// Whether nothing of the run can write any more.
    fn is_over(&self, watch: &Watch) -> bool {
        let nothing_started = watch.setup.is_some();
        let swept = watch.records.last().is_some_and(|_| watch.records.iter().all(|record| record.swept_clean));
        self.confinement.has_pid_namespace() || nothing_started || swept
    }

    /// What init says of a run whose program did not get to say anything itself.
    pub(crate) fn what_went_wrong(&self) -> RunReport {
        let mut watch = Watch::default();
        while let Ok(Some(message)) = socket::receive(&self.control, Wait::NonBlocking) {
            watch.hear(message);
        }
        watch.report(&self.layout, &self.limits, self.streams.len(), None, self.started.elapsed(), self.confinement)
    }

    async fn watch(&self, sink: Option<&dyn OutputSink>, cancel: impl Future<Output = ()>) -> std::io::Result<Watch> {
        let control = watch::readable(&self.control)?;
        let pidfd = watch::readable(&self.pidfd)?;
        let mut streams = Vec::new();
        for (step, pipes) in self.streams.iter().enumerate() {
            for (stream, fd) in [(Stream::Stdout, &pipes.stdout), (Stream::Stderr, &pipes.stderr)] {
                let retained = self.limits.output_retained;
                streams.push(Reader {
                    step,
                    stream,
                    fd: watch::readable(fd)?,
                    capture: Capture::new(retained),
                    ended: false,
                });
            }
        }
        let mut watch = Watch::default();
        let mut cancel = pin!(cancel);
        let mut backstop = pin!(tokio::time::sleep(self.limits.wall_time.saturating_add(BACKSTOP)));
        let mut last_call = pin!(tokio::time::sleep(Duration::from_secs(86400 * 365)));
        let mut control_open = true;
        let mut asked = false;

        // Until init is gone, and with it everything in its namespace.
        poll_fn(|context| {
            while control_open {
                match poll_message(&control, context) {
                    Poll::Ready(Ok(Some(message))) => watch.hear(message),
                    Poll::Ready(_) => control_open = false,
                    Poll::Pending => break,
                }
            }
            let written = read_all(&mut streams, sink, context);
            if written > self.limits.output_hard {
                watch.flooded = true;
                watch.ended_by.get_or_insert(EndedBy::Output);
            }
            if watch.ended_by.is_none() && cancel.as_mut().poll(context).is_ready() {
                watch.ended_by = Some(EndedBy::Cancel);
            }
            if backstop.as_mut().poll(context).is_ready() {
                watch.ended_by.get_or_insert(EndedBy::Backstop);
            }
            if watch.ended_by.is_some() && !asked {
                asked = true;
                // Init ends the tree and still reports; the kernel does it when init does not.
                if socket::send(&self.control, &[protocol::KILL], &[]).is_err() {
                    self.kill();
                }
                let patience = match self.confinement {
                    Confinement::Sandbox => ASKED,
                    Confinement::InPlace | Confinement::Unconfined => ASKED_UNCONFINED,
                };
                last_call.as_mut().reset(tokio::time::Instant::now() + patience);
            }
            if asked && last_call.as_mut().poll(context).is_ready() {
                self.kill();
            }
            pidfd.poll_read_ready(context).map(|_| ())
        })
        .await;

        // What init said last, and what is left in the pipes. Both end by themselves, because their other ends are gone;
        // the time limit is for a descriptor that has left the run.
        let rest = poll_fn(|context| {
            while control_open {
                match poll_message(&control, context) {
                    Poll::Ready(Ok(Some(message))) => watch.hear(message),
                    Poll::Ready(_) => control_open = false,
                    Poll::Pending => break,
                }
            }
            let written = read_all(&mut streams, sink, context);
            if written > self.limits.output_hard {
                watch.flooded = true;
                watch.ended_by.get_or_insert(EndedBy::Output);
                return Poll::Ready(());
            }
            if streams.iter().all(|reader| reader.ended) && !control_open { Poll::Ready(()) } else { Poll::Pending }
        });
        let drained = tokio::time::timeout(DRAIN, rest).await;
        if drained.is_err() {
            tracing::debug!("a stream of the run is still held open by somebody else and was closed");
        }
        watch.streams = streams
            .into_iter()
            .map(|reader| (reader.step, reader.stream, reader.capture.finish(reader.ended)))
            .collect();
        Ok(watch)
    }

    fn kill(&self) {
        match rustix::process::pidfd_send_signal(&self.pidfd, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => {}
            Err(error) => tracing::debug!(%error, "a run could not be ended"),
        }
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        if self.host != rustix::process::getpid() {
            // In a fork of the host these are copies, and the run is not ours to end.
            return;
        }
        // The death of init is the death of everything in its PID namespace, and the kernel needs nobody to wait for it.
        // Without a namespace init has to end the tree itself, and does when it sees our end of the control socket close.
        if self.confinement.has_pid_namespace() {
            self.kill();
        }
        if let Some(owner) = &mut self.owner
            && let Some(launcher) = owner.launcher.take()
        {
            if let Some(directory) = self.own_directory.take() {
                owner.sandbox.remove_when_over(Arc::clone(&self.pidfd), directory);
            }
            if self.confinement.has_pid_namespace() {
                // It is free for the next run once init is gone.
                owner.sandbox.put_back(launcher);
            }
            // Otherwise nobody is going to learn whether anything is left, so no other run gets this launcher. Its init goes on
            // by itself until the tree is gone.
        }
    }
}

struct Reader {
    step: usize,
    stream: Stream,
    fd: Watched,
    capture: Capture,
    ended: bool,
}

/// Reads what is there from every stream. How much all streams have written so far.
fn read_all(streams: &mut [Reader], sink: Option<&dyn OutputSink>, context: &mut Context<'_>) -> u64 {
    let mut buffer = [0u8; 32 << 10];
    for reader in streams.iter_mut().filter(|reader| !reader.ended) {
        // A bounded number of pieces, so that a flood on one stream does not starve the others.
        for piece in 0.. {
            if piece == 16 {
                context.waker().wake_by_ref();
                break;
            }
            let Poll::Ready(ready) = reader.fd.poll_read_ready(context) else { break };
            let Ok(mut ready) = ready else {
                reader.ended = true;
                break;
            };
            match rustix::io::read(ready.get_inner(), &mut buffer) {
                Ok(0) => {
                    reader.ended = true;
                    break;
                }
                Ok(count) => {
                    reader.capture.push(&buffer[..count]);
                    if let Some(sink) = sink {
                        sink.write(reader.step, reader.stream, &buffer[..count]);
                    }
                }
                Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => {
                    reader.ended = true;
                    break;
                }
            }
        }
    }
    streams.iter().map(|reader| reader.capture.total()).sum()
}

fn poll_message(control: &Watched, context: &mut Context<'_>) -> Poll<std::io::Result<Option<Message>>> {
    loop {
        let mut ready = match control.poll_read_ready(context) {
            Poll::Ready(ready) => ready?,
            Poll::Pending => return Poll::Pending,
        };
        match socket::receive(control.get_ref(), Wait::NonBlocking) {
            Err(rustix::io::Errno::AGAIN) => ready.clear_ready(),
            Err(error) => return Poll::Ready(Err(error.into())),
            Ok(message) => return Poll::Ready(Ok(message)),
        }
    }
}

/// Why the host ended a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndedBy {
    Cancel,
    Output,
    Backstop,
}

impl EndedBy {
    /// The outcome of what the host ended and nobody else said anything of.
    fn outcome(self) -> Outcome {
        match self {
            EndedBy::Cancel => Outcome::Cancelled,
            EndedBy::Output => Outcome::LimitExceeded { limit: LimitKind::Output },
            EndedBy::Backstop => Outcome::TimedOut { clock: Clock::Wall },
        }
    }
}

/// Everything that was seen of a run.
#[derive(Default)]
struct Watch {
    records: Vec<StepRecord>,
    streams: Vec<(usize, Stream, Captured)>,
    handed_up: Vec<OwnedFd>,
    ended_by: Option<EndedBy>,
    /// Whether the streams brought more than the hard cap. The host counted that itself, and needs nobody's word for it.
    flooded: bool,
    /// Stage, index and errno of what kept the root from being built.
    setup: Option<(u32, u32, i32)>,
}

impl Watch {
    fn hear(&mut self, message: Message) {
        let words = message.words;
        let long = |at: usize| u64::from(words[at]) | u64::from(words[at + 1]) << 32;
        match words[0] {
            protocol::PREPARED => self.handed_up = message.fds,
            protocol::SETUP_FAILED => self.setup = Some((words[1], words[2], words[3] as i32)),
            protocol::EXEC_FAILED => self.record(words[1]).exec_failed = Some((words[2], words[3] as i32)),
            protocol::LEADER => self.record(words[1]).leader = Some((words[2] as i32, words[3] as i32)),
            protocol::SWEPT => {
                let record = self.record(words[1]);
                record.cause = Some(words[2]);
                record.swept_clean = words[13] != 0;
                record.usage = verdict::Raw {
                    wall: Duration::from_nanos(long(3)),
                    user: Duration::from_micros(long(5)),
                    system: Duration::from_micros(long(7)),
                    max_rss: u64::from(words[9]) << 10,
                    peak_processes: words[10],
                    peak_bytes: long(11),
                };
            }
            _ => tracing::debug!(kind = words[0], "a message of an unknown kind from init"),
        }
    }

    fn record(&mut self, step: u32) -> &mut StepRecord {
        let step = (step as usize).min(MAX_STEPS);
        if self.records.len() <= step {
            self.records.resize_with(step + 1, StepRecord::default);
        }
        &mut self.records[step]
    }

    fn report(
        mut self,
        layout: &Layout,
        limits: &Limits,
        steps: usize,
        counters: Option<(Counters, Counters)>,
        elapsed: Duration,
        confinement: Confinement,
    ) -> RunReport {
        let failure = self.setup.map(|(stage, index, errno)| setup_failure(layout, stage, index, errno));
        // After a step that succeeded the next one starts. When init says nothing of it, init was ended before it could, and
        // the success of the step before is not that of the run.
        let succeeded = self.records.last().is_none_or(|last| last.outcome(limits, None, counters).is_success());
        if failure.is_none() && succeeded && self.records.len() < steps {
            self.records.push(StepRecord::default());
        }
        let mut reports = Vec::new();
        for (index, record) in self.records.iter().enumerate() {
            let mut stream = |wanted: Stream| {
                let position = self.streams.iter().position(|(step, stream, _)| (*step, *stream) == (index, wanted));
                position.map(|position| self.streams.swap_remove(position).2).unwrap_or_default()
            };
            reports.push(StepReport {
                outcome: match self.flooded && index + 1 == self.records.len() && record.exec_failed.is_none() {
                    true => EndedBy::Output.outcome(),
                    false => record.outcome(limits, self.ended_by, counters),
                },
                stdout: stream(Stream::Stdout),
                stderr: stream(Stream::Stderr),
                usage: record.usage(counters),
            });
        }
        let nothing_left = confinement.has_pid_namespace() || self.records.iter().all(|record| record.swept_clean);
        let outcome = match (&failure, reports.last()) {
            (Some(error), _) => Outcome::FailedToStart { reason: error.to_string() },
            (None, Some(last)) => last.outcome.clone(),
            (None, None) => match self.ended_by {
                Some(ended_by) => ended_by.outcome(),
                None => Outcome::Lost { reason: "the run's init ended without a report".into() },
            },
        };
        let mut usage = reports.last().map(|last| last.usage).unwrap_or_default();
        usage.wall = elapsed;
        RunReport { steps: reports, outcome, usage, handed_up: self.handed_up, failure, nothing_left }
    }
}

/// No request has more steps than one message has descriptors for.
const MAX_STEPS: usize = protocol::MAX_FDS;

fn setup_failure(layout: &Layout, stage: u32, index: u32, errno: i32) -> LaunchError {
    let source = std::io::Error::from_raw_os_error(errno);
    match stage {
        // A place that cannot be found is a fault of the place and says nothing about overlays.
        protocol::STAGE_ROOT
            if layout.is_overlay(index)
                && !matches!(errno, libc::ELOOP | libc::ENOENT | libc::ENOTDIR | libc::EXDEV) =>
        {
            LaunchError::Overlay { source }
        }
        protocol::STAGE_ROOT if layout.name_of(index) == Some(Path::new("/proc")) => {
            LaunchError::PrivateProc { source }
        }
        protocol::STAGE_ROOT | protocol::STAGE_SOURCE | protocol::STAGE_SOURCE_CHANGED => LaunchError::Root {
            path: layout.name_of(index).map(ToOwned::to_owned).unwrap_or_default(),
            stage: stage_name(stage),
            source,
        },
        _ => LaunchError::Launcher { stage: stage_name(stage), source },
    }
}

impl AsFd for Run {
    /// A pidfd of the run's init: readable once the whole run is gone.
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.pidfd.as_fd()
    }
}
