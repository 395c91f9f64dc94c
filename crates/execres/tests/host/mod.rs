//! The host that a test plays: Execres with a state directory of its own, and processes that are hosts too.

#![allow(dead_code, unreachable_pub, reason = "each test file uses its part")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test that could not run says so")]

use std::ffi::OsStr;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use execres::code::{CodeExecution, CodeRequest, Language, WorkingDirectory};
use execres::core::Outcome;
use execres::workspace::{InputFile, OutputPath, RelativePath};
use execres::{Builder, CodeCall, Execres, RunError};
use tempfile::TempDir;

/// Execres with a state directory of its own.
pub struct Host {
    pub execres: Execres,
    state: TempDir,
}

impl Host {
    pub fn new() -> Self {
        Host::with(|builder| builder)
    }

    /// A host that says more.
    pub fn with(more: impl FnOnce(Builder) -> Builder) -> Self {
        let state = tempfile::tempdir().unwrap();
        let execres = more(Execres::builder().state_dir(state.path().join("state"))).build().unwrap();
        Host { execres, state }
    }

    /// A host that accepts the danger.
    pub fn trusting() -> Self {
        Host::with(Builder::authorise_trusted_local_dangerously)
    }

    pub fn state_dir(&self) -> PathBuf {
        self.state.path().join("state")
    }

    pub async fn run(&self, call: CodeCall) -> CodeExecution {
        self.execres.run(call).await.unwrap()
    }

    pub async fn refusal(&self, call: CodeCall) -> RunError {
        match self.execres.run(call).await {
            Ok(result) => panic!("it ran: {}", shown(&result)),
            Err(error) => error,
        }
    }
}

pub fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

pub fn output(text: &str) -> OutputPath {
    OutputPath::parse(text).unwrap()
}

pub fn request(language: &str, source: &str) -> CodeRequest {
    CodeRequest::new(Language::parse(language).unwrap()).source(source)
}

/// A program of several files.
pub fn program(language: &str, files: &[(&str, &str)]) -> CodeRequest {
    let request = CodeRequest::new(Language::parse(language).unwrap());
    files.iter().fold(request, |request, (name, content)| request.file(path(name), *content))
}

pub fn call(language: &str, source: &str) -> CodeCall {
    CodeCall::new(request(language, source))
}

/// A call whose program can write into its working directory.
pub fn scratch(request: CodeRequest) -> CodeCall {
    let mut call = CodeCall::new(request);
    call.working_directory = WorkingDirectory::Scratch;
    call
}

pub fn input(name: &str, file: &Path) -> InputFile {
    InputFile { name: path(name), file: fs::File::open(file).unwrap() }
}

/// A result as a person reads it.
pub fn shown(result: &CodeExecution) -> String {
    let mut value = serde_json::to_value(result).unwrap();
    value["isolation"] = format!("{}", result.isolation.axes()).into();
    serde_json::to_string_pretty(&value).unwrap()
}

/// The program exited with 0, and printed this.
#[track_caller]
pub fn assert_prints(result: &CodeExecution, wanted: &str) {
    assert_eq!(result.outcome, Outcome::Exited { code: 0 }, "{}", shown(result));
    assert_eq!(result.stdout.text(), wanted, "{}", shown(result));
    assert!(result.is_success(), "{}", shown(result));
}

pub fn codes(result: &CodeExecution) -> Vec<&str> {
    result.diagnostics.iter().map(|diagnostic| diagnostic.code.as_ref()).collect()
}

pub fn contains<T: Debug>(text: &str, part: &str, all: T) {
    assert!(text.contains(part), "{part:?} is not in {text:?}: {all:?}");
}

pub fn skip(test: &str, reason: &str) {
    eprintln!("EXECRES-SKIP: {test}: {reason}");
}

pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Waits for something that happens in other processes or threads. It is asked often; the bound only tells a fault from a
/// hang.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(20);
    while !holds() {
        assert!(Instant::now() < end, "not within 20 seconds: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Whether a process has this text on its command line.
pub fn running(marker: &str) -> bool {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

/// A text that no other process has on its command line.
pub fn marker() -> String {
    format!("31{}", uuid_digits())
}

fn uuid_digits() -> String {
    let nanos = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_nanos();
    format!("{}{}", std::process::id(), nanos % 1_000_000_000)
}

/// What lies in a directory.
pub fn entries(directory: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(directory)
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

/// Set in a process that plays a host for a test of another process.
const WITHIN: &str = "EXECRES_TEST_WITHIN";

/// Whether this process plays a host for a test of another process.
pub fn is_within() -> bool {
    std::env::var_os(WITHIN).is_some()
}

/// The command that runs this one test once more, in a process of its own, where [`is_within`] holds.
pub fn again(test: &str) -> Command {
    // A host with another environment, or one that is killed, has to be another process.
    #[allow(clippy::disallowed_methods, reason = "a host that is another process")]
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(WITHIN, "1");
    command
}

/// The same through another program, as in `sh -c 'exec "$@"' sh`.
pub fn again_through(words: &[&str], test: &str) -> Command {
    #[allow(clippy::disallowed_methods, reason = "a host that is another process")]
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(WITHIN, "1");
    command
}

/// Runs it to its end, which has to be a success.
#[track_caller]
pub fn assert_passes(mut command: Command) -> Output {
    let output = command.output().unwrap();
    let text = format!("{}\n{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}\n{text}");
    assert!(text.contains("1 passed"), "nothing was run: {command:?}\n{text}");
    // What the inner process skipped, the outer one has to say.
    for line in text.lines().filter(|line| line.contains("EXECRES-SKIP")) {
        eprintln!("{line}");
    }
    output
}

/// Runs this test again with `TMPDIR` in a directory of its own, and answers with that directory's content afterwards.
/// `None` in the process that is run: the body of the test belongs there.
pub fn with_own_temporary_directory(test: &str) -> Option<Vec<String>> {
    if is_within() {
        return None;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = again(test);
    let tmp = dir.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    command.env("TMPDIR", &tmp).env("EXECRES_STATE_DIR", dir.path().join("state"));
    assert_passes(command);
    Some(entries(&tmp))
}

/// Whether this kernel has what a user-namespace test emulates.
pub fn has_program(name: &str) -> bool {
    std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()).any(|place| place.join(name).is_file())
}

/// The value of a variable that the outer process set.
pub fn told(name: &str) -> PathBuf {
    std::env::var_os(name).map(PathBuf::from).unwrap_or_else(|| panic!("{name} is not set"))
}

pub fn os(text: &str) -> &OsStr {
    OsStr::new(text)
}
