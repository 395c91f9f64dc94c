//! What a program wrote into a working directory that is thrown away.

use execres_workspace::{Completeness, EntryKind, Manifest, OUTPUT_DIR, TreeListing};
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

/// What was written into a working directory that is thrown away.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NotKeptList {
    /// The files, sorted by path.
    pub files: Vec<NotKept>,
    /// Whether these are all.
    pub completeness: Completeness,
}

impl NotKeptList {
    /// Nothing was written.
    pub const fn nothing() -> Self {
        NotKeptList { files: Vec::new(), completeness: Completeness::Complete }
    }
}

/// What a listing of a scratch working directory has beyond what was materialised there. What lies under `output/` is
/// collected by other means, and directories and links hold nothing that could be lost.
pub fn not_kept(listing: &TreeListing, manifest: &Manifest) -> NotKeptList {
    let written =
        listing.entries.iter().filter(|entry| entry.kind == EntryKind::File && !entry.path.starts_with(OUTPUT_DIR));
    let change = |path: &str, bytes| match manifest.file(path) {
        None => Some(Change::Added),
        Some(file) if file.bytes != bytes => Some(Change::Changed),
        Some(_) => None,
    };
    let files = written
        .filter_map(|entry| {
            let change = change(entry.path.to_str().unwrap_or_default(), entry.bytes)?;
            Some(NotKept { path: entry.shown(), change, bytes: entry.bytes })
        })
        .collect();
    NotKeptList { files, completeness: listing.completeness }
}
