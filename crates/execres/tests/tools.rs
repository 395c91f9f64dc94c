//! Tools through the facade: named ones, missing ones, and those of another version.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use execres::core::ErrorCode;
use execres::{CodeCall, Isolation};
use host::{Host, assert_prints, call, contains, request};

/// Copies this machine's `sh`, a binary that is another interpreter and knows no version of its own, under the name of Python.
fn impostor(dir: &Path) -> std::path::PathBuf {
    let path = dir.join("python3");
    fs::copy("/bin/sh", &path).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

#[tokio::test]
async fn a_tool_outside_the_systems_roots_is_granted_with_nothing_beside_it() {
    // Not below /tmp, where the guest has a directory of its own.
    let Ok(dir) = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")) else {
        let test = "a_tool_outside_the_systems_roots_is_granted_with_nothing_beside_it";
        return host::skip(test, "optional: the directory of this build belongs to somebody else");
    };
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let bash = dir.path().join("bin/bash");
    fs::create_dir(dir.path().join("bin")).unwrap();
    fs::copy("/bin/bash", &bash).unwrap();
    fs::set_permissions(&bash, fs::Permissions::from_mode(0o755)).unwrap();
    fs::write(dir.path().join("bin/secret"), "secret").unwrap();
    fs::write(dir.path().join("secret"), "secret").unwrap();
    let host = Host::with(|builder| builder.tool("bash", &bash));
    let source = format!("echo $BASH; cat {0}/secret {0}/bin/secret 2>/dev/null; ls {0}/bin", dir.path().display());
    let result = host.run(call("bash", &source)).await;
    let real = bash.canonicalize().unwrap();
    assert!(result.is_success(), "{}", host::shown(&result));
    assert_eq!(result.stdout.text(), format!("{}\nbash\n", real.display()));
}

#[tokio::test]
async fn a_version_that_does_not_do_is_refused_before_anything_starts() {
    let dir = tempfile::tempdir().unwrap();
    let path = impostor(dir.path());
    for isolation in [Isolation::Required, Isolation::PreferredDangerously, Isolation::NoneDangerously] {
        let host = Host::with(|builder| builder.tool("python", &path));
        let mut call = CodeCall::new(request("python", "print(1)"));
        call.isolation = isolation;
        let error = host.refusal(call).await;
        assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string(), "{error}");
        contains(&error.to_string(), "python", &error);
        contains(&error.to_string(), "3.10", &error);
    }
    // The control.
    assert_prints(&Host::new().run(call("python", "print(1)")).await, "1\n");
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_refused_and_others_work() {
    let host = Host::with(|builder| builder.tool("node", "/nowhere/node"));
    let error = host.refusal(call("nodejs", "")).await;
    assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string(), "{error}");
    contains(&error.to_string(), "node", &error);
    assert_prints(&host.run(call("bash", "echo 42")).await, "42\n");
}

#[tokio::test]
async fn the_versions_of_tools_are_remembered_privately() {
    let host = Host::new();
    assert_prints(&host.run(call("python", "print(1)")).await, "1\n");
    let file = host.state_dir().join("toolchain-versions.json");
    assert_eq!(fs::metadata(file).unwrap().permissions().mode() & 0o777, 0o600);
}
