//! The state directory: where a user's hosts write down what they own.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::private::private_directory;

/// An open state directory. It belongs to this user alone, and no link led to it.
#[derive(Debug)]
pub struct StateDir {
    path: PathBuf,
    dir: OwnedFd,
}

impl StateDir {
    /// Opens this user's state directory, and makes it when it is not there.
    ///
    /// `$EXECRES_STATE_DIR` where it is set, and nothing else then. Otherwise the first that this system has:
    /// `/run/execres` for root, `$XDG_RUNTIME_DIR/execres`, `execres-<uid>` in `$TMPDIR` or `/tmp`.
    ///
    /// # Errors
    /// [`StateError::Unsafe`] when somebody else could write there: that is never skipped in favour of the next place.
    /// [`StateError::Io`] when no place can be used.
    pub fn open() -> Result<Self, StateError> {
        if let Some(path) = std::env::var_os("EXECRES_STATE_DIR").filter(|value| !value.is_empty()) {
            return Self::open_at(Path::new(&path));
        }
        let mut last = None;
        for path in default_places() {
            match Self::open_at(&path) {
                Err(StateError::Io { path, source }) if is_absent(&source) => {
                    last = Some(StateError::Io { path, source });
                }
                answer => return answer,
            }
        }
        Err(last.unwrap_or_else(|| StateError::Io {
            path: PathBuf::from("/tmp"),
            source: io::Error::from(io::ErrorKind::NotFound),
        }))
    }

    /// Opens the state directory at `path`, whose parent must exist.
    ///
    /// # Errors
    /// As for [`StateDir::open`].
    pub fn open_at(path: &Path) -> Result<Self, StateError> {
        let failed = |source: Errno| StateError::Io { path: path.to_owned(), source: source.into() };
        let dir = match private_directory(rustix::fs::CWD, path) {
            Ok(dir) => dir,
            Err(Errno::LOOP | Errno::NOTDIR) => {
                return Err(StateError::Unsafe { path: path.to_owned(), why: "it is a link or not a directory" });
            }
            Err(error) => return Err(failed(error)),
        };
        let stat = rustix::fs::fstat(&dir).map_err(failed)?;
        if stat.st_uid != rustix::process::geteuid().as_raw() {
            return Err(StateError::Unsafe { path: path.to_owned(), why: "it belongs to another user" });
        }
        if stat.st_mode & 0o077 != 0 {
            return Err(StateError::Unsafe { path: path.to_owned(), why: "others have access to it" });
        }
        // A path from the environment may be relative, and what is registered must outlive a change of directory.
        let path = std::path::absolute(path).map_err(|source| StateError::Io { path: path.to_owned(), source })?;
        let state = StateDir { path, dir };
        state.make_dir(&state.dir, "owners")?;
        Ok(state)
    }

    /// Every place where a process of this user may keep its state: the one that the environment names, and those that are
    /// looked at without it. Nothing is made.
    pub fn places() -> Vec<PathBuf> {
        let named = std::env::var_os("EXECRES_STATE_DIR").filter(|value| !value.is_empty()).map(PathBuf::from);
        named.into_iter().chain(default_places()).collect()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn owners(&self) -> Result<OwnedFd, StateError> {
        open_dir_at(&self.dir, Path::new("owners")).map_err(|error| self.failed(error))
    }

    /// Makes a directory of ours, unless it is there, and opens it.
    pub(crate) fn make_dir(&self, parent: impl AsFd, name: &str) -> Result<OwnedFd, StateError> {
        let parent: BorrowedFd<'_> = parent.as_fd();
        private_directory(parent, name).map_err(|error| self.failed(error))
    }

    /// Waits for the lock under which owners come and go. It is let go when the descriptor is closed.
    pub(crate) fn lock(&self) -> Result<OwnedFd, StateError> {
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.dir, "lock", flags, Mode::from_raw_mode(0o600))
            .map_err(|error| self.failed(error))?;
        // Whatever the umask took away: the next process of this user has to open it.
        rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600)).map_err(|error| self.failed(error))?;
        rustix::io::retry_on_intr(|| rustix::fs::flock(&file, FlockOperation::LockExclusive))
            .map_err(|error| self.failed(error))?;
        Ok(file)
    }

    pub(crate) fn failed(&self, error: impl Into<io::Error>) -> StateError {
        StateError::Io { path: self.path.clone(), source: error.into() }
    }
}

pub(crate) fn open_dir_at(parent: impl AsFd, name: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

fn default_places() -> Vec<PathBuf> {
    let uid = rustix::process::geteuid();
    let mut places = Vec::new();
    if uid.is_root() {
        places.push(PathBuf::from("/run/execres"));
    }
    if let Some(runtime) = std::env::var_os("XDG_RUNTIME_DIR").filter(|value| !value.is_empty()) {
        places.push(Path::new(&runtime).join("execres"));
    }
    places.push(std::env::temp_dir().join(format!("execres-{}", uid.as_raw())));
    places
}

/// Whether the system has no such place, as opposed to one that must not be used.
fn is_absent(error: &io::Error) -> bool {
    use io::ErrorKind::{NotADirectory, NotFound, PermissionDenied, ReadOnlyFilesystem};
    matches!(error.kind(), NotFound | NotADirectory | PermissionDenied | ReadOnlyFilesystem)
}

/// The state directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// The system refused.
    #[error("the state directory {} cannot be used; set EXECRES_STATE_DIR to a directory of your own", path.display())]
    Io {
        /// The directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// Somebody else could change what is written there.
    #[error(
        "the state directory {} is not safe to use, since {why}: remove it, or set EXECRES_STATE_DIR to a directory of \
         your own with mode 0700",
        path.display()
    )]
    Unsafe {
        /// The directory.
        path: PathBuf,
        /// What is wrong with it.
        why: &'static str,
    },
}

impl StateError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            StateError::Io { .. } => "owner.state_io",
            StateError::Unsafe { .. } => "owner.state_unsafe",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_directory_is_made_for_this_user_alone() {
        let dir = tempfile::tempdir().unwrap();
        let state = StateDir::open_at(&dir.path().join("state")).unwrap();
        assert_eq!(std::fs::metadata(state.path()).unwrap().permissions().mode() & 0o777, 0o700);
        StateDir::open_at(state.path()).expect("opening it again is fine");
    }

    #[test]
    fn links_files_and_open_directories_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        StateDir::open_at(&at("real")).expect("control");
        symlink(at("real"), at("link")).unwrap();
        std::fs::write(at("file"), b"").unwrap();
        std::fs::create_dir(at("open")).unwrap();
        std::fs::set_permissions(at("open"), std::fs::Permissions::from_mode(0o755)).unwrap();
        for name in ["link", "file", "open"] {
            assert_eq!(StateDir::open_at(&at(name)).unwrap_err().code(), "owner.state_unsafe", "{name}");
        }
        assert_eq!(StateDir::open_at(&at("no/such")).unwrap_err().code(), "owner.state_io");
    }

    #[test]
    fn a_directory_of_another_user_is_refused() {
        if !rustix::process::geteuid().is_root() {
            eprintln!("not run: giving a directory away needs root");
            return;
        }
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("state");
        StateDir::open_at(&path).expect("control");
        std::os::unix::fs::chown(&path, Some(65534), None).unwrap();
        assert!(StateDir::open_at(&path).unwrap_err().to_string().contains("belongs to another user"));
    }
}
