//! Starting programs: the single place where xtask does so.

mod tree;

use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

/// A suite's command that takes longer than this is hung.
const DEADLINE: Duration = Duration::from_secs(30 * 60);
/// How long a stream may stay open after its process has ended.
const DRAIN: Duration = Duration::from_secs(5);
/// How often the end of a process is looked for when its streams are silent.
const POLL: Duration = Duration::from_millis(50);
/// How many lines may wait to be taken before the process that writes them has to wait.
const QUEUED_LINES: usize = 1024;

/// A program to start.
#[derive(Debug, Clone)]
pub(crate) struct Task {
    program: OsString,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    env: Vec<(OsString, OsString)>,
    base: Base,
}

/// Which environment a task starts from.
#[derive(Debug, Clone, Copy)]
enum Base {
    Inherited,
    Empty,
}

/// How a task ended, and what it wrote.
#[derive(Debug)]
pub(crate) struct Finished {
    pub(crate) end: End,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// Something outlived the task and still holds its output open.
    pub(crate) lingering: bool,
}

/// How a task ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// With this exit code.
    Code(i32),
    /// By a signal.
    Signal,
    /// It did not end in time and was killed with everything below it.
    Hung,
}

/// A task that did not start, or whose end could not be read.
#[derive(Debug, thiserror::Error)]
#[error("could not run {program}: {source}")]
pub(crate) struct ProcessError {
    program: String,
    #[source]
    source: io::Error,
}

enum Line {
    Out(String),
    Err(String),
}

impl Finished {
    /// Whether the task exited with 0 and left nothing behind.
    pub(crate) fn succeeded(&self) -> bool {
        self.end == End::Code(0) && !self.lingering
    }
}

impl Task {
    pub(crate) fn new(program: impl AsRef<OsStr>) -> Self {
        let program = program.as_ref().to_owned();
        Self { program, args: Vec::new(), dir: None, env: Vec::new(), base: Base::Inherited }
    }

    /// The cargo that runs this xtask.
    pub(crate) fn cargo() -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    pub(crate) fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub(crate) fn dir(mut self, dir: impl AsRef<Path>) -> Self {
        self.dir = Some(dir.as_ref().to_owned());
        self
    }

    pub(crate) fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// Starts from an empty environment instead of this process's.
    pub(crate) fn empty_env(mut self) -> Self {
        self.base = Base::Empty;
        self
    }

    /// The command as a person would type it.
    pub(crate) fn shown(&self) -> String {
        let mut words = vec![Path::new(&self.program).file_name().unwrap_or(&self.program).to_string_lossy()];
        words.extend(self.args.iter().map(|arg| arg.to_string_lossy()));
        words.join(" ")
    }

    /// Runs the task on this terminal and waits for it.
    pub(crate) fn attached(&self) -> Result<End, ProcessError> {
        let status = self.command().status().map_err(|source| self.error(source))?;
        Ok(status.code().map_or(End::Signal, End::Code))
    }

    /// Runs the task with an empty stdin and captures what it writes.
    pub(crate) fn capture(&self) -> Result<Finished, ProcessError> {
        self.capture_within(DEADLINE)
    }

    /// [`Task::capture`] with a deadline of the caller's.
    pub(crate) fn capture_within(&self, deadline: Duration) -> Result<Finished, ProcessError> {
        let started = Instant::now();
        let mut command = self.command();
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().map_err(|source| self.error(source))?;
        let lines = read_lines(&mut child);
        let mut finished = Finished { end: End::Hung, stdout: String::new(), stderr: String::new(), lingering: true };
        let end = loop {
            finished.take(&lines, POLL);
            if let Some(status) = child.try_wait().map_err(|source| self.error(source))? {
                break status.code().map_or(End::Signal, End::Code);
            }
            if started.elapsed() > deadline {
                tree::kill(child.id());
                child.wait().map_err(|source| self.error(source))?;
                break End::Hung;
            }
        };
        finished.end = end;
        // The pipes may have been inherited by something that outlives the task: the drain is bounded.
        let drain = Instant::now();
        while drain.elapsed() < DRAIN && finished.lingering {
            finished.lingering = finished.take(&lines, POLL);
        }
        Ok(finished)
    }

    #[allow(
        clippy::disallowed_methods,
        reason = "xtask runs the tools of a developer, not guests; this is its only place"
    )]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        if let Base::Empty = self.base {
            command.env_clear();
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    fn error(&self, source: io::Error) -> ProcessError {
        ProcessError { program: self.program.to_string_lossy().into_owned(), source }
    }
}

impl Finished {
    /// Takes the lines that arrive within `patience`; false when both streams have ended.
    fn take(&mut self, lines: &Receiver<Line>, patience: Duration) -> bool {
        let until = Instant::now() + patience;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match lines.recv_timeout(left) {
                Ok(Line::Out(line)) => self.stdout.push_str(&line),
                Ok(Line::Err(line)) => self.stderr.push_str(&line),
                Err(RecvTimeoutError::Timeout) => return true,
                Err(RecvTimeoutError::Disconnected) => {
                    // The streams may end before the process does; whoever polls it does not spin.
                    thread::sleep(left);
                    return false;
                }
            }
            if left.is_zero() {
                return true;
            }
        }
    }
}

fn read_lines(child: &mut Child) -> Receiver<Line> {
    let (sender, receiver) = mpsc::sync_channel(QUEUED_LINES);
    if let Some(stream) = child.stdout.take() {
        forward(stream, sender.clone(), Line::Out);
    }
    if let Some(stream) = child.stderr.take() {
        forward(stream, sender, Line::Err);
    }
    receiver
}

fn forward(stream: impl Read + Send + 'static, sender: SyncSender<Line>, wrap: fn(String) -> Line) {
    thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
            if sender.send(wrap(String::from_utf8_lossy(&bytes).into_owned())).is_err() {
                return;
            }
            bytes.clear();
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_both_streams_and_the_code() {
        let finished = Task::new("sh").args(["-c", "echo out; echo err >&2; exit 3"]).capture().unwrap();
        assert_eq!(
            (finished.end, finished.stdout.as_str(), finished.stderr.as_str()),
            (End::Code(3), "out\n", "err\n")
        );
    }

    #[test]
    fn a_hung_task_is_killed_with_its_children() {
        let started = Instant::now();
        let task = Task::new("sh").args(["-c", "sleep 321 & echo $!; wait"]);
        let finished = task.capture_within(Duration::from_millis(300)).unwrap();
        assert_eq!(finished.end, End::Hung);
        // A generous bound that tells "returned" from "hung".
        assert!(started.elapsed() < Duration::from_secs(60));
        let child = finished.stdout.trim();
        let state = std::fs::read_to_string(format!("/proc/{child}/stat")).unwrap_or_default();
        assert!(state.is_empty() || state.contains(") Z "), "the child is still there: {state}");
    }

    #[test]
    fn a_task_that_never_stops_writing_is_killed() {
        let task = Task::new("sh").args(["-c", "while :; do echo again; done"]);
        assert_eq!(task.capture_within(Duration::from_millis(200)).unwrap().end, End::Hung);
    }

    #[test]
    fn what_outlives_a_task_is_seen() {
        let finished = Task::new("sh").args(["-c", "sleep 7 & echo started"]).capture().unwrap();
        assert!(finished.lingering && !finished.succeeded());
        assert!(!Task::new("sh").args(["-c", "echo started"]).capture().unwrap().lingering);
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Task::new("no-such-program-here").capture().unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
    }
}
