//! A set of files in memory, ready to be materialised.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use crate::digest::Sha256;
use crate::path::{PathConflict, PathSet, RelativePath};

/// Most files of a set.
pub const MAX_FILES: usize = 1024;
/// Largest file of a set, in bytes.
pub const MAX_FILE_BYTES: usize = 16 << 20;
/// Largest set, in bytes.
pub const MAX_SET_BYTES: usize = 64 << 20;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FileRole {
    /// Part of the program.
    Source,
    /// Says what the program depends on.
    Dependency,
    /// Data that the program reads.
    Input,
}

/// One file: where it goes, what it is for, what is in it, and the digest of that.
#[derive(Clone, PartialEq, Eq)]
pub struct FileEntry {
    path: RelativePath,
    role: FileRole,
    content: Arc<[u8]>,
    sha256: Sha256,
}

impl FileEntry {
    /// A file.
    pub fn new(path: RelativePath, role: FileRole, content: impl Into<Arc<[u8]>>) -> Self {
        let content = content.into();
        let sha256 = Sha256::of(&content);
        FileEntry { path, role, content, sha256 }
    }

    /// Where it goes.
    pub const fn path(&self) -> &RelativePath {
        &self.path
    }

    /// What it is for.
    pub const fn role(&self) -> FileRole {
        self.role
    }

    /// What is in it.
    pub fn content(&self) -> &[u8] {
        &self.content
    }

    /// The digest of what is in it.
    pub const fn sha256(&self) -> Sha256 {
        self.sha256
    }
}

impl fmt::Debug for FileEntry {
    /// Without the content, which can be megabytes and belongs to the caller.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileEntry")
            .field("path", &self.path)
            .field("role", &self.role)
            .field("bytes", &self.content.len())
            .field("sha256", &self.sha256)
            .finish()
    }
}

/// Files that can lie in one working directory, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileSet {
    files: Vec<FileEntry>,
}

impl FileSet {
    /// A set of 1 to [`MAX_FILES`] files.
    ///
    /// # Errors
    /// [`FileSetError`] when there are too many, they are too large, or two cannot lie in one directory.
    pub fn new(mut files: Vec<FileEntry>) -> Result<Self, FileSetError> {
        if files.is_empty() || files.len() > MAX_FILES {
            return Err(FileSetError::Count { files: files.len() });
        }
        let mut paths = PathSet::new();
        let mut total = 0;
        for file in &files {
            if file.content.len() > MAX_FILE_BYTES {
                return Err(FileSetError::FileTooLarge { path: file.path.clone(), bytes: file.content.len() });
            }
            total += file.content.len();
            paths.insert_file(&file.path)?;
        }
        if total > MAX_SET_BYTES {
            return Err(FileSetError::TooLarge { bytes: total });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(FileSet { files })
    }

    /// The files, sorted by path.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }
}

/// Files that are no set.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FileSetError {
    /// None, or too many.
    #[error("{files} files were given: give 1 to {MAX_FILES}")]
    Count {
        /// How many.
        files: usize,
    },
    /// One file is too large.
    #[error("{path} has {bytes} bytes, more than {MAX_FILE_BYTES}: hand large data over as an input of the workspace")]
    FileTooLarge {
        /// The file.
        path: RelativePath,
        /// Its size.
        bytes: usize,
    },
    /// All together are too large.
    #[error("the files have {bytes} bytes, more than {MAX_SET_BYTES}: hand large data over as inputs of the workspace")]
    TooLarge {
        /// Their size.
        bytes: usize,
    },
    /// Two of them are in each other's way.
    #[error(transparent)]
    Conflict(#[from] PathConflict),
}

impl FileSetError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            FileSetError::Count { .. } => "workspace.file_count",
            FileSetError::FileTooLarge { .. } => "workspace.file_too_large",
            FileSetError::TooLarge { .. } => "workspace.files_too_large",
            FileSetError::Conflict(conflict) => conflict.code(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(path: &str, bytes: usize) -> FileEntry {
        FileEntry::new(RelativePath::parse(path).unwrap(), FileRole::Source, vec![0; bytes])
    }

    #[test]
    fn the_limits_are_exact() {
        assert!(FileSet::new(vec![entry("a", MAX_FILE_BYTES)]).is_ok());
        let code = |files| FileSet::new(files).unwrap_err().code();
        assert_eq!(code(vec![entry("a", MAX_FILE_BYTES + 1)]), "workspace.file_too_large");
        assert_eq!(code(vec![]), "workspace.file_count");
        let many = |count: usize| (0..count).map(|n| entry(&format!("f{n}"), 0)).collect::<Vec<_>>();
        assert!(FileSet::new(many(MAX_FILES)).is_ok());
        assert_eq!(code(many(MAX_FILES + 1)), "workspace.file_count");
        let large = entry("a", MAX_FILE_BYTES);
        let named = |path: &str| FileEntry { path: RelativePath::parse(path).unwrap(), ..large.clone() };
        let full = |last| vec![named("a"), named("b"), named("c"), named("d"), entry("e", last)];
        assert!(FileSet::new(full(0)).is_ok());
        assert_eq!(code(full(1)), "workspace.files_too_large");
        assert_eq!(code(vec![entry("a", 0), entry("A", 0)]), "workspace.path_collision");
    }

    #[test]
    fn the_order_in_which_files_are_given_does_not_count() {
        assert_eq!(FileSet::new(vec![entry("a", 0), entry("b", 1)]), FileSet::new(vec![entry("b", 1), entry("a", 0)]));
    }
}
