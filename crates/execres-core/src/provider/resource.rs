//! Live resources: as a provider hands them over, and as it gets them back.

use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::{EnsureRequest, ProviderError};
use crate::error_code::ErrorCode;
use crate::evidence::IsolationReport;

/// A live resource, as the manager keeps it.
pub(crate) type Live = Arc<dyn Any + Send + Sync>;

/// A resource that a provider made.
pub struct ProvidedResource {
    pub(crate) live: Live,
    pub(crate) metadata: BTreeMap<&'static str, String>,
    pub(crate) isolation: Option<IsolationReport>,
}

impl ProvidedResource {
    /// A resource of a type of the provider's own; its users ask for it by that type.
    pub fn new<T: Any + Send + Sync>(resource: T) -> Self {
        ProvidedResource::shared(Arc::new(resource))
    }

    /// A resource that the provider keeps a share of.
    pub fn shared<T: Any + Send + Sync>(resource: Arc<T>) -> Self {
        ProvidedResource { live: resource, metadata: BTreeMap::new(), isolation: None }
    }

    /// Adds a fact about the resource for whoever holds the handle. Not for secrets.
    #[must_use]
    pub fn with_metadata(mut self, key: &'static str, value: impl Into<String>) -> Self {
        self.metadata.insert(key, value.into());
        self
    }

    /// Adds the evidence of the isolation that this very resource has; without it, the probe's stands.
    ///
    /// If it proves less than is required, the manager releases the resource and hands it to nobody.
    #[must_use]
    pub fn with_isolation(mut self, report: IsolationReport) -> Self {
        self.isolation = Some(report);
        self
    }
}

impl fmt::Debug for ProvidedResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The live resource may hold anything, so it does not show.
        f.debug_struct("ProvidedResource").field("metadata", &self.metadata).finish_non_exhaustive()
    }
}

/// A resource in the manager's hands, given back to its provider for a health check or the release.
#[derive(Clone)]
pub struct HeldResource {
    pub(crate) request: Arc<EnsureRequest>,
    pub(crate) live: Live,
}

impl HeldResource {
    /// A held resource, for tests of a provider without a manager.
    pub fn new(request: EnsureRequest, provided: &ProvidedResource) -> Self {
        HeldResource { request: Arc::new(request), live: Arc::clone(&provided.live) }
    }

    /// The request that it was made for.
    pub fn request(&self) -> &EnsureRequest {
        &self.request
    }

    /// The live resource, as the type that the provider made it.
    ///
    /// # Errors
    ///
    /// When it is of another type, which is a mistake in the provider.
    pub fn resource<T: Any + Send + Sync>(&self) -> Result<Arc<T>, ProviderError> {
        downcast(&self.live).map_err(|error| ProviderError::new(ErrorCode::ENSURE_FAILED, error.to_string()))
    }
}

impl fmt::Debug for HeldResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HeldResource").field("request", &self.request).finish_non_exhaustive()
    }
}

/// Why a handle does not give its resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ResourceError {
    /// The resource is of another type.
    #[error("the resource is no {wanted}: ask for the type that the provider documents")]
    OtherType {
        /// The type that was asked for.
        wanted: &'static str,
    },
    /// The lease was given back, or the resource released by force.
    #[error("the resource is released: ensure it again")]
    Released,
}

impl ResourceError {
    /// The code.
    pub const fn code(&self) -> ErrorCode {
        match self {
            ResourceError::OtherType { .. } => ErrorCode::REQUIREMENT_INVALID,
            ResourceError::Released => ErrorCode::HANDLE_UNKNOWN,
        }
    }
}

pub(crate) fn downcast<T: Any + Send + Sync>(live: &Live) -> Result<Arc<T>, ResourceError> {
    Arc::clone(live).downcast().map_err(|_| ResourceError::OtherType { wanted: type_name::<T>() })
}
