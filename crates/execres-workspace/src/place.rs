//! Placing new files in a tree of ours.

use std::fs::File;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

use crate::area::open_dir;
use crate::path::RelativePath;

/// Whether the process's mask of permissions applies to what is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Umask {
    /// It does: the tree is the user's.
    Applies,
    /// It does not: a guest of another identity must be able to read the tree.
    Overridden,
}

/// Makes the directory at `path` below `root`, and those above it, with mode 0755; what is there already stays.
pub(crate) fn ensure_dir(root: impl AsFd, path: &RelativePath, umask: Umask) -> Result<OwnedFd, Errno> {
    let mut at: OwnedFd = root
        .as_fd()
        .try_clone_to_owned()
        .map_err(|error| error.raw_os_error().map_or(Errno::IO, Errno::from_raw_os_error))?;
    for name in path.names() {
        let made = match rustix::fs::mkdirat(&at, name, Mode::from_raw_mode(0o755)) {
            Ok(()) => true,
            Err(Errno::EXIST) => false,
            Err(error) => return Err(error),
        };
        at = open_dir(&at, name)?;
        if made && umask == Umask::Overridden {
            rustix::fs::fchmod(&at, Mode::from_raw_mode(0o755))?;
        }
    }
    Ok(at)
}

/// A new file at its place.
#[derive(Debug)]
pub(crate) struct Placed {
    pub(crate) file: File,
    dir: OwnedFd,
    name: String,
}

impl Placed {
    /// Makes a file that must not be there, with mode 0644, and the directories above it.
    pub(crate) fn create(root: impl AsFd, path: &RelativePath, umask: Umask) -> Result<Self, Errno> {
        let root = root.as_fd();
        let dir = match path.parent() {
            Some(parent) => ensure_dir(root, &parent, umask)?,
            None => open_dir(root, ".")?,
        };
        let name = path.file_name().to_owned();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&dir, &name, flags, Mode::from_raw_mode(0o644))?;
        if umask == Umask::Overridden {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(0o644))?;
        }
        Ok(Placed { file: File::from(file), dir, name })
    }

    /// Takes the file away again.
    pub(crate) fn withdraw(self) -> Result<(), Errno> {
        rustix::fs::unlinkat(&self.dir, &self.name, rustix::fs::AtFlags::empty())
    }
}
