use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::PathBuf;

use execres_core::{Attempt, Axis, AxisEvidence, AxisSet, NetworkMode, Verdict};
use execres_owner::StateDir;

use super::*;

struct Fixture {
    directory: tempfile::TempDir,
    owners: Arc<OwnerRegistry>,
}

const KEY: &str = "boot=one\nnetwork=none\n";

impl Fixture {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let state = StateDir::open_at(&directory.path().join("state")).unwrap();
        Fixture { owners: OwnerRegistry::open(state).unwrap(), directory }
    }

    fn stored() -> Self {
        let fixture = Self::new();
        save(&fixture.owners, KEY, &report());
        fixture
    }

    fn evidence(&self) -> PathBuf {
        self.directory.path().join("state").join(DIRECTORY)
    }

    fn file(&self) -> PathBuf {
        self.evidence().join(name_of(KEY))
    }

    fn loaded(&self) -> Option<IsolationReport> {
        load(&self.owners, KEY)
    }
}

fn report() -> IsolationReport {
    let attempt = Attempt::new("try", Verdict::Verified, "nothing happened");
    let evidence = AxisEvidence { axis: Axis::SyscallsRestricted, attempts: vec![attempt] };
    IsolationReport::new("one", NetworkMode::None, vec![evidence])
}

#[test]
fn what_was_stored_is_found_again_for_the_same_fingerprint_alone() {
    let fixture = Fixture::stored();
    assert_eq!(fixture.loaded(), Some(report()));
    assert_eq!(load(&fixture.owners, "boot=two\nnetwork=none\n"), None, "a reboot makes it worthless");
    assert_eq!(fs::metadata(fixture.file()).unwrap().permissions().mode() & 0o777, 0o600);
    assert_eq!(fs::metadata(fixture.evidence()).unwrap().permissions().mode() & 0o777, 0o700);
}

#[test]
fn a_file_under_the_name_of_another_fingerprint_is_not_believed() {
    let fixture = Fixture::stored();
    let other = "boot=two\n";
    fs::rename(fixture.file(), fixture.evidence().join(name_of(other))).unwrap();
    assert_eq!(load(&fixture.owners, other), None);
}

#[test]
fn axes_that_are_written_into_the_file_are_not_believed() {
    let fixture = Fixture::stored();
    let text = fs::read_to_string(fixture.file()).unwrap();
    let forged = text.replace("[\"syscalls_restricted\"]", "[\"process_contained\",\"syscalls_restricted\"]");
    assert_ne!(text, forged, "{text}");
    fs::write(fixture.file(), forged).unwrap();
    assert_eq!(fixture.loaded().unwrap().axes(), AxisSet::from_iter([Axis::SyscallsRestricted]));
}

#[test]
fn a_file_that_others_can_reach_or_that_is_a_link_is_not_believed() {
    let mode = |fixture: &Fixture, mode| {
        fs::set_permissions(fixture.file(), fs::Permissions::from_mode(mode)).unwrap();
    };
    for changed in [0o644, 0o620, 0o606] {
        let fixture = Fixture::stored();
        assert!(fixture.loaded().is_some(), "the control");
        mode(&fixture, changed);
        assert_eq!(fixture.loaded(), None, "{changed:o}");
        mode(&fixture, 0o600);
        assert!(fixture.loaded().is_some());
    }

    let fixture = Fixture::stored();
    let elsewhere = fixture.directory.path().join("elsewhere");
    fs::rename(fixture.file(), &elsewhere).unwrap();
    symlink(&elsewhere, fixture.file()).unwrap();
    assert_eq!(fixture.loaded(), None, "a link");

    let fixture = Fixture::stored();
    fs::hard_link(fixture.file(), fixture.directory.path().join("second")).unwrap();
    assert_eq!(fixture.loaded(), None, "a file with a second name");
}

#[test]
fn a_directory_that_others_can_reach_or_that_is_a_link_is_not_used() {
    let fixture = Fixture::stored();
    fs::set_permissions(fixture.evidence(), fs::Permissions::from_mode(0o750)).unwrap();
    assert_eq!(fixture.loaded(), None);

    let fixture = Fixture::stored();
    let elsewhere = fixture.directory.path().join("elsewhere");
    fs::rename(fixture.evidence(), &elsewhere).unwrap();
    symlink(&elsewhere, fixture.evidence()).unwrap();
    assert_eq!(fixture.loaded(), None);
}

#[test]
fn a_file_of_another_user_is_not_believed() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("EXECRES-SKIP: a_file_of_another_user_is_not_believed: optional: giving a file away needs root");
        return;
    }
    let fixture = Fixture::stored();
    std::os::unix::fs::chown(fixture.file(), Some(65534), None).unwrap();
    assert_eq!(fixture.loaded(), None);
}

#[test]
fn rubbish_pipes_and_floods_are_not_waited_for_and_not_believed() {
    let fixture = Fixture::stored();
    fs::write(fixture.file(), "{").unwrap();
    assert_eq!(fixture.loaded(), None);
    fs::write(fixture.file(), vec![b' '; 1 << 20]).unwrap();
    assert_eq!(fixture.loaded(), None);
    fs::remove_file(fixture.file()).unwrap();
    let mode = Mode::RUSR | Mode::WUSR;
    rustix::fs::mknodat(rustix::fs::CWD, fixture.file(), FileType::Fifo, mode, 0).unwrap();
    assert_eq!(fixture.loaded(), None);
    // And the next evidence replaces it.
    save(&fixture.owners, KEY, &report());
    assert_eq!(fixture.loaded(), Some(report()));
}

#[test]
fn the_directory_does_not_grow_for_ever() {
    let fixture = Fixture::new();
    for number in 0..200 {
        save(&fixture.owners, &format!("boot={number}"), &report());
    }
    assert!(fs::read_dir(fixture.evidence()).unwrap().count() <= MOST);
    assert!(load(&fixture.owners, "boot=199").is_some());
}
