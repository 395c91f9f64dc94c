use std::fs::{self, File};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use super::*;

fn removed(dir: &Path, keep: &[&str]) -> Vec<std::ffi::OsString> {
    remove_contents(File::open(dir).unwrap(), keep).unwrap();
    fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

#[test]
fn everything_goes_but_what_is_kept_and_what_links_point_to() {
    let dir = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("theirs"), b"x").unwrap();
    fs::create_dir_all(dir.path().join("a/b/c")).unwrap();
    fs::write(dir.path().join("a/b/file"), b"x").unwrap();
    fs::write(dir.path().join("owner.json"), b"x").unwrap();
    symlink(outside.path(), dir.path().join("a/link")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, dir.path().join("a/fifo"), Mode::from_raw_mode(0o600)).unwrap();
    // Names that removal itself would like to use.
    fs::create_dir_all(dir.path().join(".moved-1/x/y")).unwrap();
    fs::write(dir.path().join(".moved-2"), b"x").unwrap();
    assert_eq!(removed(dir.path(), &["owner.json"]), ["owner.json"]);
    assert!(outside.path().join("theirs").exists());
}

#[test]
fn a_very_deep_tree_goes_without_recursion() {
    let dir = tempfile::tempdir().unwrap();
    let mut at: OwnedFd = File::open(dir.path()).unwrap().into();
    for _ in 0..2_000 {
        rustix::fs::mkdirat(&at, "d", Mode::from_raw_mode(0o700)).unwrap();
        at = rustix::fs::openat(&at, "d", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
    drop(at);
    assert!(removed(dir.path(), &[]).is_empty());
}

#[test]
fn a_directory_of_many_entries_goes() {
    let dir = tempfile::tempdir().unwrap();
    for number in 0..1_000 {
        fs::create_dir_all(dir.path().join(format!("many/{number}/x"))).unwrap();
    }
    assert!(removed(dir.path(), &[]).is_empty());
}

#[test]
fn immutable_files_and_directories_go() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("not run: making a file immutable needs root");
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b")).unwrap();
    fs::write(dir.path().join("a/b/file"), b"x").unwrap();
    for path in ["a/b/file", "a/b", "a", ""] {
        let file = File::open(dir.path().join(path)).unwrap();
        let Ok(flags) = rustix::fs::ioctl_getflags(&file) else {
            eprintln!("not run: this file system has no flags");
            return;
        };
        rustix::fs::ioctl_setflags(&file, flags | IFlags::IMMUTABLE).unwrap();
    }
    assert!(fs::remove_dir_all(dir.path().join("a")).is_err(), "control: the flags hold");
    assert!(removed(dir.path(), &[]).is_empty());
}

#[test]
fn directories_without_permissions_go_for_an_ordinary_user_too() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("root");
    fs::create_dir_all(root.join("none/read-only/deep")).unwrap();
    fs::write(root.join("none/read-only/file"), b"x").unwrap();
    let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    set(&root.join("none/read-only"), 0o555);
    set(&root.join("none"), 0o000);
    if rustix::process::geteuid().is_root() {
        // Root passes every permission, so the test runs as somebody else, in a thread of its own.
        set(dir.path(), 0o777);
        for path in [&root, &root.join("none"), &root.join("none/read-only"), &root.join("none/read-only/deep")] {
            std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
        }
        let path = root.clone();
        let answer = std::thread::spawn(move || {
            let nobody = rustix::process::Uid::from_raw(65534);
            // The identity of this thread alone changes, and the thread ends with it.
            rustix::thread::set_thread_res_uid(nobody, nobody, nobody).unwrap();
            assert!(File::open(path.join("none")).is_err(), "control: this user is kept out");
            remove_contents(File::open(&path).unwrap(), &[]).unwrap();
            fs::read_dir(&path).unwrap().count()
        });
        assert_eq!(answer.join().unwrap(), 0);
    } else {
        assert!(removed(&root, &[]).is_empty());
    }
}
