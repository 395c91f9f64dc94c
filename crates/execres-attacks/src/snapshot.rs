//! What a directory holds, so that a change is seen.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Every name in a directory, with everything about it that an attack could change.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Snapshot(BTreeMap<PathBuf, Seen>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Seen {
    mode: u32,
    links: u64,
    changed: Option<(i64, i64)>,
    modified: (i64, i64),
    content: Vec<u8>,
    attributes: Vec<u8>,
}

/// Whether the time of the last change of an inode counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// It does: nobody may touch these.
    Inodes,
    /// It does not: the host itself gives these to the guest's user.
    Content,
}

impl Snapshot {
    pub(crate) fn of(directory: &Path, depth: Depth) -> Self {
        let mut seen = Snapshot::default();
        seen.add(directory, depth);
        seen
    }

    fn add(&mut self, path: &Path, depth: Depth) {
        let Ok(meta) = path.symlink_metadata() else { return };
        let content = if meta.is_file() {
            fs::read(path).unwrap_or_default()
        } else if meta.is_symlink() {
            fs::read_link(path).map(|to| to.into_os_string().into_encoded_bytes()).unwrap_or_default()
        } else {
            Vec::new()
        };
        let mut attributes = vec![0u8; 1024];
        let length = rustix::fs::llistxattr(path, &mut attributes).unwrap_or(0);
        attributes.truncate(length);
        let seen = Seen {
            mode: meta.mode(),
            links: meta.nlink(),
            changed: (depth == Depth::Inodes).then(|| (meta.ctime(), meta.ctime_nsec())),
            modified: (meta.mtime(), meta.mtime_nsec()),
            content,
            attributes,
        };
        self.0.insert(path.to_owned(), seen);
        if meta.is_dir() {
            for entry in fs::read_dir(path).into_iter().flatten().flatten() {
                self.add(&entry.path(), depth);
            }
        }
    }

    /// The first name that is not as it was.
    pub(crate) fn difference(&self, now: &Snapshot) -> Option<String> {
        let changed = self.0.iter().find(|(path, seen)| now.0.get(*path) != Some(seen)).map(|(path, _)| path);
        let appeared = || now.0.keys().find(|path| !self.0.contains_key(*path));
        let path = changed.or_else(appeared)?;
        Some(path.file_name().map_or_else(|| "a directory".into(), |name| name.to_string_lossy().into_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_is_seen() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs::write(&file, "x").unwrap();
        let before = Snapshot::of(dir.path(), Depth::Inodes);
        assert_eq!(before.difference(&Snapshot::of(dir.path(), Depth::Inodes)), None);
        fs::hard_link(&file, dir.path().join("second")).unwrap();
        assert!(before.difference(&Snapshot::of(dir.path(), Depth::Inodes)).is_some());
        let before = Snapshot::of(dir.path(), Depth::Content);
        fs::write(&file, "y").unwrap();
        assert_eq!(before.difference(&Snapshot::of(dir.path(), Depth::Content)), Some("file".into()));
    }
}
