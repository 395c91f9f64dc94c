//! Collecting outputs from a tree that a hostile program wrote, and may still be writing.

mod collector;
mod refusal;

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;

use cap_std::fs::Dir;
use serde::Serialize;

pub use self::refusal::{Refusal, RefusalReason};

use crate::collect::collector::Collector;
use crate::digest::Sha256;
use crate::path::OutputPath;

/// How much is collected. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CollectCaps {
    /// Of one file. Default 64 MiB.
    pub file_bytes: u64,
    /// Of all files together. Default 256 MiB.
    pub total_bytes: u64,
    /// Files taken from directory outputs. Default 1000.
    pub directory_files: usize,
    /// Entries of directory outputs that are looked at, of whatever kind. Default 10 000.
    pub scanned_entries: usize,
}

impl Default for CollectCaps {
    fn default() -> Self {
        CollectCaps { file_bytes: 64 << 20, total_bytes: 256 << 20, directory_files: 1000, scanned_entries: 10_000 }
    }
}

/// One collected output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Artifact {
    /// As a declared output is spelled: `output/plot.png`.
    pub path: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Digest of the copy.
    pub sha256: Sha256,
    /// From the name alone; `application/octet-stream` when that says nothing.
    pub media_type: String,
}

/// What was collected, and what was not.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[non_exhaustive]
pub struct Collected {
    /// The outputs, sorted by path.
    pub outputs: Vec<Artifact>,
    /// Declared outputs that are not there.
    pub missing: Vec<OutputPath>,
    /// What is there and was not taken, each with the reason.
    pub refused: Vec<Refusal>,
    /// Refusals below directories that were only counted, after the first hundred.
    pub refused_more: u64,
}

impl Collected {
    /// Whether every declared output is there and was taken. What was refused *below* a declared directory does not count,
    /// unless a cap cut the directory short: then the directory itself is among the refused.
    pub fn is_complete(&self) -> bool {
        self.missing.is_empty() && !self.refused.iter().any(|refusal| refusal.is_declared)
    }
}

/// Copies the declared outputs out of the directory `untrusted`, which is what the program saw as `output/`, to the same
/// places below `into`.
///
/// Each is resolved once beneath the directory, over no link and into no other mount. Only a regular file with one name is
/// taken, within the caps by its apparent size; it is hashed while it is copied, from the same descriptor, and refused when
/// it changes meanwhile. The copies are new files with mode 0644 less the process's mask: nothing of the program's modes,
/// owners and times is carried over. Memory is constant but for the listing of a directory, which the caps bound.
///
/// Blocks; [`collect_async`] does not.
///
/// # Errors
/// [`CollectError`] when our own side fails: the directory cannot be read at all, or a copy cannot be written. What is wrong
/// with an output is in [`Collected::refused`] and never an error.
pub fn collect(
    untrusted: BorrowedFd<'_>,
    declared: &[OutputPath],
    caps: &CollectCaps,
    into: &Dir,
) -> Result<Collected, CollectError> {
    let mut collector = Collector::new(untrusted, *caps, into)?;
    for path in declared {
        collector.declared(path)?;
    }
    Ok(collector.finish())
}

/// [`collect`], off the async threads.
///
/// # Errors
/// As for [`collect`].
///
/// # Cancel safety
/// Dropping the future does not stop the copying, which ends by itself within the caps.
pub async fn collect_async(
    untrusted: OwnedFd,
    declared: Vec<OutputPath>,
    caps: CollectCaps,
    into: Dir,
) -> Result<Collected, CollectError> {
    let work = tokio::task::spawn_blocking(move || collect(untrusted.as_fd(), &declared, &caps, &into));
    // A task that is not cancelled by us ends without a value only when the runtime shuts down under it.
    work.await.unwrap_or(Err(CollectError::Interrupted))
}

/// Collecting failed on our side.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectError {
    /// The program's output directory cannot be read.
    #[error("could not read the program's output directory")]
    Untrusted {
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// A copy cannot be written.
    #[error("could not write the copy of {} (is there room?)", path.display())]
    Write {
        /// Below the destination.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The runtime was shut down meanwhile.
    #[error("the runtime shut down while outputs were being collected")]
    Interrupted,
}

impl CollectError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            CollectError::Untrusted { .. } => "workspace.collect_unreadable",
            CollectError::Write { .. } => "workspace.collect_write_failed",
            CollectError::Interrupted => "workspace.collect_interrupted",
        }
    }
}

#[cfg(test)]
mod tests;
