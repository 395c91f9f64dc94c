//! What can go wrong, in small enums beside each other. Every one has a stable code, and none quotes a secret.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::blocking::BlockingInAsync;
use super::selection::ProbeRecord;
use super::status::Status;
use crate::error_code::ErrorCode;
use crate::identity::{ApprovalRequestId, HandleId, Kind, LeaseId, ProviderId, RequirementId};

/// Why an ensure came to nothing. All callers that waited for the same resource get the same error.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum EnsureError {
    /// No requirement is declared under the id.
    #[error("no requirement is declared under {id}: declare it first, or ensure the requirement itself")]
    RequirementUnknown {
        /// The id.
        id: RequirementId,
    },
    /// There is no candidate at all.
    #[error("no provider offers the kind {kind}: register one, or name one that is chosen by name only")]
    ProviderMissing {
        /// The kind.
        kind: Kind,
    },
    /// No candidate will do.
    #[error(transparent)]
    ProviderUnavailable(Arc<Unavailable>),
    /// Approval is needed and the decision is still to come. Nothing was started.
    #[error("approval is needed for a resource of kind {kind} (request {request_id}) and nobody has decided yet")]
    ApprovalRequired {
        /// The kind.
        kind: Kind,
        /// The request that somebody decides.
        request_id: ApprovalRequestId,
    },
    /// Approval is needed and was denied. Nothing was started.
    #[error("approval was denied for a resource of kind {kind}: {reason}")]
    ApprovalDenied {
        /// The kind.
        kind: Kind,
        /// Why.
        reason: String,
    },
    /// No selected candidate could make the resource.
    #[error(transparent)]
    Failed(Arc<EnsureFailure>),
    /// The manager is shutting down or has shut down.
    #[error("the manager has shut down: make another one")]
    Shutdown,
    /// The process is a fork of the one that made the manager.
    #[error("this process is a fork of the one that made the manager: make a manager of its own here")]
    Forked,
    /// A blocking call was made where it would block an async runtime.
    #[error(transparent)]
    BlockingInAsync(#[from] BlockingInAsync),
    /// The owner runtime could not be started, or is gone.
    #[error("the owner runtime could not be started or is gone: {reason}")]
    OwnerRuntime {
        /// What the system said.
        reason: String,
    },
    /// The manager made a mistake.
    #[error("the manager failed while it ensured a resource; please report this")]
    Internal,
}

impl EnsureError {
    /// The stable code.
    pub fn code(&self) -> ErrorCode {
        match self {
            EnsureError::RequirementUnknown { .. } => ErrorCode::REQUIREMENT_UNKNOWN,
            EnsureError::ProviderMissing { .. } => ErrorCode::PROVIDER_MISSING,
            EnsureError::ProviderUnavailable(_) => ErrorCode::PROVIDER_UNAVAILABLE,
            EnsureError::ApprovalRequired { .. } => ErrorCode::APPROVAL_REQUIRED,
            EnsureError::ApprovalDenied { .. } => ErrorCode::APPROVAL_DENIED,
            EnsureError::Failed(failure) => failure.code(),
            EnsureError::Shutdown => ErrorCode::SHUTDOWN,
            EnsureError::Forked => ErrorCode::FORKED,
            EnsureError::BlockingInAsync(error) => error.code(),
            EnsureError::OwnerRuntime { .. } | EnsureError::Internal => ErrorCode::ENSURE_FAILED,
        }
    }

    /// What probing found, where it came to that.
    pub fn probes(&self) -> &[ProbeRecord] {
        match self {
            EnsureError::ProviderUnavailable(unavailable) => &unavailable.probes,
            EnsureError::Failed(failure) => &failure.probes,
            _ => &[],
        }
    }
}

/// No candidate will do.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Unavailable {
    /// The kind that was asked for.
    pub kind: Kind,
    /// Every candidate's probe with its reason, in the order of preference.
    pub probes: Vec<ProbeRecord>,
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no provider can make a resource of kind {}", self.kind)?;
        self.probes.iter().try_for_each(|probe| write!(f, "\n  {probe}"))
    }
}

impl std::error::Error for Unavailable {}

/// One selected candidate that could not make the resource.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct CandidateFailure {
    /// The provider.
    pub provider_id: ProviderId,
    /// `ensure_timeout`, `ensure_failed`, or the provider's own code.
    pub code: ErrorCode,
    /// What was wrong, without secrets.
    pub message: String,
    /// What to do.
    pub suggestion: Option<String>,
}

impl fmt::Display for CandidateFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.provider_id, self.message)?;
        self.suggestion.iter().try_for_each(|suggestion| write!(f, " ({suggestion})"))
    }
}

/// No selected candidate could make the resource. There is at least one failure.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct EnsureFailure {
    /// The kind that was asked for.
    pub kind: Kind,
    /// Every candidate that was selected, in order.
    pub failures: Vec<CandidateFailure>,
    /// Every candidate's probe.
    pub probes: Vec<ProbeRecord>,
}

impl EnsureFailure {
    /// The code of the first failure: it is the most preferred candidate's.
    pub fn code(&self) -> ErrorCode {
        self.failures.first().map_or(ErrorCode::ENSURE_FAILED, |failure| failure.code)
    }
}

impl fmt::Display for EnsureFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the resource of kind {} could not be made", self.kind)?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

impl std::error::Error for EnsureFailure {}

/// Why a release did not go well.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReleaseError {
    /// The manager holds no such handle.
    #[error("no handle {id} is held: it was released, or it belongs to another manager")]
    HandleUnknown {
        /// The handle.
        id: HandleId,
    },
    /// The lease was given back already. Nobody else's lease was touched.
    #[error("{lease} in handle {id} was given back already")]
    LeaseUnknown {
        /// The handle.
        id: HandleId,
        /// The lease.
        lease: LeaseId,
    },
    /// The provider could not release the resource, which is quarantined.
    #[error("provider {provider_id} could not release {id}, which stays quarantined: {message}")]
    Failed {
        /// The handle.
        id: HandleId,
        /// The provider.
        provider_id: ProviderId,
        /// The provider's own code, where it gave one.
        provider_code: Option<ErrorCode>,
        /// What was wrong, without secrets.
        message: String,
    },
    /// The provider did not release the resource before its deadline; it is quarantined.
    #[error("provider {provider_id} did not release {id} in {after:?}; it stays quarantined")]
    TimedOut {
        /// The handle.
        id: HandleId,
        /// The provider.
        provider_id: ProviderId,
        /// The deadline.
        after: std::time::Duration,
    },
    /// The handle is not quarantined, so there is nothing to abandon: release it.
    #[error("{id} is {status} and not quarantined: release it")]
    NotQuarantined {
        /// The handle.
        id: HandleId,
        /// Where it is in its life.
        status: Status,
    },
    /// A blocking call was made where it would block an async runtime.
    #[error(transparent)]
    BlockingInAsync(#[from] BlockingInAsync),
    /// The owner runtime ended before the release did.
    #[error("the owner runtime is gone, and the end of the release is not known")]
    OwnerRuntime,
    /// The process is a fork of the one that made the manager.
    #[error("this process is a fork of the one that made the manager, which alone can release its resources")]
    Forked,
}

impl ReleaseError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            ReleaseError::HandleUnknown { .. }
            | ReleaseError::LeaseUnknown { .. }
            | ReleaseError::NotQuarantined { .. } => ErrorCode::HANDLE_UNKNOWN,
            ReleaseError::Failed { .. } | ReleaseError::OwnerRuntime => ErrorCode::RELEASE_FAILED,
            ReleaseError::BlockingInAsync(error) => error.code(),
            ReleaseError::TimedOut { .. } => ErrorCode::RELEASE_TIMEOUT,
            ReleaseError::Forked => ErrorCode::FORKED,
        }
    }
}

/// Some handles of a scope could not be released; all of them were tried.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReleaseScopeError {
    /// The handles that were released.
    pub released: Vec<HandleId>,
    /// What went wrong with the others.
    pub failures: Vec<ReleaseError>,
}

impl ReleaseScopeError {
    /// The code of the first failure.
    pub fn code(&self) -> ErrorCode {
        self.failures.first().map_or(ErrorCode::RELEASE_FAILED, ReleaseError::code)
    }
}

impl fmt::Display for ReleaseScopeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A call that was refused as a whole looked at no resource.
        if let ([refused @ (ReleaseError::Forked | ReleaseError::BlockingInAsync(_))], []) =
            (&*self.failures, &*self.released)
        {
            return refused.fmt(f);
        }
        let (failed, all) = (self.failures.len(), self.failures.len() + self.released.len());
        write!(f, "{failed} of {all} resources could not be released")?;
        self.failures.iter().try_for_each(|failure| write!(f, "\n  {failure}"))
    }
}

impl std::error::Error for ReleaseScopeError {}

/// Why a provider was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The id is taken.
    #[error("a provider with id {id} is registered already")]
    Duplicate {
        /// The id.
        id: ProviderId,
    },
    /// The provider panicked when it was asked who it is.
    #[error("the provider panicked when it was asked for its id, its kinds and its deadlines")]
    Panicked,
    /// The provider offers nothing.
    #[error("provider {id} offers no kind")]
    NoKind {
        /// The id.
        id: ProviderId,
    },
}

impl RegisterError {
    /// The stable code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            RegisterError::Duplicate { .. } => ErrorCode::PROVIDER_DUPLICATE,
            RegisterError::NoKind { .. } => ErrorCode::PROVIDER_MISSING,
            RegisterError::Panicked => ErrorCode::PROVIDER_UNAVAILABLE,
        }
    }
}
