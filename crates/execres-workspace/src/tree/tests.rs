use std::fs::{self, File};
use std::os::fd::AsFd;
use std::os::unix::fs::symlink;

use super::*;

fn list(dir: &Path, bounds: TreeBounds) -> (Vec<String>, Completeness) {
    let listing = list_tree(File::open(dir).unwrap().as_fd(), bounds).unwrap();
    (listing.entries.iter().map(TreeEntry::shown).collect(), listing.completeness)
}

#[test]
fn a_listing_is_sorted_and_follows_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("b/c")).unwrap();
    fs::write(dir.path().join("b/c/file"), b"abc").unwrap();
    fs::write(dir.path().join("a\nb"), b"").unwrap();
    symlink("/etc", dir.path().join("link")).unwrap();
    let (paths, completeness) = list(dir.path(), TreeBounds::default());
    assert_eq!(paths, ["a\\nb", "b", "b/c", "b/c/file", "link"]);
    assert_eq!(completeness, Completeness::Complete);
    let listing = list_tree(File::open(dir.path()).unwrap().as_fd(), TreeBounds::default()).unwrap();
    assert_eq!((listing.entries[3].kind, listing.entries[3].bytes), (EntryKind::File, 3));
    assert_eq!(listing.entries[4].kind, EntryKind::Symlink);
}

#[test]
fn bounds_cut_and_say_so() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join("a/b/c/d")).unwrap();
    let bounds = |entries, depth| TreeBounds { entries, depth };
    assert_eq!(list(dir.path(), bounds(10, 4)).0.len(), 4);
    assert_eq!(list(dir.path(), bounds(10, 2)), (vec!["a".into(), "a/b".into()], Completeness::Cut));
    assert_eq!(list(dir.path(), bounds(2, 10)), (vec!["a".into(), "a/b".into()], Completeness::Cut));
    assert_eq!(list(dir.path(), bounds(0, 10)), (vec![], Completeness::Cut));
}

#[test]
fn another_mount_is_listed_and_not_entered() {
    let root = File::open("/").unwrap();
    let listing = list_tree(root.as_fd(), TreeBounds { entries: 5000, depth: 2 }).unwrap();
    assert!(listing.entries.iter().any(|entry| entry.path == Path::new("proc")));
    assert!(!listing.entries.iter().any(|entry| entry.path == Path::new("proc/version")));
}
