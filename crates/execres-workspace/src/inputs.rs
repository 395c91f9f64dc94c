//! Copying inputs into the working directory of a grant.

use std::collections::VecDeque;
use std::io;
use std::os::fd::AsFd;

use cap_std::fs::Dir;
use rustix::fs::OFlags;
use rustix::io::Errno;

use crate::access::{InputCaps, InputFile};
use crate::copy::{CopyFault, copy_hashed, size};
use crate::fileset::FileRole;
use crate::manifest::ManifestFile;
use crate::open::{EntryKind, Mounts, OpenFault, Regular, open_beneath, open_dir_beneath, open_regular, regular_from};
use crate::path::{PathConflict, PathError, PathSet, RelativePath};
use crate::place::{Placed, Umask, ensure_dir};
use crate::tree::names_of;

/// Copies inputs, and remembers what lies where.
#[derive(Debug)]
pub(crate) struct Inputs<'a> {
    source: &'a Dir,
    caps: InputCaps,
    entries: usize,
    total: u64,
    paths: PathSet,
    listed: Vec<ManifestFile>,
}

impl<'a> Inputs<'a> {
    pub(crate) fn new(source: &'a Dir, caps: InputCaps) -> Self {
        Inputs { source, caps, entries: 0, total: 0, paths: PathSet::new(), listed: Vec::new() }
    }

    pub(crate) fn finish(self) -> (Vec<ManifestFile>, PathSet) {
        (self.listed, self.paths)
    }

    /// Copies a file or a directory of the workspace to the same path.
    pub(crate) fn copy(&mut self, workspace: &Dir, path: &RelativePath) -> Result<(), InputError> {
        let mut waiting = VecDeque::from([path.clone()]);
        while let Some(path) = waiting.pop_front() {
            let found = open_beneath(workspace, path.as_path(), OFlags::PATH, Mounts::Cross)
                .and_then(rustix::fs::fstat)
                .map_err(|error| InputError::open(&path, error.into()))?;
            match EntryKind::of(&found) {
                EntryKind::File => {
                    let file = open_regular(workspace, path.as_path(), Mounts::Cross)
                        .map_err(|fault| InputError::open(&path, fault))?;
                    self.paths.insert_file(&path)?;
                    self.place(&path, &file)?;
                }
                EntryKind::Directory => {
                    self.count(&path)?;
                    self.paths.insert_directory(&path)?;
                    self.enter(workspace, &path, &mut waiting)?;
                }
                kind => return Err(InputError::NotAFile { path: path.to_string(), kind }),
            }
        }
        Ok(())
    }

    /// Makes the directory, and has its entries wait.
    fn enter(
        &self,
        workspace: &Dir,
        path: &RelativePath,
        waiting: &mut VecDeque<RelativePath>,
    ) -> Result<(), InputError> {
        let io = |error: Errno| InputError::open(path, error.into());
        ensure_dir(self.source, path, Umask::Overridden)
            .map_err(|error| InputError::Io { path: path.to_string(), source: error.into() })?;
        let dir = open_dir_beneath(workspace, path.as_path(), Mounts::Cross).map_err(io)?;
        let names = names_of(dir.as_fd(), self.caps.entries).map_err(io)?;
        let Some(names) = names else { return Err(self.too_many(path)) };
        for name in names {
            // A name that no path of ours can spell cannot be handed over, and leaving it out unsaid would be worse.
            let text = name.to_str().ok_or_else(|| InputError::Name { directory: path.clone(), name: name.clone() })?;
            let below = RelativePath::parse(&format!("{path}/{text}"))?;
            if below.file_name() != text {
                return Err(InputError::Name { directory: path.clone(), name });
            }
            waiting.push_back(below);
        }
        Ok(())
    }

    /// Copies a file that somebody opened.
    pub(crate) fn copy_file(&mut self, input: InputFile) -> Result<(), InputError> {
        let file = regular_from(input.file).map_err(|fault| InputError::open(&input.name, fault))?;
        self.paths.insert_file(&input.name)?;
        self.place(&input.name, &file)
    }

    fn place(&mut self, path: &RelativePath, file: &Regular) -> Result<(), InputError> {
        self.count(path)?;
        let bytes = size(file);
        if bytes > self.caps.file_bytes {
            return Err(InputError::TooLarge { path: path.clone(), bytes, cap: self.caps.file_bytes });
        }
        if self.total + bytes > self.caps.total_bytes {
            return Err(InputError::TotalTooLarge { path: path.clone(), cap: self.caps.total_bytes });
        }
        let failed = |source: io::Error| InputError::Io { path: path.to_string(), source };
        let placed = Placed::create(self.source, path, Umask::Overridden).map_err(|error| failed(error.into()))?;
        let (bytes, sha256) = copy_hashed(file, &placed.file).map_err(|fault| match fault {
            CopyFault::Changed => InputError::Changed { path: path.clone() },
            CopyFault::Read(source) | CopyFault::Write(source) => failed(source),
        })?;
        self.total += bytes;
        self.listed.push(ManifestFile { path: path.clone(), role: FileRole::Input, bytes, sha256 });
        Ok(())
    }

    fn count(&mut self, path: &RelativePath) -> Result<(), InputError> {
        self.entries += 1;
        if self.entries > self.caps.entries { Err(self.too_many(path)) } else { Ok(()) }
    }

    fn too_many(&self, path: &RelativePath) -> InputError {
        InputError::TooMany { path: path.clone(), cap: self.caps.entries }
    }
}

/// An input was refused.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum InputError {
    /// Nothing is there.
    #[error("the input {path} does not exist in the workspace")]
    Missing {
        /// The input.
        path: String,
    },
    /// It is neither file nor directory.
    #[error("the input {path} is {kind}: only regular files and directories are copied; name the file itself")]
    NotAFile {
        /// The input.
        path: String,
        /// What it is.
        kind: EntryKind,
    },
    /// A directory on the way is a link.
    #[error(
        "a directory on the way to the input {path} is a symbolic link, and links are not followed: name the file itself"
    )]
    LinkOnTheWay {
        /// The input.
        path: String,
    },
    /// A path below an input directory breaks the rules for paths.
    #[error(transparent)]
    Path(#[from] PathError),
    /// A name below an input directory cannot be spelled.
    #[error("{directory} holds {name:?}, which is not text in Unicode NFC: rename it, or name the files to copy")]
    Name {
        /// The directory.
        directory: RelativePath,
        /// The name.
        name: std::ffi::OsString,
    },
    /// Two inputs are in each other's way.
    #[error(transparent)]
    Conflict(#[from] PathConflict),
    /// One is too large.
    #[error("the input {path} has {bytes} bytes, more than the cap of {cap}")]
    TooLarge {
        /// The input.
        path: RelativePath,
        /// Its size.
        bytes: u64,
        /// The cap.
        cap: u64,
    },
    /// All together are too large.
    #[error("with {path} the inputs have more than the cap of {cap} bytes together")]
    TotalTooLarge {
        /// The input that was too much.
        path: RelativePath,
        /// The cap.
        cap: u64,
    },
    /// There are too many.
    #[error("with {path} the inputs are more than the cap of {cap} files and directories: name fewer of them")]
    TooMany {
        /// The input that was too much.
        path: RelativePath,
        /// The cap.
        cap: usize,
    },
    /// It was written to meanwhile.
    #[error("the input {path} changed while it was copied: try again when nobody writes to it")]
    Changed {
        /// The input.
        path: RelativePath,
    },
    /// It could not be read, or its copy could not be written.
    #[error("could not copy the input {path}")]
    Io {
        /// The input.
        path: String,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl InputError {
    fn open(path: &RelativePath, fault: OpenFault) -> Self {
        let shown = path.to_string();
        match fault {
            OpenFault::Missing => InputError::Missing { path: shown },
            OpenFault::LinkOnTheWay => InputError::LinkOnTheWay { path: shown },
            OpenFault::NotRegular(kind) => InputError::NotAFile { path: shown, kind },
            OpenFault::OtherFileSystem => InputError::Io { path: shown, source: Errno::XDEV.into() },
            OpenFault::Unreadable => InputError::Io { path: shown, source: Errno::ACCESS.into() },
            OpenFault::Io(error) => InputError::Io { path: shown, source: error.into() },
        }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            InputError::Missing { .. } => "workspace.input_missing",
            InputError::NotAFile { .. } => "workspace.input_not_a_file",
            InputError::LinkOnTheWay { .. } => "workspace.input_link",
            InputError::Path(error) => error.code(),
            InputError::Name { .. } => "workspace.input_name",
            InputError::Conflict(conflict) => conflict.code(),
            InputError::TooLarge { .. } => "workspace.input_too_large",
            InputError::TotalTooLarge { .. } => "workspace.inputs_too_large",
            InputError::TooMany { .. } => "workspace.inputs_too_many",
            InputError::Changed { .. } => "workspace.input_changed",
            InputError::Io { .. } => "workspace.input_failed",
        }
    }
}

#[cfg(test)]
mod tests;
