//! How tools of a machine are found and asked.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test that could not run says so")]

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use execres_code::{ToolId, ToolchainRequirement, Version, VersionNeed};
use execres_isolation::Sandbox;
use execres_provider_local::{ToolError, Toolbox};

/// Set in the process that runs a test with another search path.
const WITHIN: &str = "EXECRES_TEST_TOOLBOX";

fn need(tool: ToolId, version: VersionNeed) -> ToolchainRequirement {
    ToolchainRequirement::new(tool, version)
}

fn toolbox(state: Option<&Path>) -> Toolbox {
    Toolbox::new(Sandbox::new(None), state)
}

/// The interpreter behind the links and shims of this machine.
fn real_python() -> PathBuf {
    // A test that makes a shim needs to know what it leads to.
    #[allow(clippy::disallowed_methods, reason = "the control is an ordinary process")]
    let output = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    PathBuf::from(String::from_utf8(output.stdout).unwrap().trim()).canonicalize().unwrap()
}

/// Runs a test again with this search path.
fn again_with_path(test: &str, path: &Path) {
    #[allow(clippy::disallowed_methods, reason = "a host with another environment is another process")]
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env("PATH", path)
        .env(WITHIN, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

fn executable(path: &Path, content: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, content).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

fn on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn a_shim_is_asked_for_what_it_leads_to() {
    const TEST: &str = "a_shim_is_asked_for_what_it_leads_to";
    if std::env::var_os(WITHIN).is_some() {
        let tool = on(toolbox(None).get(&need(ToolId::PYTHON, VersionNeed::AtLeast(Version::of([3]))))).unwrap();
        assert!(!tool.path.ends_with("shims/python3"), "{tool:?}");
        assert!(tool.version.is_some());
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let shims = dir.path().join("shims");
    executable(&shims.join("python3"), &format!("#!/bin/sh\nexec {} \"$@\"\n", real_python().display()));
    again_with_path(TEST, &shims);
}

#[test]
fn a_shim_that_lies_or_dies_is_not_believed() {
    const TEST: &str = "a_shim_that_lies_or_dies_is_not_believed";
    if std::env::var_os(WITHIN).is_some() {
        let error = on(toolbox(None).get(&need(ToolId::PYTHON, VersionNeed::Any))).unwrap_err();
        assert!(matches!(error, ToolError::Missing { .. }), "{error}");
        return;
    }
    for says in ["echo /etc/passwd", "echo /nowhere", "echo; exit 1", "kill -9 $$", "echo $0"] {
        let dir = tempfile::tempdir().unwrap();
        executable(&dir.path().join("python3"), &format!("#!/bin/sh\n{says}\n"));
        again_with_path(TEST, dir.path());
    }
}

#[tokio::test]
async fn a_named_tool_is_used_instead_of_a_search() {
    let dir = tempfile::tempdir().unwrap();
    let link = dir.path().join("my-python");
    symlink(real_python(), &link).unwrap();
    let toolbox = toolbox(None).with_tool("python", &link);
    let tool = toolbox.get(&need(ToolId::PYTHON, VersionNeed::Any)).await.unwrap();
    assert_eq!(tool.path.canonicalize().unwrap(), real_python());
    // A name that leads nowhere is not made up for by a search: the host said what it wants.
    let toolbox = self::toolbox(None).with_tool("python", dir.path().join("nowhere"));
    let error = toolbox.get(&need(ToolId::PYTHON, VersionNeed::Any)).await.unwrap_err();
    assert!(error.to_string().contains("nowhere"), "{error}");
    // A shim may be named too.
    let shim = dir.path().join("shim");
    executable(&shim, &format!("#!/bin/sh\nexec {} \"$@\"\n", real_python().display()));
    let toolbox = self::toolbox(None).with_tool("python", &shim);
    let tool = toolbox.get(&need(ToolId::PYTHON, VersionNeed::Any)).await.unwrap();
    assert_eq!(tool.path.canonicalize().unwrap(), real_python());
}

#[tokio::test]
async fn a_version_that_does_not_do_is_named_with_the_tool() {
    let wanted = need(ToolId::PYTHON, VersionNeed::AtLeast(Version::of([99])));
    let error = toolbox(None).get(&wanted).await.unwrap_err();
    let ToolError::Version { need, found, .. } = &error else { panic!("{error}") };
    assert!(need.contains("python") && need.contains("99") && found.starts_with("3."), "{error}");
}

#[tokio::test]
async fn a_tool_that_does_not_say_its_version_is_named() {
    let Some(mute) = ["/usr/bin/true", "/bin/true"].map(Path::new).into_iter().find(|path| path.is_file()) else {
        eprintln!("EXECRES-SKIP: a_tool_that_does_not_say_its_version_is_named: optional: there is no `true` here");
        return;
    };
    let dir = tempfile::tempdir().unwrap();
    // A binary of the same content under another name says nothing that looks like a version, or that of its package.
    let copy = dir.path().join("sleep");
    fs::copy(mute.with_file_name("sleep"), &copy).unwrap();
    let toolbox = toolbox(None).with_tool("bash", &copy);
    let answer = toolbox.get(&need(ToolId::BASH, VersionNeed::AtLeast(Version::of([99])))).await;
    assert!(matches!(answer, Err(ToolError::Version { .. } | ToolError::Silent { .. })), "{answer:?}");
}

#[tokio::test]
async fn versions_are_remembered_in_a_file_of_the_hosts_own() {
    let state = tempfile::tempdir().unwrap();
    let wanted = need(ToolId::PYTHON, VersionNeed::AtLeast(Version::of([3])));
    let tool = toolbox(Some(state.path())).get(&wanted).await.unwrap();
    let file = state.path().join("toolchain-versions.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::read_dir(state.path()).unwrap().count(), 1, "nothing partial is left");
    // What is remembered is believed while the binary is the same, also by another host.
    let text = fs::read_to_string(&file).unwrap();
    let version = tool.version.unwrap().to_string();
    fs::write(&file, text.replace(&format!("\"{version}\""), "\"3.98.7\"")).unwrap();
    let remembered = toolbox(Some(state.path())).get(&wanted).await.unwrap();
    assert_eq!(remembered.version.unwrap().to_string(), "3.98.7");
    // And what makes no sense is asked for again.
    fs::write(&file, "not JSON").unwrap();
    assert_eq!(toolbox(Some(state.path())).get(&wanted).await.unwrap().version.unwrap().to_string(), version);
}

#[tokio::test]
async fn many_who_ask_at_once_get_one_answer() {
    let state = tempfile::tempdir().unwrap();
    let toolbox = Arc::new(toolbox(Some(state.path())));
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let toolbox = Arc::clone(&toolbox);
        asking.spawn(async move {
            toolbox.get(&need(ToolId::PYTHON, VersionNeed::AtLeast(Version::of([3])))).await.unwrap()
        });
    }
    let tools = asking.join_all().await;
    assert!(tools.windows(2).all(|pair| pair[0] == pair[1]));
    let left: Vec<_> = fs::read_dir(state.path()).unwrap().flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["toolchain-versions.json"]);
}
