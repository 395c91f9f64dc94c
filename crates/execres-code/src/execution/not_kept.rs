//! What a program wrote into a working directory that is thrown away.

use execres_workspace::{EntryKind, Manifest, OUTPUT_DIR, TreeListing};
use serde::Serialize;

/// What the program did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It made it.
    Added,
    /// It changed its size. A change that leaves the size as it was is not seen.
    Changed,
}

/// A file that was written and is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotKept {
    /// Relative to the working directory, with control characters escaped.
    pub path: String,
    /// What the program did.
    pub change: Change,
    /// Its size in bytes.
    pub bytes: u64,
}

impl NotKept {
    pub(super) fn file_name(&self) -> &str {
        self.path.rsplit_once('/').map_or(&self.path, |(_, name)| name)
    }
}

/// What a listing of a scratch working directory has beyond what was materialised there. What lies under `output/` is
/// collected by other means, and directories and links hold nothing that could be lost.
pub fn not_kept(listing: &TreeListing, manifest: &Manifest) -> Vec<NotKept> {
    let written =
        listing.entries.iter().filter(|entry| entry.kind == EntryKind::File && !entry.path.starts_with(OUTPUT_DIR));
    let change = |path: &str, bytes| match manifest.file(path) {
        None => Some(Change::Added),
        Some(file) if file.bytes != bytes => Some(Change::Changed),
        Some(_) => None,
    };
    written
        .filter_map(|entry| {
            let change = change(entry.path.to_str().unwrap_or_default(), entry.bytes)?;
            Some(NotKept { path: entry.shown(), change, bytes: entry.bytes })
        })
        .collect()
}
