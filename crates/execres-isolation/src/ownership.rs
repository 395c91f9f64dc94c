//! Gives a working copy to the guest's user.

use std::ffi::CStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{AtFlags, Dir, FileType, Gid, Mode, OFlags, Stat, Uid};

use crate::profile::Source;

/// Levels of directories. More than any working copy has, and few enough for descriptors and stack.
const DEEPEST: usize = 64;

/// Gives the directory and everything below it to a user, by descriptors alone: a name that leads elsewhere by now gives nothing
/// away.
///
/// # Errors
/// When it is no longer the directory that was looked at, is too deep, or holds a file of another file system or with a second
/// name, which would be somebody else's.
pub(crate) fn give_to(source: &Source, id: u32) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let root = rustix::fs::open(&source.path, flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&root)?;
    if (stat.st_dev, stat.st_ino) != (source.device, source.inode) {
        return Err(refused("it is no longer the directory that was looked at"));
    }
    directory(&root, source.device, id, 0)
}

fn directory(at: &OwnedFd, device: u64, id: u32, depth: usize) -> io::Result<()> {
    if depth > DEEPEST {
        return Err(refused("it has too many levels of directories"));
    }
    own(at, c"", id, AtFlags::EMPTY_PATH)?;
    for entry in Dir::read_from(at)? {
        let entry = entry?;
        let name = entry.file_name();
        if name == c"." || name == c".." {
            continue;
        }
        let (file, stat) = open(at, name)?;
        if stat.st_dev != device {
            return Err(refused("another file system is mounted in it"));
        }
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => {
                let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
                let below = rustix::fs::openat(at, name, flags, Mode::empty())?;
                if rustix::fs::fstat(&below)?.st_ino != stat.st_ino {
                    return Err(refused("it changed while it was given away"));
                }
                directory(&below, device, id, depth + 1)?;
            }
            FileType::RegularFile if stat.st_nlink != 1 => return Err(refused("a file in it has a second name")),
            _ => own(&file, c"", id, AtFlags::EMPTY_PATH)?,
        }
    }
    Ok(())
}

/// The thing itself, whatever it is, and never what it leads to.
fn open(at: &OwnedFd, name: &CStr) -> io::Result<(OwnedFd, Stat)> {
    let file = rustix::fs::openat(at, name, OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    Ok((file, stat))
}

fn own(at: impl AsFd, name: &CStr, id: u32, flags: AtFlags) -> io::Result<()> {
    let (user, group) = (Uid::from_raw(id), Gid::from_raw(id));
    Ok(rustix::fs::chownat(at, name, Some(user), Some(group), flags)?)
}

fn refused(why: &str) -> io::Error {
    io::Error::other(why.to_owned())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{MetadataExt, symlink};

    use super::*;

    /// An id that is nobody's here.
    const SOMEBODY: u32 = 0x7000_1234;

    fn is_root(test: &str) -> bool {
        let root = rustix::process::geteuid().is_root();
        if !root {
            eprintln!("EXECRES-SKIP: {test}: optional: only root can give files away");
        }
        root
    }

    #[test]
    fn a_tree_is_given_and_what_its_links_lead_to_is_not() {
        if !is_root("a_tree_is_given_and_what_its_links_lead_to_is_not") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path().join("tree");
        fs::create_dir_all(tree.join("a/b")).unwrap();
        fs::write(tree.join("a/b/file"), "").unwrap();
        fs::write(dir.path().join("foreign"), "").unwrap();
        symlink(dir.path().join("foreign"), tree.join("link")).unwrap();
        give_to(&Source::open(&tree).unwrap(), SOMEBODY).unwrap();
        let owner = |path: &str| fs::metadata(dir.path().join(path)).unwrap().uid();
        assert_eq!(
            [owner("tree"), owner("tree/a/b"), owner("tree/a/b/file"), owner("foreign")],
            [SOMEBODY, SOMEBODY, SOMEBODY, 0]
        );
    }

    #[test]
    fn a_directory_that_was_swapped_and_files_with_a_second_name_are_refused() {
        if !is_root("a_directory_that_was_swapped_and_files_with_a_second_name_are_refused") {
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let (tree, precious) = (dir.path().join("tree"), dir.path().join("precious"));
        fs::create_dir(&tree).unwrap();
        fs::create_dir(&precious).unwrap();
        fs::write(precious.join("file"), "").unwrap();
        let source = Source::open(&tree).unwrap();
        fs::rename(&tree, dir.path().join("moved")).unwrap();
        symlink(&precious, &tree).unwrap();
        assert!(give_to(&source, SOMEBODY).is_err());
        fs::remove_file(&tree).unwrap();
        fs::rename(&precious, &tree).unwrap();
        assert!(give_to(&source, SOMEBODY).is_err(), "another directory of the same name");
        assert_eq!(fs::metadata(tree.join("file")).unwrap().uid(), 0);

        fs::hard_link(tree.join("file"), dir.path().join("second")).unwrap();
        assert!(give_to(&Source::open(&tree).unwrap(), SOMEBODY).is_err());
        assert_eq!(fs::metadata(dir.path().join("second")).unwrap().uid(), 0);
    }
}
