use std::os::unix::fs::symlink;

use execres_owner::{ReapReport, StateDir, reap};

use super::*;

struct Fixture {
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("work")).unwrap();
        Fixture { dir }
    }

    fn work(&self) -> PathBuf {
        self.dir.path().join("work").canonicalize().unwrap()
    }

    fn state(&self) -> StateDir {
        StateDir::open_at(&self.dir.path().join("state")).unwrap()
    }

    fn registry(&self) -> Arc<OwnerRegistry> {
        OwnerRegistry::open(self.state()).unwrap()
    }

    fn area(&self, registry: &Arc<OwnerRegistry>) -> Area {
        Area::create(registry, File::open(self.work()).unwrap().into(), &self.work()).unwrap()
    }

    /// What a killed host leaves: an area, a register, and marks that name no living process.
    fn left_behind(&self) -> PathBuf {
        let registry = self.registry();
        let area = self.area(&registry);
        let path = area.path().to_owned();
        std::fs::create_dir_all(path.join("source/deep")).unwrap();
        std::fs::write(path.join("source/deep/file"), b"x").unwrap();
        let mut mark = registry.mark().clone();
        mark.start_time -= 1;
        let json = serde_json::to_vec(&mark).unwrap();
        let register = self.dir.path().join("state/owners").join(mark.instance.to_string());
        std::fs::write(register.join("mark.json"), &json).unwrap();
        std::fs::write(path.join(MARK_FILE), &json).unwrap();
        forget_area(area)
    }

    fn reap(&self) -> ReapReport {
        reap(&self.state(), &[&AreaReaper]).unwrap()
    }
}

/// Forgets an area as a killed process does: nothing is removed, and its hold on the register, whose lock that is, goes.
fn forget_area(area: Area) -> PathBuf {
    let mut area = std::mem::ManuallyDrop::new(area);
    drop(area.registration.take());
    area.path.clone()
}

#[test]
fn an_area_goes_on_removal_and_on_drop() {
    let fixture = Fixture::new();
    let registry = fixture.registry();
    for explicit in [true, false] {
        let area = fixture.area(&registry);
        let path = area.path().to_owned();
        std::fs::write(path.join("file"), b"x").unwrap();
        assert_eq!(OwnerMark::read_from(area.dir()).unwrap().as_ref(), Some(registry.mark()));
        if explicit {
            area.remove().unwrap();
        } else {
            drop(area);
        }
        assert!(!path.exists());
    }
    drop(registry);
    assert_eq!(std::fs::read_dir(fixture.dir.path().join("state/owners")).unwrap().count(), 0);
}

#[test]
fn a_kept_area_belongs_to_nobody() {
    let fixture = Fixture::new();
    let registry = fixture.registry();
    let path = fixture.area(&registry).keep().unwrap();
    assert!(path.exists() && !path.join(MARK_FILE).exists());
    drop(registry);
    assert_eq!(std::fs::read_dir(fixture.dir.path().join("state/owners")).unwrap().count(), 0);
}

#[test]
fn what_a_dead_host_left_is_reaped_and_what_a_living_one_has_is_not() {
    let fixture = Fixture::new();
    let registry = fixture.registry();
    let living = fixture.area(&registry);
    let path = fixture.left_behind();
    let report = fixture.reap();
    assert_eq!(report.removed.len(), 1, "{report:?}");
    assert!(!path.exists());
    assert!(living.path().exists());
}

#[test]
fn an_area_with_a_foreign_mark_or_behind_a_link_is_not_touched() {
    let fixture = Fixture::new();
    let path = fixture.left_behind();
    let mark = std::fs::read(path.join(MARK_FILE)).unwrap();
    let registry = fixture.registry();
    std::fs::write(path.join(MARK_FILE), serde_json::to_vec(registry.mark()).unwrap()).unwrap();
    assert!(fixture.reap().failed[0].why.contains("does not carry its owner's mark"));
    assert!(path.join("source/deep/file").exists());

    std::fs::write(path.join(MARK_FILE), &mark).unwrap();
    let moved = fixture.dir.path().join("moved");
    std::fs::rename(&path, &moved).unwrap();
    symlink(&moved, &path).unwrap();
    assert_eq!(fixture.reap().failed.len(), 1);
    assert!(moved.join("source/deep/file").exists(), "a link is not followed, though the mark behind it is right");

    std::fs::remove_file(&path).unwrap();
    std::fs::rename(&moved, &path).unwrap();
    assert_eq!(fixture.reap().removed.len(), 1, "control: in its place and with its mark it is reaped");
}

#[test]
fn an_owner_that_died_before_marking_its_area_leaves_nothing() {
    let fixture = Fixture::new();
    let path = fixture.left_behind();
    std::fs::remove_dir_all(path.join("source")).unwrap();
    std::fs::rename(path.join(MARK_FILE), path.join(".owner.json.partial")).unwrap();
    assert_eq!(fixture.reap().removed.len(), 1);
    assert!(!path.exists());

    let path = fixture.left_behind();
    std::fs::remove_dir_all(&path).unwrap();
    let report = fixture.reap();
    assert!(report.removed.is_empty() && report.failed.is_empty(), "{report:?}");
}
