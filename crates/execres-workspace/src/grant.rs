//! [`AccessGrant`]: exact, short-lived permission for one call.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cap_std::fs::Dir;
use rustix::io::Errno;

use crate::access::{AccessMode, AccessRequest, Retention, Role};
use crate::area::{Area, AreaError, make_dir};
use crate::digest::{Sha256, Sha256Hasher};
use crate::fileset::{FileEntry, FileSet};
use crate::ids::{CallId, GrantId, WorkspaceId};
use crate::inputs::Inputs;
use crate::manifest::{Manifest, ManifestFile};
use crate::path::{OUTPUT_DIR, PathConflict, PathSet, RelativePath};
use crate::place::{Placed, Umask};
use crate::workspace::{TaskWorkspace, WorkspaceError};

/// Permission for one call: an execution area of its own with a directory for each [`Role`], and the workspace itself in the
/// two live modes.
///
/// [`AccessGrant::close`] removes the area and says whether that worked. Dropping the grant removes it too, on the spot and
/// without a word; where that fails, the area stays registered and is reaped once this process is gone.
#[derive(Debug)]
pub struct AccessGrant {
    id: GrantId,
    workspace: WorkspaceId,
    call: CallId,
    mode: AccessMode,
    retention: Retention,
    /// In the order of [`Role::ALL`].
    roots: [Root; 5],
    workspace_root: Option<Root>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct Root {
    path: PathBuf,
    dir: Dir,
}

#[derive(Debug)]
struct State {
    stage: Stage,
    /// `None` once the grant is closed.
    area: Option<Area>,
}

#[derive(Debug)]
enum Stage {
    Issued { inputs: Vec<ManifestFile>, paths: PathSet },
    Materialised,
}

impl AccessGrant {
    pub(crate) fn new(
        workspace: &TaskWorkspace,
        area: Area,
        call: CallId,
        request: AccessRequest,
    ) -> Result<Self, WorkspaceError> {
        let root = |role: Role| -> Result<Root, WorkspaceError> {
            let dir = make_dir(area.dir(), role.name(), role.mode())
                .map_err(|error| WorkspaceError::Root { name: role.name(), source: error.into() })?;
            Ok(Root { path: area.path().join(role.name()), dir: Dir::from_std_file(File::from(dir)) })
        };
        let [source, build, output, kept, logs] = Role::ALL.map(root);
        let roots = [source?, build?, output?, kept?, logs?];
        let source = &roots[0].dir;
        // Where the guest's output directory is mounted.
        make_dir(source, OUTPUT_DIR, 0o755)
            .map_err(|error| WorkspaceError::Root { name: OUTPUT_DIR, source: error.into() })?;
        let mut inputs = Inputs::new(source, request.caps);
        for path in &request.inputs {
            inputs.copy(workspace.dir(), path)?;
        }
        for input in request.input_files {
            inputs.copy_file(input)?;
        }
        let (inputs, paths) = inputs.finish();
        let workspace_root = match request.mode {
            AccessMode::Snapshot => None,
            AccessMode::ReadOnly | AccessMode::ReadWrite => Some(Root {
                path: workspace.path().to_owned(),
                dir: workspace
                    .dir()
                    .try_clone()
                    .map_err(|source| WorkspaceError::Root { name: "workspace", source })?,
            }),
        };
        Ok(AccessGrant {
            id: GrantId::random(),
            workspace: workspace.id().clone(),
            call,
            mode: request.mode,
            retention: request.retention,
            roots,
            workspace_root,
            state: Mutex::new(State { stage: Stage::Issued { inputs, paths }, area: Some(area) }),
        })
    }

    /// Its id.
    pub const fn id(&self) -> &GrantId {
        &self.id
    }

    /// The workspace that issued it.
    pub const fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    /// The call that it is for.
    pub const fn call(&self) -> &CallId {
        &self.call
    }

    /// How it sees the workspace.
    pub const fn mode(&self) -> AccessMode {
        self.mode
    }

    /// The absolute path of a root, without a link in it.
    pub fn root(&self, role: Role) -> &Path {
        &self.roots[role as usize].path
    }

    /// The open directory of a root.
    pub fn dir(&self, role: Role) -> &Dir {
        &self.roots[role as usize].dir
    }

    /// The workspace itself: its path and directory, in the two live modes.
    pub fn workspace_root(&self) -> Option<(&Path, &Dir)> {
        self.workspace_root.as_ref().map(|root| (root.path.as_path(), &root.dir))
    }

    /// Writes the files of a set into the source root, and says what is there then, inputs included. Once per grant.
    ///
    /// Every file is made new, and its digest is taken again from what the descriptor that wrote it gives back.
    ///
    /// # Errors
    /// [`MaterializeError`]; the grant cannot be materialised again then.
    pub fn materialize(&self, files: &FileSet) -> Result<Manifest, MaterializeError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.area.is_none() {
            return Err(MaterializeError::Closed { grant: self.id.clone() });
        }
        let Stage::Issued { inputs: mut listed, mut paths } = std::mem::replace(&mut state.stage, Stage::Materialised)
        else {
            return Err(MaterializeError::Again { grant: self.id.clone() });
        };
        for file in files.files() {
            paths.insert_file(file.path())?;
        }
        for file in files.files() {
            let failed = |source: io::Error| MaterializeError::Io { path: file.path().clone(), source };
            let placed = Placed::create(self.dir(Role::Source), file.path(), Umask::Overridden)
                .map_err(|error: Errno| failed(error.into()))?;
            let sha256 = write_and_read_back(placed.file, file.content()).map_err(failed)?;
            if sha256 != file.sha256() {
                return Err(MaterializeError::Digest {
                    path: file.path().clone(),
                    expected: file.sha256(),
                    found: sha256,
                });
            }
            listed.push(listing(file));
        }
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Manifest {
            grant: self.id.clone(),
            workspace: self.workspace.clone(),
            call: self.call.clone(),
            files: listed,
        })
    }

    /// Makes the output root reachable as `output` in the source root, by a link, for a program that runs on the host itself.
    /// A box mounts its own place there instead.
    ///
    /// # Errors
    /// [`io::Error`] when the empty directory there cannot be replaced.
    pub fn link_output(&self) -> io::Result<()> {
        let source = self.dir(Role::Source);
        rustix::fs::unlinkat(source, OUTPUT_DIR, rustix::fs::AtFlags::REMOVEDIR)?;
        Ok(rustix::fs::symlinkat(format!("../{}", Role::Output.name()), source, OUTPUT_DIR)?)
    }

    /// Closes the grant: its execution area goes, or stays where [`Retention::Keep`] was asked for. Closing again does nothing.
    ///
    /// Removes as many files as the call left; call it where blocking is fine.
    ///
    /// # Errors
    /// [`AreaError`] when the area cannot be removed. It stays registered and is reaped once this process is gone.
    pub fn close(&self) -> Result<(), AreaError> {
        let area = self.state.lock().unwrap_or_else(PoisonError::into_inner).area.take();
        match (area, self.retention) {
            (None, _) => Ok(()),
            (Some(area), Retention::Remove) => area.remove(),
            (Some(area), Retention::Keep) => area.keep().map(drop),
        }
    }
}

impl Drop for AccessGrant {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            tracing::warn!(code = error.code(), grant = %self.id, "an execution area was left behind and will be reaped");
        }
    }
}

fn write_and_read_back(mut file: File, content: &[u8]) -> io::Result<Sha256> {
    file.write_all(content)?;
    file.rewind()?;
    let mut hasher = Sha256Hasher::new();
    let mut buffer = vec![0; 64 << 10];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.finish()),
            got => hasher.update(&buffer[..got]),
        }
    }
}

fn listing(file: &FileEntry) -> ManifestFile {
    ManifestFile {
        path: file.path().clone(),
        role: file.role(),
        bytes: file.content().len() as u64,
        sha256: file.sha256(),
    }
}

/// Files were not materialised.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MaterializeError {
    /// It was done before.
    #[error("{grant} is materialised already: issue a grant for each bundle")]
    Again {
        /// The grant.
        grant: GrantId,
    },
    /// The grant is closed.
    #[error("{grant} is closed: issue a new one")]
    Closed {
        /// The grant.
        grant: GrantId,
    },
    /// A file is in the way of an input.
    #[error(transparent)]
    Conflict(#[from] PathConflict),
    /// A file could not be written.
    #[error("could not write {path} into the working directory (is there room?)")]
    Io {
        /// The file.
        path: RelativePath,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// What is on disk is not what was written.
    #[error(
        "{path} was written as {expected} and reads as {found}: the disk, or somebody with access to it, changed it"
    )]
    Digest {
        /// The file.
        path: RelativePath,
        /// What was to be written.
        expected: Sha256,
        /// What is there.
        found: Sha256,
    },
}

impl MaterializeError {
    /// Whether two files of the request want the same place, which is a mistake in the request.
    pub const fn is_conflict(&self) -> bool {
        matches!(self, MaterializeError::Conflict(_))
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            MaterializeError::Again { .. } => "workspace.already_materialised",
            MaterializeError::Closed { .. } => "workspace.grant_closed",
            MaterializeError::Conflict(conflict) => conflict.code(),
            MaterializeError::Io { .. } => "workspace.materialise_failed",
            MaterializeError::Digest { .. } => "workspace.digest_mismatch",
        }
    }
}
