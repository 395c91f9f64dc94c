//! The directory for temporary files.

use std::path::PathBuf;

use rustix::fs::StatVfsMountFlags;
use serde::Serialize;

/// `$TMPDIR`, or `/tmp`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct TemporaryFacts {
    /// Where it is.
    pub path: PathBuf,
    /// Why it cannot be looked at, where it cannot.
    pub unusable: Option<String>,
    /// Whether the mount that it is on forbids running programs.
    pub noexec: bool,
}

impl TemporaryFacts {
    pub(super) fn of_this_process() -> Self {
        let path = std::env::temp_dir();
        match rustix::fs::statvfs(&path) {
            Ok(stat) => {
                let noexec = stat.f_flag.contains(StatVfsMountFlags::NOEXEC);
                TemporaryFacts { path, unusable: None, noexec }
            }
            Err(error) => TemporaryFacts { path, unusable: Some(error.to_string()), noexec: false },
        }
    }
}
