use std::cell::RefCell;
use std::sync::Arc;

use super::*;
use crate::registry::OwnerRegistry;

/// Writes down what it was asked to reap.
#[derive(Default)]
struct Recorder {
    seen: RefCell<Vec<Leftover>>,
    refuses: bool,
    sees_nothing: bool,
}

impl Reaper for Recorder {
    fn kind(&self) -> &str {
        "areas"
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        self.seen.borrow_mut().push(leftover.clone());
        if self.refuses {
            return Err(ReapError::NotOurs { path: leftover.path.clone() });
        }
        Ok(if self.sees_nothing { Reap::Absent } else { Reap::Removed })
    }
}

struct Fixture {
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        Fixture { dir: tempfile::tempdir().unwrap() }
    }

    fn state(&self) -> StateDir {
        StateDir::open_at(&self.dir.path().join("state")).unwrap()
    }

    fn owner(&self) -> Arc<OwnerRegistry> {
        OwnerRegistry::open(self.state()).unwrap()
    }

    /// What a killed host leaves: its register, a mark that names no living process, and no lock.
    fn dead_owner(&self, kinds: &[&str]) -> OwnerMark {
        let owner = self.owner();
        for kind in kinds {
            drop(owner.register(kind, "one", Path::new("/left/behind")).unwrap());
        }
        let mark = OwnerMark { start_time: owner.mark().start_time - 1, ..owner.mark().clone() };
        std::fs::write(self.register(&mark).join(REGISTER_MARK), mark.to_json().unwrap()).unwrap();
        mark
    }

    fn register(&self, mark: &OwnerMark) -> PathBuf {
        self.dir.path().join("state/owners").join(mark.instance.to_string())
    }
}

#[test]
fn the_things_of_a_dead_owner_are_reaped_and_its_register_goes() {
    let fixture = Fixture::new();
    let mark = fixture.dead_owner(&["areas"]);
    let recorder = Recorder::default();
    let report = reap(&fixture.state(), &[&recorder]).unwrap();
    assert_eq!(report.removed.len(), 1, "{report:?}");
    assert_eq!(report.removed[0].owner, mark);
    assert_eq!(report.removed[0].path, Path::new("/left/behind"));
    assert!(report.failed.is_empty() && report.kept.is_empty());
    assert!(!fixture.register(&mark).exists());
}

#[test]
fn a_living_owner_is_not_touched() {
    let fixture = Fixture::new();
    let owner = fixture.owner();
    let entry = owner.register("areas", "one", Path::new("/in/use")).unwrap();
    let recorder = Recorder::default();
    let report = reap(&fixture.state(), &[&recorder]).unwrap();
    assert!(recorder.seen.borrow().is_empty());
    assert!(matches!(report.kept.as_slice(), [ReapKept::Owner { .. }]), "{report:?}");
    entry.release().unwrap();
}

#[test]
fn what_cannot_be_seen_from_another_mount_namespace_stays_in_the_register() {
    let fixture = Fixture::new();
    let here = fixture.dead_owner(&["areas"]);
    let elsewhere = OwnerMark { mount_namespace: 1, ..fixture.dead_owner(&["areas"]) };
    std::fs::write(fixture.register(&elsewhere).join(REGISTER_MARK), elsewhere.to_json().unwrap()).unwrap();
    let recorder = Recorder { sees_nothing: true, ..Recorder::default() };
    let report = reap(&fixture.state(), &[&recorder]).unwrap();
    assert!(matches!(report.kept.as_slice(), [ReapKept::OutOfSight { .. }]), "{report:?}");
    assert!(fixture.register(&elsewhere).exists() && !fixture.register(&here).exists());
    // After the next start of the machine there is nothing left to be out of sight.
    let before = OwnerMark { boot_id: "an earlier one".to_owned(), ..elsewhere.clone() };
    std::fs::write(fixture.register(&before).join(REGISTER_MARK), before.to_json().unwrap()).unwrap();
    assert!(reap(&fixture.state(), &[&recorder]).unwrap().kept.is_empty());
    assert!(!fixture.register(&elsewhere).exists());
}

#[test]
fn the_lock_alone_keeps_an_owner_whose_process_cannot_be_looked_up() {
    let fixture = Fixture::new();
    let owner = fixture.owner();
    drop(owner.register("areas", "one", Path::new("/in/use")).unwrap());
    let elsewhere = OwnerMark { pid_namespace: 1, ..owner.mark().clone() };
    std::fs::write(fixture.register(&elsewhere).join(REGISTER_MARK), elsewhere.to_json().unwrap()).unwrap();
    let recorder = Recorder::default();
    reap(&fixture.state(), &[&recorder]).unwrap();
    assert!(recorder.seen.borrow().is_empty(), "the owner holds its lock, so it lives in whatever namespace");
    drop(owner);
    assert_eq!(reap(&fixture.state(), &[&recorder]).unwrap().removed.len(), 1, "without the lock it is dead");
}

#[test]
fn a_living_process_without_its_lock_is_not_touched() {
    let fixture = Fixture::new();
    let owner = fixture.owner();
    drop(owner.register("areas", "one", Path::new("/in/use")).unwrap());
    drop(owner);
    let recorder = Recorder::default();
    let report = reap(&fixture.state(), &[&recorder]).unwrap();
    assert!(recorder.seen.borrow().is_empty(), "{report:?}");
}

#[test]
fn what_cannot_be_reaped_stays_in_the_register() {
    let fixture = Fixture::new();
    let mark = fixture.dead_owner(&["areas", "cgroups"]);
    let report = reap(&fixture.state(), &[&Recorder { refuses: true, ..Recorder::default() }]).unwrap();
    assert!(report.failed[0].why.contains("does not carry its owner's mark"), "{report:?}");
    assert!(matches!(&report.kept[0], ReapKept::NoReaper { leftover } if leftover.kind.as_str() == "cgroups"));
    assert!(fixture.register(&mark).join("areas/one").exists());

    let report = reap(&fixture.state(), &[&Recorder::default()]).unwrap();
    assert_eq!(report.removed.len(), 1, "it is tried again");
    assert!(fixture.register(&mark).join("cgroups/one").exists());
}

#[test]
fn an_owner_that_died_on_its_way_leaves_nothing() {
    let fixture = Fixture::new();
    let state = fixture.state();
    let owners = fixture.dir.path().join("state/owners");
    std::fs::create_dir(owners.join("0c4a2a3e-3a5e-4a6f-9d3e-000000000000")).unwrap();
    let mark = fixture.dead_owner(&["areas"]);
    std::fs::write(fixture.register(&mark).join("areas/.two.partial"), b"").unwrap();
    let report = reap(&state, &[&Recorder::default()]).unwrap();
    assert!(report.failed.is_empty(), "{report:?}");
    assert_eq!(std::fs::read_dir(owners).unwrap().count(), 0);
}

#[test]
fn a_mark_under_a_foreign_name_is_not_believed() {
    let fixture = Fixture::new();
    let mark = fixture.dead_owner(&["areas"]);
    let foreign = OwnerMark { instance: crate::InstanceId::random(), ..mark.clone() };
    std::fs::write(fixture.register(&mark).join(REGISTER_MARK), foreign.to_json().unwrap()).unwrap();
    let recorder = Recorder::default();
    let report = reap(&fixture.state(), &[&recorder]).unwrap();
    assert!(recorder.seen.borrow().is_empty());
    assert_eq!(report.failed.len(), 1);
}
