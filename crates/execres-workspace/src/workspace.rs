//! [`TaskWorkspace`].

use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::AmbientAuthority;
use cap_std::fs::Dir;
use execres_owner::{OwnerRegistry, private_directory};
use rustix::io::Errno;
use serde::Serialize;

use crate::access::{AccessMode, AccessRequest};
use crate::area::{Area, AreaError, make_dir};
use crate::grant::AccessGrant;
use crate::ids::{CallId, WorkspaceId};
use crate::inputs::InputError;
use crate::path::PRIVATE_DIR;

/// What tasks may do with a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WorkspaceMode {
    /// Read it.
    ReadOnly,
    /// Read and write it.
    ReadWrite,
}

/// The directory that a task works in: an open directory, which hands out grants.
///
/// Execution areas lie in a private directory within it, [`PRIVATE_DIR`], which no task may see: whoever shows a live
/// workspace to a program must hide it.
#[derive(Debug)]
pub struct TaskWorkspace {
    id: WorkspaceId,
    mode: WorkspaceMode,
    dir: Dir,
    path: PathBuf,
    registry: Arc<OwnerRegistry>,
    /// A temporary workspace goes with its last reference.
    temporary: Option<Area>,
}

impl TaskWorkspace {
    /// A workspace over an open directory.
    ///
    /// # Errors
    /// [`WorkspaceError::Open`] when the kernel does not tell where the directory is.
    pub fn new(dir: Dir, mode: WorkspaceMode, registry: Arc<OwnerRegistry>) -> Result<Self, WorkspaceError> {
        let path = path_of(dir.as_fd()).map_err(|source| WorkspaceError::Open { path: PathBuf::from("."), source })?;
        Ok(TaskWorkspace { id: WorkspaceId::of(&path), mode, dir, path, registry, temporary: None })
    }

    /// A workspace over the directory at `path`.
    ///
    /// # Errors
    /// [`WorkspaceError::Open`] when it cannot be opened.
    pub fn open_ambient(
        path: &Path,
        mode: WorkspaceMode,
        registry: Arc<OwnerRegistry>,
        authority: AmbientAuthority,
    ) -> Result<Self, WorkspaceError> {
        let dir = Dir::open_ambient_dir(path, authority)
            .map_err(|source| WorkspaceError::Open { path: path.to_owned(), source })?;
        TaskWorkspace::new(dir, mode, registry)
    }

    /// A new, empty workspace in the system's directory for temporary files. It is removed when it is dropped, and every
    /// grant of it is gone then too.
    ///
    /// # Errors
    /// [`WorkspaceError`] when it cannot be made.
    pub fn temporary(registry: Arc<OwnerRegistry>, authority: AmbientAuthority) -> Result<Self, WorkspaceError> {
        let place = std::env::temp_dir();
        let failed = |source: io::Error| WorkspaceError::Open { path: place.clone(), source };
        let parent = Dir::open_ambient_dir(&place, authority).map_err(failed)?;
        // The path that is registered has no link in it, whatever $TMPDIR says.
        let parent_path = path_of(parent.as_fd()).map_err(failed)?;
        let area = Area::create(&registry, OwnedFd::from(parent.into_std_file()), &parent_path)?;
        let path = area.path().join("workspace");
        let dir = make_dir(area.dir(), "workspace", 0o700)
            .map_err(|error| WorkspaceError::Open { path: path.clone(), source: error.into() })?;
        Ok(TaskWorkspace {
            id: WorkspaceId::of(&path),
            mode: WorkspaceMode::ReadWrite,
            dir: Dir::from_std_file(File::from(dir)),
            path,
            registry,
            temporary: Some(area),
        })
    }

    /// Its id: the same for the same directory.
    pub const fn id(&self) -> &WorkspaceId {
        &self.id
    }

    /// What tasks may do with it.
    pub const fn mode(&self) -> WorkspaceMode {
        self.mode
    }

    /// The directory.
    pub const fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Where the directory was when it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Issues a grant for one call: makes its execution area and copies its inputs. Whatever fails, nothing is left.
    ///
    /// Reads and writes files as large as the request's caps allow; call it where blocking is fine.
    ///
    /// # Errors
    /// [`WorkspaceError`] when the workspace's mode does not allow the request, an input is refused, or the area cannot be
    /// made.
    pub fn issue(&self, call: CallId, request: AccessRequest) -> Result<AccessGrant, WorkspaceError> {
        if request.mode == AccessMode::ReadWrite && self.mode == WorkspaceMode::ReadOnly {
            return Err(WorkspaceError::ReadOnly { workspace: self.id.clone() });
        }
        let areas = self.areas()?;
        let area = Area::create(&self.registry, areas, &self.path.join(PRIVATE_DIR).join("areas"))?;
        AccessGrant::new(self, area, call, request)
    }

    /// Removes a temporary workspace now, and says whether that worked. Any other workspace stays as it is.
    ///
    /// # Errors
    /// [`WorkspaceError::Area`] when it cannot be removed; it is reaped once this process is gone.
    pub fn close(self) -> Result<(), WorkspaceError> {
        match self.temporary {
            Some(area) => Ok(area.remove()?),
            None => Ok(()),
        }
    }

    /// The private directory for areas.
    fn areas(&self) -> Result<OwnedFd, WorkspaceError> {
        let path = self.path.join(PRIVATE_DIR);
        let failed =
            |error: Errno| WorkspaceError::Private { path: path.clone(), why: io::Error::from(error).to_string() };
        let mut at = self
            .dir
            .as_fd()
            .try_clone_to_owned()
            .map_err(|source| WorkspaceError::Private { path: path.clone(), why: source.to_string() })?;
        for name in [PRIVATE_DIR, "areas"] {
            // A task with live access can have put a link there, which is not followed.
            at = private_directory(&at, name).map_err(failed)?;
            let stat = rustix::fs::fstat(&at).map_err(failed)?;
            if stat.st_uid != rustix::process::geteuid().as_raw() || stat.st_mode & 0o022 != 0 {
                let why = "others can write there: remove it".to_owned();
                return Err(WorkspaceError::Private { path, why });
            }
        }
        Ok(at)
    }
}

/// Where an open directory is, links resolved.
fn path_of(dir: BorrowedFd<'_>) -> io::Result<PathBuf> {
    std::fs::read_link(format!("/proc/self/fd/{}", dir.as_raw_fd()))
}

/// A workspace cannot be opened, or does not grant what is asked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The directory cannot be opened.
    #[error("could not open the workspace {} (is it a directory, and is /proc mounted?)", path.display())]
    Open {
        /// The directory.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// The workspace is read-only.
    #[error("{workspace} is read-only: ask for a snapshot, or for read-only access")]
    ReadOnly {
        /// The workspace.
        workspace: WorkspaceId,
    },
    /// The private directory is not ours.
    #[error("the private directory {} cannot be used: {why}", path.display())]
    Private {
        /// The directory.
        path: PathBuf,
        /// Why, and what to do.
        why: String,
    },
    /// An input was refused.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The area of the grant.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// A root of the grant could not be made.
    #[error("could not make the directory {name} of the execution area")]
    Root {
        /// Its name.
        name: &'static str,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl WorkspaceError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            WorkspaceError::Open { .. } => "workspace.open_failed",
            WorkspaceError::ReadOnly { .. } => "workspace.read_only",
            WorkspaceError::Private { .. } => "workspace.private_dir_unsafe",
            WorkspaceError::Input(error) => error.code(),
            WorkspaceError::Area(error) => error.code(),
            WorkspaceError::Root { .. } => "workspace.root_create_failed",
        }
    }
}

#[cfg(test)]
mod tests;
