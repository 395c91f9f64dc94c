//! Directories and files for this user alone, whatever the umask of the process is.

use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::path::Path;

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;

/// Opens the directory `name` of `parent`, and makes it for this user alone when it is not there. No link is followed.
///
/// # Errors
/// The system's answer: ELOOP or ENOTDIR where it is something else.
pub fn private_directory(parent: impl AsFd, name: impl AsRef<Path>) -> Result<OwnedFd, Errno> {
    let (parent, name) = (parent.as_fd(), name.as_ref());
    match rustix::fs::mkdirat(parent, name, Mode::RWXU) {
        Ok(()) => {
            // An umask can leave a directory that its own user cannot open; it can be opened as a place, and its mode can be
            // set through that.
            let place = rustix::fs::openat(parent, name, OFlags::PATH | FLAGS, Mode::empty())?;
            rustix::fs::chmod(format!("/proc/self/fd/{}", place.as_raw_fd()), Mode::RWXU)?;
        }
        Err(Errno::EXIST) => {}
        Err(error) => return Err(error),
    }
    rustix::fs::openat(parent, name, OFlags::RDONLY | FLAGS, Mode::empty())
}

const FLAGS: OFlags = OFlags::DIRECTORY.union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_directory_is_made_once_and_no_link_is_taken_for_one() {
        let place = tempfile::tempdir().unwrap();
        let parent = std::fs::File::open(place.path()).unwrap();
        private_directory(&parent, "one").unwrap();
        private_directory(&parent, "one").unwrap();
        let mode = std::fs::metadata(place.path().join("one")).unwrap().permissions().mode();
        assert_eq!(mode & 0o7777, 0o700);
        symlink("one", place.path().join("link")).unwrap();
        assert!(matches!(private_directory(&parent, "link"), Err(Errno::LOOP | Errno::NOTDIR)));
    }
}
