//! What is really in the working directory of a grant.

use serde::Serialize;

use crate::digest::Sha256;
use crate::fileset::FileRole;
use crate::ids::{CallId, GrantId, WorkspaceId};
use crate::path::RelativePath;

/// One file that was put there.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ManifestFile {
    /// Where, in the working directory.
    pub path: RelativePath,
    /// What for.
    pub role: FileRole,
    /// Size in bytes.
    pub bytes: u64,
    /// Digest of what is on disk.
    pub sha256: Sha256,
}

/// What was really materialised under a grant: inputs and the file set, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// The grant.
    pub grant: GrantId,
    /// The workspace of the grant.
    pub workspace: WorkspaceId,
    /// The call that the grant is for.
    pub call: CallId,
    /// The files.
    pub files: Vec<ManifestFile>,
}

impl Manifest {
    /// The file at `path`.
    pub fn file(&self, path: &str) -> Option<&ManifestFile> {
        self.files.iter().find(|file| file.path.as_str() == path)
    }
}
