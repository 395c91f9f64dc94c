//! What a program wrote into a working directory that is thrown away.

use execres_workspace::{Completeness, EntryKind, Manifest, OUTPUT_DIR, TreeListing};
use serde::Serialize;

/// What the program did to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// It made it.
    Added,
    /// It opened a file that was materialised there for writing, or changed its attributes. Whether the content is another
    /// one is not looked at.
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

/// What was written, by a listing of the layer that lies over a scratch working directory: everything in it is there because
/// the program wrote it. What lies under `output/` is collected by other means, and directories and links hold nothing that
/// could be lost.
pub fn not_kept(layer: &TreeListing, manifest: &Manifest) -> NotKeptList {
    let written =
        layer.entries.iter().filter(|entry| entry.kind == EntryKind::File && !entry.path.starts_with(OUTPUT_DIR));
    let files = written
        .map(|entry| {
            let was_there = entry.path.to_str().is_some_and(|path| manifest.file(path).is_some());
            let change = if was_there { Change::Changed } else { Change::Added };
            NotKept { path: entry.shown(), change, bytes: entry.bytes }
        })
        .collect();
    NotKeptList { files, completeness: layer.completeness }
}
