//! A host that is killed leaves nothing that the next one does not remove.

// Clippy takes the helpers of an integration test for library code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, clippy::print_stdout)]

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use cap_std::ambient_authority;
use execres_owner::{OwnerRegistry, StateDir, reap};
use execres_workspace::{
    AccessRequest, AreaReaper, CallId, FileEntry, FileRole, FileSet, RelativePath, Role, TaskWorkspace, WorkspaceMode,
};

/// Set for the process that plays the host: where it works.
const HOST: &str = "EXECRES_TEST_KILLED_HOST";

/// Not a test of its own: the host that the test below starts and kills. It holds a grant until its input ends.
#[test]
fn host() {
    let Some(dir) = std::env::var_os(HOST).map(PathBuf::from) else { return };
    let registry = OwnerRegistry::open(StateDir::open_at(&dir.join("state")).unwrap()).unwrap();
    let workspace =
        TaskWorkspace::open_ambient(&dir.join("work"), WorkspaceMode::ReadWrite, registry, ambient_authority())
            .unwrap();
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap();
    let main = FileEntry::new(RelativePath::parse("main.py").unwrap(), FileRole::Source, b"x".as_slice());
    grant.materialize(&FileSet::new(vec![main]).unwrap()).unwrap();
    println!("\nholds {}", grant.root(Role::Source).display());
    std::io::stdin().read_to_end(&mut Vec::new()).unwrap();
}

/// A host that holds a grant, until its input ends or it is killed.
struct Host {
    process: Child,
    /// Kept open: a host that cannot print its last words would fail.
    _output: BufReader<ChildStdout>,
    source: PathBuf,
}

/// Starts a host and waits until it holds its grant.
fn start(dir: &Path) -> Host {
    // A test that kills a host needs a host that is another process.
    #[allow(clippy::disallowed_methods)]
    let mut process = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "host", "--nocapture"])
        .env(HOST, dir)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(process.stdout.take().unwrap());
    let held = output.by_ref().lines().map_while(Result::ok).find_map(|line| Some(line.strip_prefix("holds ")?.into()));
    let source = held.expect("the host says what it holds before its output ends");
    Host { process, _output: output, source }
}

#[test]
fn a_killed_host_leaves_nothing_and_a_living_one_loses_nothing() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::create_dir(dir.path().join("work")).unwrap();
    let state = StateDir::open_at(&dir.path().join("state")).unwrap();
    let areas = || std::fs::read_dir(dir.path().join("work/.execres/areas")).unwrap().count();

    let mut killed = start(dir.path());
    let mut living = start(dir.path());
    assert!(reap(&state, &[&AreaReaper]).unwrap().removed.is_empty(), "both live");
    assert_eq!(areas(), 2);

    killed.process.kill().unwrap();
    killed.process.wait().unwrap();
    assert!(killed.source.join("main.py").exists(), "control: a killed host cleans nothing up");
    let report = reap(&state, &[&AreaReaper]).unwrap();
    assert_eq!(report.removed.len(), 1, "{report:?}");
    assert!(report.failed.is_empty(), "{report:?}");
    assert!(!killed.source.parent().unwrap().exists());
    assert!(living.source.join("main.py").exists());

    drop(living.process.stdin.take());
    assert!(living.process.wait().unwrap().success());
    assert_eq!(areas(), 0, "a host that ends by itself cleans up by itself");
    assert_eq!(std::fs::read_dir(dir.path().join("state/owners")).unwrap().count(), 0);
}
