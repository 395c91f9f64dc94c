//! An area: a directory of ours that is written down before it is made, and carries its owner's mark.

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execres_owner::{
    Leftover, MARK_FILE, MarkError, OwnerMark, OwnerRegistry, Reap, ReapError, Reaper, Registration, RegistryError,
    remove_contents,
};
use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use uuid::Uuid;

use crate::open::{Mounts, open_dir_beneath};

/// The kind under which areas are registered.
pub const AREA_KIND: &str = "areas";

/// A directory with an owner. Dropping it removes it, as far as that goes; what is left is reaped later.
#[derive(Debug)]
pub(crate) struct Area {
    parent: OwnedFd,
    name: String,
    dir: OwnedFd,
    path: PathBuf,
    /// `None` once the area is removed or given up.
    registration: Option<Registration>,
}

impl Area {
    /// Makes an area in the directory open as `parent`, which is at `parent_path`.
    pub(crate) fn create(
        registry: &Arc<OwnerRegistry>,
        parent: OwnedFd,
        parent_path: &Path,
    ) -> Result<Self, AreaError> {
        let name = format!("area-{}", Uuid::new_v4());
        let path = parent_path.join(&name);
        let registration = registry.register(AREA_KIND, &name, &path)?;
        let made = make_dir(&parent, &name, 0o700);
        let dir = match made {
            Ok(dir) => dir,
            Err(error) => {
                registration.release()?;
                return Err(AreaError::Create { path, source: error.into() });
            }
        };
        let area = Area { parent, name, dir, path, registration: Some(registration) };
        registry.mark().write_into(&area.dir)?;
        Ok(area)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn dir(&self) -> BorrowedFd<'_> {
        self.dir.as_fd()
    }

    /// Removes the area and strikes it off the register.
    pub(crate) fn remove(mut self) -> Result<(), AreaError> {
        self.remove_now()
    }

    /// Leaves the directory where it is: nobody owns it from here on, and nothing reaps it.
    pub(crate) fn keep(mut self) -> Result<PathBuf, AreaError> {
        if let Some(registration) = self.registration.take() {
            registration.release()?;
            OwnerMark::remove_from(&self.dir)?;
        }
        Ok(self.path.clone())
    }

    fn remove_now(&mut self) -> Result<(), AreaError> {
        let Some(registration) = self.registration.take() else { return Ok(()) };
        remove_marked(&self.parent, &self.name, &self.dir)
            .map_err(|source| AreaError::Remove { path: self.path.clone(), source })?;
        registration.release()?;
        Ok(())
    }
}

impl Drop for Area {
    fn drop(&mut self) {
        if let Err(error) = self.remove_now() {
            tracing::warn!(code = error.code(), path = %self.path.display(), "an area was left behind and will be reaped");
        }
    }
}

/// Removes a marked directory. The mark goes last, so that what an interruption leaves still says whose it is.
fn remove_marked(parent: impl AsFd, name: &str, dir: impl AsFd) -> io::Result<()> {
    let dir = dir.as_fd();
    remove_contents(dir, &[MARK_FILE])?;
    OwnerMark::remove_from(dir).map_err(io::Error::other)?;
    match rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Makes a directory, which must not be there, with exactly this mode whatever the process's mask, and opens it.
pub(crate) fn make_dir(parent: impl AsFd, name: &str, mode: u32) -> Result<OwnedFd, Errno> {
    let parent = parent.as_fd();
    rustix::fs::mkdirat(parent, name, Mode::from_raw_mode(mode))?;
    let made = open_dir(parent, name)
        .or_else(|error| match error {
            // The mask took from the owner what opening needs.
            Errno::ACCESS => open_to_owner(parent, name).and_then(|()| open_dir(parent, name)),
            error => Err(error),
        })
        .and_then(|dir| rustix::fs::fchmod(&dir, Mode::from_raw_mode(mode)).map(|()| dir));
    if made.is_err() {
        // Nothing has a mark yet by which it could be found again.
        if let Err(error) = rustix::fs::unlinkat(parent, name, AtFlags::REMOVEDIR) {
            tracing::warn!(name, %error, "a directory that could not be opened was left behind");
        }
    }
    made
}

/// Gives a directory's owner access to it, without needing any to it, and not over a link.
fn open_to_owner(parent: BorrowedFd<'_>, name: &str) -> Result<(), Errno> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let dir = rustix::fs::openat(parent, name, flags, Mode::empty())?;
    rustix::fs::chmod(format!("/proc/self/fd/{}", dir.as_raw_fd()), Mode::RWXU)
}

/// Opens a directory by name, not over a link.
pub(crate) fn open_dir(parent: impl AsFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(parent, name, flags, Mode::empty())
}

/// Removes areas that dead owners left. Give it to [`execres_owner::reap`].
#[derive(Debug, Clone, Copy, Default)]
pub struct AreaReaper;

impl Reaper for AreaReaper {
    fn kind(&self) -> &str {
        AREA_KIND
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        let failed =
            |why: &dyn std::fmt::Display| ReapError::Failed { path: leftover.path.clone(), why: why.to_string() };
        let foreign = || ReapError::NotOurs { path: leftover.path.clone() };
        let (Some(parent), Some(name)) =
            (leftover.path.parent(), leftover.path.file_name().and_then(|name| name.to_str()))
        else {
            return Err(foreign());
        };
        let slash = File::open("/").map_err(|error| failed(&error))?;
        let parent = parent.strip_prefix("/").map_err(|_| foreign())?;
        // The path that was registered had no link in it. A link in it today leads to somebody else's directory.
        let parent = match open_dir_beneath(&slash, parent, Mounts::Cross) {
            Ok(parent) => parent,
            Err(Errno::NOENT) => return Ok(Reap::Absent),
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(foreign()),
            Err(error) => return Err(failed(&error)),
        };
        let dir = match open_dir(&parent, name) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Ok(Reap::Absent),
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(foreign()),
            Err(error) => return Err(failed(&error)),
        };
        if leftover.owns(&dir).unwrap_or(false) {
            return remove_marked(&parent, name, &dir).map(|()| Reap::Removed).map_err(|error| failed(&error));
        }
        // Its owner died between making it and marking it, or between taking the mark away and removing it: then it is empty,
        // and an empty directory of this random name can be nobody else's.
        match OwnerMark::read_from(&dir) {
            Ok(None) => {}
            Ok(Some(_)) | Err(_) => return Err(foreign()),
        }
        OwnerMark::remove_from(&dir).map_err(|error| failed(&error))?;
        match rustix::fs::unlinkat(&parent, name, AtFlags::REMOVEDIR) {
            Ok(()) => Ok(Reap::Removed),
            Err(Errno::NOENT) => Ok(Reap::Absent),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(foreign()),
            Err(error) => Err(failed(&error)),
        }
    }
}

/// An area could not be made or removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AreaError {
    /// The register of what this process owns.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// The owner's mark.
    #[error(transparent)]
    Mark(#[from] MarkError),
    /// The directory could not be made.
    #[error("could not make the execution area {} (is the workspace writable, and is there room?)", path.display())]
    Create {
        /// The directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The directory could not be removed. It stays registered and is tried again once this process is gone.
    #[error("could not remove the execution area {}: it is tried again by the next host", path.display())]
    Remove {
        /// The directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl AreaError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            AreaError::Registry(error) => error.code(),
            AreaError::Mark(error) => error.code(),
            AreaError::Create { .. } => "workspace.area_create_failed",
            AreaError::Remove { .. } => "workspace.area_remove_failed",
        }
    }
}

#[cfg(test)]
mod tests;
