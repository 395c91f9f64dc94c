//! Live access to a workspace, through the manager.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use cap_std::ambient_authority;
use execres::code::{CodeExecution, CodeJob, KIND, SharedRunner};
use execres::core::{AxisSet, CapabilityRequirements, Kind, Outcome, Requirement, ResourceKey, Scope, WorkspaceAccess};
use execres::workspace::{AccessMode, AccessRequest, CallId, TaskWorkspace, WorkspaceMode};
use host::{Host, assert_prints, request, shown};

async fn run(host: &Host, place: &Path, mode: AccessMode, source: &str) -> CodeExecution {
    let owners = Arc::clone(host.execres.owners());
    let workspace = TaskWorkspace::open_ambient(place, WorkspaceMode::ReadWrite, owners, ambient_authority()).unwrap();
    let grant = Arc::new(workspace.issue(CallId::random(), AccessRequest::live(mode)).unwrap());
    let bundle = Arc::new(request("bash", source).bundle().unwrap());
    let manifest = Arc::new(grant.materialize(bundle.files()).unwrap());
    let access = match mode {
        AccessMode::ReadWrite => WorkspaceAccess::ReadWrite,
        _ => WorkspaceAccess::ReadOnly,
    };
    let required = CapabilityRequirements::new().with_isolation(AxisSet::ALL).with_workspace_access(access);
    let requirement = Requirement::builder(Kind::from_static(KIND))
        .scope(Scope::Request)
        .resource_key(ResourceKey::from_static("runner"))
        .required(required)
        .build()
        .unwrap();
    let handle = host.execres.manager().ensure(requirement).await.unwrap();
    let runner = handle.resource::<SharedRunner>().unwrap();
    let result = runner.run(CodeJob::new(bundle, manifest, Arc::clone(&grant))).await;
    host.execres.manager().release(&handle).await.unwrap();
    grant.close().unwrap();
    result
}

/// A workspace that a guest of any identity can write, as far as modes go.
fn workspace(name: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let place = dir.path().join(OsStr::from_bytes(name));
    fs::create_dir(&place).unwrap();
    fs::write(place.join("file"), "given\n").unwrap();
    for (path, mode) in [(place.clone(), 0o777), (place.join("file"), 0o666)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    (dir, place)
}

#[tokio::test]
async fn a_workspace_may_have_any_name_and_is_seen_as_it_is() {
    let host = Host::new();
    for name in [b"a:b".as_slice(), b"a,b", b"a\\b", b"two words", "ü".as_bytes(), b"new\nline", b"\xff"] {
        let (_dir, place) = workspace(name);
        let source = "cd /work/workspace && cat file; (echo x > file) 2>/dev/null && echo wrote; ls";
        assert_prints(&run(&host, &place, AccessMode::ReadOnly, source).await, "given\nfile\n");
        assert_eq!(fs::read(place.join("file")).unwrap(), b"given\n");
        let source = "cd /work/workspace && cat file; echo x > file; echo new > new; ls";
        assert_prints(&run(&host, &place, AccessMode::ReadWrite, source).await, "given\nfile\nnew\n");
        assert_eq!(fs::read(place.join("file")).unwrap(), b"x\n");
        assert_eq!(fs::read(place.join("new")).unwrap(), b"new\n");
    }
}

#[tokio::test]
async fn the_private_directory_of_a_workspace_is_hidden_from_programs() {
    let host = Host::new();
    for mode in [AccessMode::ReadOnly, AccessMode::ReadWrite] {
        let (_dir, place) = workspace(b"w");
        // What is found there, what can be made there, and whether the directory can be taken away.
        let source = "\
cd /work/workspace
find .execres -mindepth 1 2>/dev/null; ls .execres/areas 2>/dev/null
(mkdir -p .execres/areas; echo planted > .execres/planted) 2>/dev/null
mv .execres moved 2>/dev/null && echo moved; rmdir .execres 2>/dev/null && echo removed; rm -rf .execres 2>/dev/null
true";
        let result = run(&host, &place, mode, source).await;
        assert_prints(&result, "");
        assert!(place.join(".execres/areas").is_dir(), "the host's own is where it was: {}", shown(&result));
        assert_eq!(host::entries(&place.join(".execres")), ["areas"]);
    }
    // The control: a directory of any other name can be taken away.
    let (_dir, place) = workspace(b"w");
    fs::create_dir(place.join("other")).unwrap();
    let result = run(&host, &place, AccessMode::ReadWrite, "cd /work/workspace; mv other moved && echo moved").await;
    assert_prints(&result, "moved\n");
}

#[tokio::test]
async fn a_workspace_that_others_cannot_enter_is_shown_to_the_program() {
    let host = Host::new();
    let (dir, place) = workspace(b"w");
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let result = run(&host, &place, AccessMode::ReadOnly, "cat /work/workspace/file").await;
    assert_prints(&result, "given\n");
}

#[tokio::test]
async fn a_link_in_a_workspace_leads_nowhere_outside() {
    let host = Host::new();
    let (dir, place) = workspace(b"w");
    let secret = dir.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o666)).unwrap();
    std::os::unix::fs::symlink(&secret, place.join("link")).unwrap();
    assert_eq!(fs::read_to_string(place.join("link")).unwrap(), "secret", "the control: on the host it leads there");
    let result =
        run(&host, &place, AccessMode::ReadWrite, "cd /work/workspace; cat link; echo x >> link; exit 0").await;
    assert_eq!(result.outcome, Outcome::Exited { code: 0 });
    assert!(!result.stdout.text().contains("secret"), "{}", shown(&result));
    assert_eq!(fs::read_to_string(&secret).unwrap(), "secret");
}
