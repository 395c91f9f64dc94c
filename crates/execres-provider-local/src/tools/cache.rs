//! Versions of tools, remembered across processes.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use execres_code::Version;

/// A file of our own state directory, which nobody else can write. A wrong or missing entry costs one question to a tool.
#[derive(Debug)]
pub(super) struct VersionCache(Option<PathBuf>);

/// Entries that are kept. Tools change seldom; this bounds the file and nothing else.
const MOST: usize = 64;

impl VersionCache {
    pub(super) fn at(state_dir: Option<&Path>) -> Self {
        VersionCache(state_dir.map(|directory| directory.join("toolchain-versions.json")))
    }

    pub(super) fn get(&self, tool: &Path) -> Option<Version> {
        self.read()?.get(&stamp(tool)?)?.parse().ok()
    }

    pub(super) fn put(&self, tool: &Path, version: &Version) {
        let (Some(path), Some(stamp)) = (&self.0, stamp(tool)) else { return };
        let mut all = self.read().unwrap_or_default();
        if all.len() >= MOST {
            all.clear();
        }
        all.insert(stamp, version.to_string());
        if let Err(error) = replace(path, &all) {
            tracing::debug!(%error, "the version of a tool could not be remembered");
        }
    }

    fn read(&self) -> Option<BTreeMap<String, String>> {
        serde_json::from_slice(&fs::read(self.0.as_ref()?).ok()?).ok()
    }
}

fn replace(path: &Path, all: &BTreeMap<String, String>) -> std::io::Result<()> {
    // Another thread of this process may be at the same.
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let partial = path.with_extension(format!("{}-{number}.partial", std::process::id()));
    let mut file = fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&partial)?;
    file.write_all(&serde_json::to_vec(all)?)?;
    fs::rename(&partial, path)
}

/// Changes whenever the binary does.
fn stamp(tool: &Path) -> Option<String> {
    let binary = tool.canonicalize().ok()?;
    let metadata = fs::metadata(&binary).ok()?;
    let (device, inode, size) = (metadata.dev(), metadata.ino(), metadata.size());
    Some(format!("{}:{device}:{inode}:{size}:{}.{}", binary.display(), metadata.mtime(), metadata.mtime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_remembered_until_the_binary_changes() {
        let dir = tempfile::tempdir().unwrap();
        let tool = dir.path().join("tool");
        fs::write(&tool, "1").unwrap();
        let cache = || VersionCache::at(Some(dir.path()));
        assert_eq!(cache().get(&tool), None);
        let version: Version = "3.11.2".parse().unwrap();
        cache().put(&tool, &version);
        assert_eq!(cache().get(&tool), Some(version));
        fs::write(&tool, "another one").unwrap();
        assert_eq!(cache().get(&tool), None);
    }
}
