//! Directories that are made for one run or one probe, written down before they are made, and removed whatever is in them.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execres_owner::{Leftover, OwnerRegistry, Reap, ReapError, Reaper, Registration, remove_contents};
use rustix::fs::{Mode, OFlags};

use crate::identity::Identity;

/// TMPDIR and HOME of a run without a root of its own, in its directory.
pub(crate) const TEMPORARY: &str = "tmp";
pub(crate) const HOME: &str = "home";

/// A directory of ours, which goes when this is dropped.
#[derive(Debug)]
pub(crate) struct OwnDirectory {
    path: PathBuf,
    registration: Option<Registration>,
    /// Whether it is left for the reaper.
    left: bool,
    /// Only the process that made it removes it; a fork of the host has only a copy of this.
    host: rustix::process::Pid,
}

impl OwnDirectory {
    /// Makes it, after it was written down for the case that this process is killed meanwhile.
    pub(crate) fn make(kind: &str, name: &str, owners: Option<&Arc<OwnerRegistry>>) -> io::Result<Self> {
        let path = path_for(name);
        let registration = match owners {
            Some(owners) => Some(owners.register(kind, name, &path).map_err(io::Error::other)?),
            None => None,
        };
        make(&path)?;
        Ok(OwnDirectory { path, registration, left: false, host: rustix::process::getpid() })
    }

    /// A directory for a run without a root of its own: `tmp` and `home` in it are the guest's.
    pub(crate) fn for_run(identity: Identity, owners: Option<&Arc<OwnerRegistry>>) -> io::Result<Self> {
        let name = format!("{RUN_PREFIX}{}", uuid::Uuid::new_v4().simple());
        let directory = Self::make(RUN, &name, owners)?;
        for name in [TEMPORARY, HOME] {
            let path = directory.path.join(name);
            make(&path)?;
            if let Identity::Range { id } = identity {
                std::os::unix::fs::chown(&path, Some(id), Some(id))?;
            }
        }
        if let Identity::Range { .. } = identity {
            // The guest passes through, and finds its two directories by their names.
            fs::set_permissions(&directory.path, fs::Permissions::from_mode(0o711))?;
        }
        Ok(directory)
    }

    /// Lets go of it while somebody may still write there. It stays registered, and is removed when this process is gone.
    pub(crate) fn leave_to_the_reaper(mut self) {
        self.registration = None;
        self.left = true;
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for OwnDirectory {
    fn drop(&mut self) {
        if self.left || self.host != rustix::process::getpid() {
            return;
        }
        let removed = remove(&self.path).map_err(|error| error.to_string());
        let released = removed.and_then(|()| match self.registration.take() {
            Some(registration) => registration.release().map_err(|error| error.to_string()),
            None => Ok(()),
        });
        if let Err(error) = released {
            tracing::debug!(%error, "a directory of a run or a probe stays until it is reaped");
        }
    }
}

/// Makes a directory for this user alone, whatever the umask is.
fn make(path: &Path) -> io::Result<()> {
    fs::DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700))
}

fn remove(path: &Path) -> io::Result<()> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let directory = match rustix::fs::open(path, flags, Mode::empty()) {
        // A guest with the host's own user can have closed it.
        Err(rustix::io::Errno::ACCESS) => {
            rustix::fs::chmod(path, Mode::RWXU)?;
            rustix::fs::open(path, flags, Mode::empty())?
        }
        other => other?,
    };
    remove_contents(&directory, &[])?;
    fs::remove_dir(path)
}

/// Where temporary files go, unless that place is closed to the guest's identity or its name is too long for a socket.
fn path_for(name: &str) -> PathBuf {
    // The kernel's limit for the path of a socket, its final NUL aside.
    const LONGEST: usize = 107;
    let place = std::env::temp_dir();
    let length = place.join(name).join("socket").as_os_str().len();
    // An ordinary user's guest has that user's own identity, and can reach what the user can.
    let reachable = !rustix::process::geteuid().is_root()
        || place.ancestors().all(|part| fs::metadata(part).is_ok_and(|part| part.mode() & 0o001 != 0));
    // Whoever owns a directory above could swap what is made there under our hands. A sticky directory is everybody's, and
    // lets nobody do that.
    let own = rustix::process::geteuid().as_raw();
    let safe = place.ancestors().all(|part| {
        fs::symlink_metadata(part).is_ok_and(|part| {
            let trusted = part.uid() == 0 || part.uid() == own;
            trusted && part.is_dir() && (part.mode() & 0o022 == 0 || part.mode() & 0o1000 != 0)
        })
    });
    let usable = place.is_absolute() && safe && reachable && length <= LONGEST;
    let place = if usable { place } else { PathBuf::from("/tmp") };
    // By its real name, which is the one that a grant has to have where there are no mounts.
    place.canonicalize().unwrap_or(place).join(name)
}

/// The name of a registered directory, when it is one that this library could have made.
pub(crate) fn name_of<'a>(leftover: &'a Leftover, prefix: &str) -> Result<&'a str, ReapError> {
    let name = leftover.path.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with(prefix));
    let name = name.filter(|name| *name == leftover.id.as_str());
    name.ok_or_else(|| ReapError::NotOurs { path: leftover.path.clone() })
}

/// Removes a directory whose name was looked at with [`name_of`].
pub(crate) fn reap(leftover: &Leftover) -> Result<Reap, ReapError> {
    let path = &leftover.path;
    let failed = |error: io::Error| ReapError::Failed { path: path.clone(), why: error.to_string() };
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Reap::Absent),
        Err(error) => Err(failed(error)),
        // Nobody else could have made a directory of this user's.
        Ok(metadata) if metadata.is_dir() && metadata.uid() == rustix::process::geteuid().as_raw() => {
            remove(path).map_err(failed)?;
            Ok(Reap::Removed)
        }
        Ok(_) => Err(ReapError::NotOurs { path: path.clone() }),
    }
}

/// The kind under which the directories of runs are registered.
pub(crate) const RUN: &str = "run-directory";
/// How their names start.
pub(crate) const RUN_PREFIX: &str = "execres-run-";

/// Removes what runs without a root of their own left of dead owners.
#[derive(Debug, Clone, Copy, Default)]
pub struct RunDirectoryReaper;

impl Reaper for RunDirectoryReaper {
    fn kind(&self) -> &str {
        RUN
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        name_of(leftover, RUN_PREFIX)?;
        reap(leftover)
    }
}
