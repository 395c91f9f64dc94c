//! What can go wrong around a run. A program that fails is not among it.

use std::io;
use std::path::PathBuf;

use execres_code::RequestError;
use execres_core::{EnsureError, InvalidName, RegisterError, ReleaseError, RequirementError, ResourceError};
use execres_owner::{RegistryError, StateError};
use execres_workspace::{AreaError, DeliverError, MaterializeError, WorkspaceError};

/// Execres could not be set up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The state directory.
    #[error("the state directory cannot be used: {0}")]
    State(#[from] StateError),
    /// The register in it.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// A provider.
    #[error(transparent)]
    Register(#[from] RegisterError),
}

/// A program was not run, or what it needed could not be given back.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The request.
    #[error(transparent)]
    Request(#[from] RequestError),
    /// The workspace or the grant.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The files of the bundle.
    #[error(transparent)]
    Materialise(#[from] MaterializeError),
    /// The requirement.
    #[error(transparent)]
    Requirement(#[from] RequirementError),
    /// A name in it.
    #[error(transparent)]
    Name(#[from] InvalidName),
    /// Nobody can run it, or may.
    #[error(transparent)]
    Ensure(#[from] EnsureError),
    /// The resource is of another kind than expected.
    #[error(transparent)]
    Resource(#[from] ResourceError),
    /// An output could not be copied to its place.
    #[error(transparent)]
    Deliver(#[from] DeliverError),
    /// The place for outputs cannot be used.
    #[error("outputs cannot be written to {path:?}: {source}")]
    DeliverTo {
        /// The place.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The runner could not be released.
    #[error(transparent)]
    Release(#[from] ReleaseError),
    /// The execution area could not be removed.
    #[error(transparent)]
    Area(#[from] AreaError),
    /// The runtime shut down in the middle.
    #[error("the async runtime shut down before the run was over")]
    Interrupted,
}

impl RunError {
    /// The stable code.
    pub fn code(&self) -> String {
        match self {
            RunError::Request(error) => error.code().to_string(),
            RunError::Workspace(error) => error.code().to_string(),
            RunError::Materialise(error) => error.code().to_string(),
            RunError::Requirement(error) => error.code().to_string(),
            RunError::Name(_) => "execution_resource.requirement_invalid".to_owned(),
            RunError::Ensure(error) => error.code().to_string(),
            RunError::Resource(error) => error.code().to_string(),
            RunError::Deliver(error) => error.code().to_string(),
            RunError::DeliverTo { .. } => "execres.output_directory".to_owned(),
            RunError::Release(error) => error.code().to_string(),
            RunError::Area(error) => error.code().to_string(),
            RunError::Interrupted => "execres.interrupted".to_owned(),
        }
    }
}
