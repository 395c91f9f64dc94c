//! The caller's lease in a resource.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::inner::Inner;
use super::managed::{GivenBack, Managed};
use super::selection::{ProbeRecord, Selection};
use super::status::Status;
use crate::evidence::IsolationReport;
use crate::identity::{HandleId, Kind, LeaseId, OwnerId, ProviderId, ResourceKey};
use crate::policy::Policy;
use crate::provider::{ResourceError, downcast};
use crate::requirement::Requirement;

/// One caller's lease in a managed resource.
///
/// Give it back with [`Manager::release`](super::Manager::release), which says how that went. Dropping the handle gives the lease back as
/// well: the release, if it was the last lease, is queued to the owner runtime; the drop neither waits nor needs a runtime.
#[must_use = "dropping a handle gives its lease back"]
pub struct Handle {
    pub(super) inner: Arc<Inner>,
    pub(super) managed: Arc<Managed>,
    pub(super) lease: LeaseId,
}

impl Handle {
    /// The id of the managed resource; all leases in it share it.
    pub fn id(&self) -> &HandleId {
        self.managed.id()
    }

    /// Counts the resources that the manager made: a fresh resource has a higher generation than any before it.
    pub fn generation(&self) -> u64 {
        self.managed.generation
    }

    /// The id of this lease.
    pub const fn lease_id(&self) -> LeaseId {
        self.lease
    }

    /// The requirement that the resource was made for, as it was then.
    pub fn requirement(&self) -> &Requirement {
        &self.managed.order.requirement
    }

    /// For whom the resource is: the requirement's owner, or the manager's configured one.
    pub fn owner(&self) -> &OwnerId {
        &self.managed.order.owner
    }

    /// What sort of resource.
    pub fn kind(&self) -> &Kind {
        self.requirement().kind()
    }

    /// Under which name the resource is handed over.
    pub fn resource_key(&self) -> &ResourceKey {
        self.requirement().resource_key()
    }

    /// The provider that made the resource.
    pub fn provider_id(&self) -> &ProviderId {
        &self.managed.selection.provider_id
    }

    /// The policy in force: the requirement's, tightened by the host's and by whoever approved.
    pub fn policy(&self) -> &Policy {
        &self.managed.order.policy
    }

    /// Who was selected, out of what.
    pub fn selection(&self) -> &Selection {
        &self.managed.selection
    }

    /// Whether the selected candidate lacks something that is preferred.
    pub fn is_fallback(&self) -> bool {
        self.managed.selection.is_fallback()
    }

    /// Every candidate's probe.
    pub fn probes(&self) -> &[ProbeRecord] {
        &self.managed.selection.probes
    }

    /// The evidence of the resource's isolation, where the provider gave some.
    pub fn isolation(&self) -> Option<&IsolationReport> {
        self.managed
            .particulars
            .as_ref()
            .and_then(|own| own.isolation.as_ref())
            .or_else(|| self.managed.request.probe().isolation())
    }

    /// A fact about the resource that its provider gave.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        self.managed.particulars.as_ref()?.metadata.get(key).map(String::as_str)
    }

    /// Where the resource is in its life now.
    pub fn status(&self) -> Status {
        self.managed.status()
    }

    /// The live resource, by the type that its provider documents.
    ///
    /// Whoever keeps the returned share after the release keeps an object whose resource is gone.
    ///
    /// # Errors
    ///
    /// When the resource is of another type, or the lease was given back or the resource released by force.
    pub fn resource<T: Any + Send + Sync>(&self) -> Result<Arc<T>, ResourceError> {
        downcast(&self.managed.live(self.lease).ok_or(ResourceError::Released)?)
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handle")
            .field("id", self.id())
            .field("lease", &self.lease)
            .field("provider_id", self.provider_id())
            .field("status", &self.status())
            .finish_non_exhaustive()
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        let release = || self.inner.release_work(&self.managed);
        if let GivenBack::Releasing(work) = self.managed.give_back(self.lease, release) {
            self.inner.own(work);
        }
    }
}
