use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use cap_std::ambient_authority;
use execres_owner::StateDir;

use super::*;
use crate::access::{Retention, Role};
use crate::fileset::{FileEntry, FileRole, FileSet};
use crate::path::RelativePath;

struct Fixture {
    dir: tempfile::TempDir,
    registry: Arc<OwnerRegistry>,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("workspace")).unwrap();
        let registry = OwnerRegistry::open(StateDir::open_at(&dir.path().join("state")).unwrap()).unwrap();
        Fixture { dir, registry }
    }

    fn workspace(&self, mode: WorkspaceMode) -> TaskWorkspace {
        let path = self.dir.path().join("workspace");
        TaskWorkspace::open_ambient(&path, mode, self.registry.clone(), ambient_authority()).unwrap()
    }

    fn areas(&self) -> usize {
        fs::read_dir(self.dir.path().join("workspace/.execres/areas")).map_or(0, Iterator::count)
    }
}

fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

fn set(files: &[(&str, &[u8])]) -> FileSet {
    FileSet::new(
        files.iter().map(|(name, content)| FileEntry::new(path(name), FileRole::Source, content.to_vec())).collect(),
    )
    .unwrap()
}

#[test]
fn a_grant_has_its_roots_its_files_and_nothing_after_closing() {
    let fixture = Fixture::new();
    fs::write(fixture.dir.path().join("workspace/in.csv"), b"1").unwrap();
    let workspace = fixture.workspace(WorkspaceMode::ReadOnly);
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot().input(path("in.csv"))).unwrap();
    let manifest = grant.materialize(&set(&[("main.py", b"print(1)"), ("pkg/a.py", b"")])).unwrap();
    let listed: Vec<_> = manifest.files.iter().map(|file| (file.path.as_str(), file.role)).collect();
    assert_eq!(listed, [("in.csv", FileRole::Input), ("main.py", FileRole::Source), ("pkg/a.py", FileRole::Source)]);
    assert_eq!(manifest.file("main.py").unwrap().bytes, 8);
    let source = grant.root(Role::Source);
    assert!(source.is_absolute());
    assert_eq!(fs::read(source.join("main.py")).unwrap(), b"print(1)");
    assert!(source.join("output").is_dir(), "where the output directory is mounted");
    let mode = |path: &str| fs::metadata(source.join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("main.py"), mode("pkg"), mode("output"), mode("")), (0o644, 0o755, 0o755, 0o755));
    assert!(Role::ALL.iter().all(|role| grant.root(*role).is_dir() && grant.dir(*role).dir_metadata().is_ok()));
    assert!(grant.workspace_root().is_none(), "a snapshot has no way to the workspace");

    let again = grant.materialize(&set(&[("other", b"")])).unwrap_err();
    assert_eq!(again.code(), "workspace.already_materialised");
    grant.close().unwrap();
    grant.close().unwrap();
    assert_eq!(fixture.areas(), 0);
    assert_eq!(grant.materialize(&set(&[("other", b"")])).unwrap_err().code(), "workspace.grant_closed");
}

#[test]
fn a_program_of_the_host_has_its_output_in_its_working_directory_and_beside_it() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap();
    grant.link_output().unwrap();
    let source = grant.root(Role::Source);
    fs::write(source.join("output/a"), b"a").unwrap();
    fs::write(source.join("../output/b"), b"b").unwrap();
    let declared = [crate::OutputPath::ALL];
    let collected = crate::collect(
        grant.dir(Role::Output).as_fd(),
        &declared,
        &crate::CollectCaps::default(),
        grant.dir(Role::Kept),
    );
    assert_eq!(collected.unwrap().outputs.len(), 2);
    assert!(grant.root(Role::Kept).join("a").is_file());
    let mode = |role: Role| fs::metadata(grant.root(role)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(Role::Kept), mode(Role::Logs)), (0o700, 0o700), "what is not the program's is the host's alone");
}

#[test]
fn the_umask_does_not_hide_the_program_from_its_reader() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    // The mask belongs to the process, so other tests see it too; they do not mind this one.
    let old = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o077));
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot());
    let made = grant.map(|grant| (grant.materialize(&set(&[("a/b", b"")])).map(drop), grant));
    rustix::process::umask(old);
    let (_, grant) = made.unwrap();
    let mode = |path: &str| fs::metadata(grant.root(Role::Source).join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("a/b"), mode("a"), mode("")), (0o644, 0o755, 0o755));
}

#[test]
fn modes_are_kept_to() {
    let fixture = Fixture::new();
    let read_only = fixture.workspace(WorkspaceMode::ReadOnly);
    let refused = read_only.issue(CallId::random(), AccessRequest::live(AccessMode::ReadWrite)).unwrap_err();
    assert_eq!(refused.code(), "workspace.read_only");
    assert_eq!(fixture.areas(), 0);
    let grant = read_only.issue(CallId::random(), AccessRequest::live(AccessMode::ReadOnly)).unwrap();
    assert_eq!(grant.workspace_root().unwrap().0, read_only.path());
    let writable = fixture.workspace(WorkspaceMode::ReadWrite);
    assert!(writable.issue(CallId::random(), AccessRequest::live(AccessMode::ReadWrite)).is_ok());
    assert_eq!(writable.id(), read_only.id());
}

#[test]
fn whatever_fails_leaves_no_area() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    let failed = workspace.issue(CallId::random(), AccessRequest::snapshot().input(path("none"))).unwrap_err();
    assert_eq!(failed.code(), "workspace.input_missing");
    assert_eq!(fixture.areas(), 0);
    drop(workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap());
    assert_eq!(fixture.areas(), 0, "a grant that is dropped goes as well");
}

#[test]
fn a_bundle_cannot_overwrite_an_input() {
    let fixture = Fixture::new();
    fs::write(fixture.dir.path().join("workspace/main.py"), b"input").unwrap();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot().input(path("main.py"))).unwrap();
    assert_eq!(grant.materialize(&set(&[("MAIN.py", b"")])).unwrap_err().code(), "workspace.path_collision");
    assert_eq!(fs::read(grant.root(Role::Source).join("main.py")).unwrap(), b"input");
}

#[test]
fn a_planted_private_directory_is_not_used() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    let outside = fixture.dir.path().join("outside");
    fs::create_dir(&outside).unwrap();
    let private = fixture.dir.path().join("workspace/.execres");
    symlink(&outside, &private).unwrap();
    let code = || workspace.issue(CallId::random(), AccessRequest::snapshot()).map(drop).map_err(|error| error.code());
    assert_eq!(code(), Err("workspace.private_dir_unsafe"));
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::remove_file(&private).unwrap();
    fs::create_dir(&private).unwrap();
    fs::set_permissions(&private, fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(code(), Err("workspace.private_dir_unsafe"));
    fs::remove_dir(&private).unwrap();
    assert_eq!(code(), Ok(()), "control");
}

#[test]
fn retention_leaves_the_files() {
    let fixture = Fixture::new();
    let workspace = fixture.workspace(WorkspaceMode::ReadWrite);
    let request = AccessRequest::snapshot().retention(Retention::Keep);
    let grant = workspace.issue(CallId::random(), request).unwrap();
    grant.materialize(&set(&[("main.py", b"x")])).unwrap();
    grant.close().unwrap();
    assert!(grant.root(Role::Source).join("main.py").exists());
}

#[test]
fn a_temporary_workspace_goes_with_everything() {
    let fixture = Fixture::new();
    let workspace = TaskWorkspace::temporary(fixture.registry.clone(), ambient_authority()).unwrap();
    let path = workspace.path().to_owned();
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap();
    let area = grant.root(Role::Source).to_owned();
    assert!(area.starts_with(&path) && area.is_dir());
    grant.close().unwrap();
    workspace.close().unwrap();
    assert!(!path.parent().unwrap().exists());
    let dropped = TaskWorkspace::temporary(fixture.registry.clone(), ambient_authority()).unwrap();
    let path = dropped.path().to_owned();
    drop(dropped);
    assert!(!path.exists());
}
