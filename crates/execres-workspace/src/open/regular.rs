//! Opening a regular file, and nothing that only looks like one.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags, Stat};
use rustix::io::Errno;

use super::beneath::{Mounts, open_beneath};
use super::kind::EntryKind;

/// An open regular file, with what the kernel said of it once it was open.
#[derive(Debug)]
pub(crate) struct Regular {
    pub(crate) file: File,
    pub(crate) stat: Stat,
}

/// Why there is no regular file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OpenFault {
    /// Nothing is there.
    Missing,
    /// A directory on the way is a symbolic link.
    LinkOnTheWay,
    /// It is not a regular file.
    NotRegular(EntryKind),
    /// It is, or lies in, another mount.
    OtherFileSystem,
    /// Its permissions, or those of a directory on the way, keep even us out.
    Unreadable,
    /// Something else.
    Io(Errno),
}

impl From<Errno> for OpenFault {
    fn from(error: Errno) -> Self {
        match error {
            Errno::NOENT | Errno::NOTDIR => OpenFault::Missing,
            Errno::LOOP => OpenFault::LinkOnTheWay,
            Errno::XDEV => OpenFault::OtherFileSystem,
            Errno::ACCESS | Errno::PERM => OpenFault::Unreadable,
            other => OpenFault::Io(other),
        }
    }
}

/// Opens the regular file at `path` beneath `root` for reading.
///
/// The path is resolved once, to a descriptor that can do nothing. What that is decides whether it is opened at all: opening
/// a device or a pipe can have effects of its own.
pub(crate) fn open_regular(root: impl AsFd, path: &Path, mounts: Mounts) -> Result<Regular, OpenFault> {
    let found = open_beneath(root.as_fd(), path, OFlags::PATH, mounts)?;
    let before = rustix::fs::fstat(&found)?;
    match EntryKind::of(&before) {
        EntryKind::File => {}
        other => return Err(OpenFault::NotRegular(other)),
    }
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = match reopen(&found, flags) {
        // Without /proc the path is resolved again, and the comparison below tells whether it led to the same file.
        Err(Errno::NOENT) => open_beneath(root, path, flags, mounts)?,
        answer => answer?,
    };
    let stat = rustix::fs::fstat(&file)?;
    if (stat.st_dev, stat.st_ino) != (before.st_dev, before.st_ino) {
        return Err(OpenFault::Missing);
    }
    Ok(Regular { file: File::from(file), stat })
}

/// Takes a file that somebody opened for us.
pub(crate) fn regular_from(file: File) -> Result<Regular, OpenFault> {
    let stat = rustix::fs::fstat(&file)?;
    match EntryKind::of(&stat) {
        EntryKind::File => Ok(Regular { file, stat }),
        other => Err(OpenFault::NotRegular(other)),
    }
}

fn reopen(found: &OwnedFd, flags: OFlags) -> Result<OwnedFd, Errno> {
    let path = format!("/proc/self/fd/{}", found.as_raw_fd());
    rustix::fs::open(path, flags | OFlags::CLOEXEC, Mode::empty())
}
