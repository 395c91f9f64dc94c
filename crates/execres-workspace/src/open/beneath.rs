//! Resolution beneath a directory.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use rustix::fs::{Mode, OFlags, ResolveFlags};
use rustix::io::Errno;

/// Whether resolution may enter another mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mounts {
    /// It may: the tree is the user's own.
    Cross,
    /// It may not.
    Stay,
}

/// Opens `path` beneath `root`, over no symbolic link and no magic link. The last name is never followed either: with
/// `O_PATH` a link there is opened itself, without it the answer is `ELOOP`.
pub(crate) fn open_beneath(root: impl AsFd, path: &Path, flags: OFlags, mounts: Mounts) -> Result<OwnedFd, Errno> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    if mounts == Mounts::Stay {
        resolve |= ResolveFlags::NO_XDEV;
    }
    match rustix::fs::openat2(root.as_fd(), path, flags, Mode::empty(), resolve) {
        // Kernels before 5.6, and containers whose filter answers for calls that it does not know.
        Err(Errno::NOSYS) => walk(root.as_fd(), path, flags, mounts),
        // The same, from filters that refuse; a refusal of the file system comes back from the walk.
        Err(Errno::PERM) => walk(root.as_fd(), path, flags, mounts),
        answer => answer,
    }
}

/// Opens the directory at `path` beneath `root` for reading; the root itself for an empty path.
pub(crate) fn open_dir_beneath(root: impl AsFd, path: &Path, mounts: Mounts) -> Result<OwnedFd, Errno> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    open_beneath(root, path, OFlags::RDONLY | OFlags::DIRECTORY, mounts)
}

/// The same name by name: each directory is opened without following a link, so no name can lead out.
///
/// A mount is told by its device number here, which a bind mount of the same file system shares; whoever can bind-mount
/// could copy as well.
fn walk(root: BorrowedFd<'_>, path: &Path, flags: OFlags, mounts: Mounts) -> Result<OwnedFd, Errno> {
    let device = rustix::fs::fstat(root)?.st_dev;
    let step = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut names = path.as_os_str().as_bytes().split(|byte| *byte == b'/').filter(|name| !name.is_empty()).peekable();
    let mut at: Option<OwnedFd> = None;
    while let Some(name) = names.next() {
        if name == b".." {
            return Err(Errno::XDEV);
        }
        let here = at.as_ref().map_or(root, AsFd::as_fd);
        let last = names.peek().is_none();
        let next = match rustix::fs::openat(here, name, if last { flags } else { step }, Mode::empty()) {
            // A link on the way answers as a link, as openat2 does, not as "not a directory".
            Err(Errno::NOTDIR) if is_link(here, name) => return Err(Errno::LOOP),
            answer => answer?,
        };
        if mounts == Mounts::Stay && rustix::fs::fstat(&next)?.st_dev != device {
            return Err(Errno::XDEV);
        }
        at = Some(next);
    }
    at.ok_or(Errno::NOENT)
}

fn is_link(dir: BorrowedFd<'_>, name: &[u8]) -> bool {
    rustix::fs::statat(dir, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink())
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::symlink;

    use super::*;

    type Open = fn(BorrowedFd<'_>, &Path, OFlags, Mounts) -> Result<OwnedFd, Errno>;

    const WAYS: [(&str, Open); 2] = [
        ("openat2", |root, path, flags, mounts| open_beneath(root, path, flags, mounts)),
        ("walk", |root, path, flags, mounts| walk(root, path, flags | OFlags::NOFOLLOW | OFlags::CLOEXEC, mounts)),
    ];

    #[test]
    fn both_ways_open_what_is_beneath_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let root_path = dir.path().join("root");
        std::fs::create_dir_all(root_path.join("sub")).unwrap();
        std::fs::create_dir(dir.path().join("outside")).unwrap();
        std::fs::write(dir.path().join("outside/secret"), b"s").unwrap();
        std::fs::write(root_path.join("sub/file"), b"f").unwrap();
        symlink("../../outside/secret", root_path.join("sub/link")).unwrap();
        symlink("../outside", root_path.join("way")).unwrap();
        symlink("sub", root_path.join("inner")).unwrap();
        symlink("/proc/self/root", root_path.join("magic")).unwrap();
        let root = File::open(&root_path).unwrap();
        for (name, open) in WAYS {
            let answer = |path: &str| open(root.as_fd(), Path::new(path), OFlags::RDONLY, Mounts::Stay).err();
            assert_eq!(answer("sub/file"), None, "{name} control");
            assert_eq!(answer("sub/link"), Some(Errno::LOOP), "{name}");
            assert_eq!(answer("way/secret"), Some(Errno::LOOP), "{name}");
            assert_eq!(answer("inner/file"), Some(Errno::LOOP), "{name}");
            assert_eq!(answer("magic/etc/passwd"), Some(Errno::LOOP), "{name}");
            assert_eq!(answer("../outside/secret"), Some(Errno::XDEV), "{name}");
            assert_eq!(answer("sub/none"), Some(Errno::NOENT), "{name}");
            assert_eq!(answer("sub/file/x"), Some(Errno::NOTDIR), "{name}");
            // With O_PATH the link itself is opened, so that it can be told what it is.
            let link = open(root.as_fd(), Path::new("sub/link"), OFlags::PATH, Mounts::Stay).unwrap();
            let stat = rustix::fs::fstat(link).unwrap();
            assert!(rustix::fs::FileType::from_raw_mode(stat.st_mode).is_symlink(), "{name}");
        }
    }

    #[test]
    fn another_mount_is_entered_only_where_that_is_allowed() {
        let root = File::open("/").unwrap();
        for (name, open) in WAYS {
            let open = |mounts| open(root.as_fd(), Path::new("proc/self/../version"), OFlags::RDONLY, mounts);
            assert!(open(Mounts::Stay).is_err(), "{name}");
            let version = |mounts| match name {
                "walk" => walk(root.as_fd(), Path::new("proc/version"), OFlags::RDONLY, mounts),
                _ => open_beneath(&root, Path::new("proc/version"), OFlags::RDONLY, mounts),
            };
            assert_eq!(version(Mounts::Stay).err(), Some(Errno::XDEV), "{name}");
            assert!(version(Mounts::Cross).is_ok(), "{name} control");
        }
    }
}
