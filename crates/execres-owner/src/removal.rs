//! Removing a tree that somebody else made, whatever they made of it.

use std::collections::BTreeSet;
use std::ffi::{CStr, CString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::fs::{AtFlags, Dir, IFlags, Mode, OFlags};
use rustix::io::Errno;

/// Removes everything in the directory `root`, but not the names in `keep`, nor the directory itself.
///
/// Directories without permissions, read-only and immutable ones are no obstacle. A tree of any depth is removed with a few
/// descriptors and without recursion: a directory that is not empty is moved up beside `root`'s own entries first, which
/// makes the tree flat level by level. No link is followed and no other file system is entered.
///
/// # Errors
/// When the system refuses, something is mounted in the tree, or somebody goes on writing in it: after a minute it is given up.
/// What could be removed by then is gone.
pub fn remove_contents(root: impl AsFd, keep: &[&str]) -> io::Result<()> {
    let root = root.as_fd();
    let device = rustix::fs::fstat(root)?.st_dev;
    let mut names = Names { next: 0 };
    let mut waiting = BTreeSet::new();
    let until = Instant::now() + PATIENCE;
    empty(root, root, keep, &mut names, &mut waiting, until)?;
    while let Some(name) = waiting.pop_first() {
        let dir = open_made_writable(root, &name)?;
        if rustix::fs::fstat(&dir)?.st_dev != device {
            return Err(io::Error::new(
                io::ErrorKind::CrossesDevices,
                "something is mounted in it: unmount that first",
            ));
        }
        empty(dir.as_fd(), root, &[], &mut names, &mut waiting, until)?;
        drop(dir);
        rustix::fs::unlinkat(root, &*name, AtFlags::REMOVEDIR)?;
    }
    Ok(())
}

/// Takes everything out of `dir`: files are removed, directories that are not empty move to `root` and wait.
fn empty(
    dir: BorrowedFd<'_>,
    root: BorrowedFd<'_>,
    keep: &[&str],
    names: &mut Names,
    waiting: &mut BTreeSet<CString>,
    until: Instant,
) -> io::Result<()> {
    let is_root = dir.as_raw_fd() == root.as_raw_fd();
    // A directory that changes while it is read may hide entries from one reading, so it is read until nothing is left.
    loop {
        let mut left = 0;
        for entry in Dir::read_from(dir)? {
            let entry = entry?;
            let name = entry.file_name();
            if [b".".as_slice(), b".."].contains(&name.to_bytes())
                || keep.iter().any(|keep| keep.as_bytes() == name.to_bytes())
                || (is_root && waiting.contains(name))
            {
                continue;
            }
            left += 1;
            if Instant::now() > until {
                return Err(io::Error::new(io::ErrorKind::TimedOut, "somebody goes on writing in it"));
            }
            match remove_one(dir, name)? {
                Removed::Gone => {}
                Removed::IsFull if is_root => drop(waiting.insert(name.to_owned())),
                Removed::IsFull => drop(waiting.insert(move_up(dir, name, root, names)?)),
            }
        }
        if left == 0 {
            return Ok(());
        }
    }
}

/// How long a removal may take: several million files, unless somebody makes new ones all the time.
const PATIENCE: Duration = Duration::from_secs(60);

enum Removed {
    Gone,
    IsFull,
}

fn remove_one(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<Removed> {
    match try_remove(dir, name) {
        // An immutable or append-only entry, or directory around it. Only root can set that, and only root can undo it.
        Err(Errno::PERM) => {
            clear_flags(dir);
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
            if let Ok(entry) = rustix::fs::openat(dir, name, flags, Mode::empty()) {
                clear_flags(entry);
            }
            Ok(try_remove(dir, name)?)
        }
        answer => Ok(answer?),
    }
}

fn try_remove(dir: BorrowedFd<'_>, name: &CStr) -> Result<Removed, Errno> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(Removed::Gone),
        // Linux says EISDIR of a directory; POSIX says EPERM, which an immutable file gets too.
        Err(Errno::ISDIR) => {}
        Err(Errno::PERM) => {
            let stat = rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if !rustix::fs::FileType::from_raw_mode(stat.st_mode).is_dir() {
                return Err(Errno::PERM);
            }
        }
        Err(error) => return Err(error),
    }
    match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(Removed::Gone),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(Removed::IsFull),
        Err(error) => Err(error),
    }
}

fn move_up(dir: BorrowedFd<'_>, name: &CStr, root: BorrowedFd<'_>, names: &mut Names) -> io::Result<CString> {
    // Moving a directory changes its `..`, for which its owner needs permission to write in it.
    drop(open_made_writable(dir, name)?);
    loop {
        let free = names.next();
        match rustix::fs::renameat(dir, name, root, &*free) {
            Ok(()) => return Ok(free),
            // The tree holds that name itself.
            Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR | Errno::ISDIR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Opens a directory for reading, after giving its owner every permission.
fn open_made_writable(dir: BorrowedFd<'_>, name: &CStr) -> io::Result<OwnedFd> {
    // A directory without permissions can be opened as a place, and its mode can be set through that.
    let place = rustix::fs::openat(
        dir,
        name,
        OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC,
        Mode::empty(),
    )?;
    let mode = rustix::fs::fstat(&place)?.st_mode;
    if mode & 0o700 != 0o700 {
        let path = format!("/proc/self/fd/{}", place.as_raw_fd());
        match rustix::fs::chmod(&*path, Mode::from_raw_mode(0o700)) {
            // Immutable: only root gets this far, and root needs no permission bits.
            Ok(()) | Err(Errno::PERM) => {}
            Err(error) => return Err(error.into()),
        }
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = rustix::fs::openat(&place, ".", flags, Mode::empty())?;
    clear_flags(&open);
    Ok(open)
}

/// Best effort: where it is refused, or the file system has no such flags, the removal itself says so.
fn clear_flags(entry: impl AsFd) {
    let entry = entry.as_fd();
    let Ok(flags) = rustix::fs::ioctl_getflags(entry) else { return };
    if flags.intersects(IFlags::IMMUTABLE | IFlags::APPEND) {
        let _refused = rustix::fs::ioctl_setflags(entry, flags - (IFlags::IMMUTABLE | IFlags::APPEND));
    }
}

/// Names for directories that were moved up.
struct Names {
    next: u64,
}

impl Names {
    fn next(&mut self) -> CString {
        self.next += 1;
        // Digits and letters hold no NUL, so there is always a C string.
        CString::new(format!(".moved-{:x}", self.next)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
