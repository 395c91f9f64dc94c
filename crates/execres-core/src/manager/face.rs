//! The manager as its users see it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::blocking::Blocking;
use super::builder::ManagerBuilder;
use super::ensure::EnsureTarget;
use super::error::{EnsureError, RegisterError, ReleaseError, ReleaseScopeError};
use super::handle::Handle;
use super::inner::Inner;
use super::inspect::{Filter, HandleSnapshot};
use super::order::subject;
use super::release::ReleaseOutcome;
use super::shutdown::ShutdownReport;
use crate::approval::{ActionCall, ApprovalSettings, CallApproval};
use crate::event::{Occurrence, Subscription};
use crate::identity::{HandleId, OwnerId, ProviderId, RequirementId};
use crate::provider::Provider;
use crate::requirement::{Requirement, RequirementError};
use crate::scope::Scope;
use crate::settings::Settings;

/// Gets resources through policy and approval, hands them over, and always gets them back.
///
/// Cheap to clone: all clones are one manager. It lives as long as a clone or one of its handles does.
#[derive(Clone)]
pub struct Manager {
    pub(super) inner: Arc<Inner>,
    settings: Settings,
}

impl Manager {
    /// Starts a manager from the host's settings.
    pub fn builder() -> ManagerBuilder {
        ManagerBuilder::new()
    }

    pub(super) fn new(inner: Inner, settings: Settings) -> Self {
        Manager { inner: Arc::new(inner), settings }
    }

    /// The same manager under a new layer of settings, for whoever is to have stricter ones: an agent, a session, a request.
    #[must_use]
    pub fn layer(&self) -> Manager {
        Manager { inner: Arc::clone(&self.inner), settings: self.settings.below() }
    }

    /// The layer of settings that this manager was made with: the host's own, or one below it.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The same calls for hosts that are not async.
    pub const fn blocking(&self) -> Blocking<'_> {
        Blocking(self)
    }

    /// Registers a provider, after those registered before.
    ///
    /// # Errors
    ///
    /// When its id is taken, it offers no kind, or it panics when it is asked who it is.
    pub fn register_provider(&self, provider: impl Provider) -> Result<(), RegisterError> {
        self.inner.register(Arc::new(provider))
    }

    /// Registers a provider that somebody else keeps a share of.
    ///
    /// # Errors
    ///
    /// As [`Manager::register_provider`].
    pub fn register_shared_provider(&self, provider: Arc<dyn Provider>) -> Result<(), RegisterError> {
        self.inner.register(provider)
    }

    /// The ids of the registered providers, in the order of registration.
    pub fn providers(&self) -> Vec<ProviderId> {
        self.inner.provider_ids()
    }

    /// The host's settings of approval.
    pub fn approval(&self) -> ApprovalSettings<'_> {
        ApprovalSettings(&self.settings)
    }

    /// The events from here on.
    pub fn subscribe(&self) -> Subscription {
        self.inner.bus.subscribe()
    }

    /// Records a requirement for a later ensure by its id. Starts nothing and probes nothing.
    ///
    /// # Errors
    ///
    /// When another requirement is declared under the same id.
    pub fn declare(&self, requirement: Requirement) -> Result<RequirementId, RequirementError> {
        let owner = requirement.owner().cloned().unwrap_or_else(|| self.settings.owner());
        let requirement = requirement.owned_by_default(&owner);
        let id = requirement.id().clone();
        if !self.inner.requirements.insert_new(id.clone(), requirement.clone()) {
            return Err(RequirementError::DeclaredAlready { id });
        }
        self.inner.bus.emit(|| subject(&requirement, &owner, None, None), Occurrence::Declared);
        Ok(id)
    }

    /// The requirement that is declared under an id.
    pub fn declared(&self, id: &RequirementId) -> Option<Requirement> {
        self.inner.requirements.get(id)
    }

    /// Forgets a declared requirement; what was ensured for it stays. `None` when none is declared under the id.
    pub fn withdraw(&self, id: &RequirementId) -> Option<Requirement> {
        self.inner.requirements.remove(id)
    }

    /// A lease in the resource that a requirement asks for: one that is there and healthy, or a fresh one.
    ///
    /// Concurrent ensures of one key run the provider once; all get a lease in the same resource, or the same error. Two
    /// requirements have one key when they agree in kind, scope, owner, action call (in the scope `action_call`), policy in
    /// force, need of approval, capabilities, candidates, grant, resource key and configuration.
    ///
    /// # Errors
    ///
    /// When approval is not given, no candidate will do, none that would do could make the resource, or the manager has shut
    /// down. Nothing is left behind then.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future at any point leaks nothing. What a provider has begun is driven to its end by the owner runtime; its
    /// resource goes to those who wait for the same key, and is released when there are none.
    pub async fn ensure(&self, target: impl Into<EnsureTarget>) -> Result<Handle, EnsureError> {
        self.inner.ensure(target.into(), &self.settings).await
    }

    /// Takes a call of an action through policy and approval, before any of its resources is asked for. The requirements of the same call
    /// carry the answer ([`RequirementBuilder::covered_by`](crate::RequirementBuilder::covered_by)), so that nobody is asked twice for
    /// one thing.
    ///
    /// # Errors
    ///
    /// When approval is not given, or the manager has shut down.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future withdraws the question.
    pub async fn approve_call(&self, call: ActionCall) -> Result<CallApproval, EnsureError> {
        self.inner.approve_call(call, &self.settings).await
    }

    /// Gives back the lease of a handle, once. The last lease releases the resource.
    ///
    /// # Errors
    ///
    /// When the lease was given back already, or the provider cannot release the resource, which is quarantined then: listed,
    /// never used again, and released by [`Manager::release_by_id`] when somebody tries again.
    ///
    /// # Cancel safety
    ///
    /// The lease is given back by the first poll. When the future is dropped later, the owner runtime ends the release.
    pub async fn release(&self, handle: &Handle) -> Result<ReleaseOutcome, ReleaseError> {
        self.inner.release(handle).await
    }

    /// Releases a resource whatever its leases, also one that is quarantined.
    ///
    /// # Errors
    ///
    /// When the manager holds no such handle, or the provider cannot release the resource, which is quarantined then.
    ///
    /// # Cancel safety
    ///
    /// Once it was polled, the owner runtime ends the release when the future is dropped.
    pub async fn release_by_id(&self, id: &HandleId) -> Result<(), ReleaseError> {
        self.inner.release_by_id(id).await
    }

    /// Lets go of a quarantined resource without releasing it: it is listed no longer, and nothing tries to release it again. What is left
    /// of it outside this process is left for good.
    ///
    /// # Errors
    ///
    /// When the manager holds no such handle, or it is not quarantined.
    pub fn abandon(&self, id: &HandleId) -> Result<(), ReleaseError> {
        self.inner.abandon(id)
    }

    /// Releases every resource of an owner in a scope whatever its leases, the newest first, and forgets what was approved for
    /// them. An ensure that goes on meanwhile is its caller's.
    ///
    /// # Errors
    ///
    /// When some could not be released; all were tried, and the error lists every failure.
    ///
    /// # Cancel safety
    ///
    /// Once it was polled, the owner runtime releases the rest when the future is dropped.
    pub async fn release_scope(&self, scope: Scope, owner: &OwnerId) -> Result<Vec<HandleId>, ReleaseScopeError> {
        self.inner.release_scope(scope, owner).await
    }

    /// A handle as it is now; `None` when the manager holds no such one.
    pub fn inspect(&self, id: &HandleId) -> Option<HandleSnapshot> {
        self.inner.handles.get(id).map(|managed| HandleSnapshot::of(&managed))
    }

    /// The handles that pass the filter as they are now, the oldest first.
    pub fn list(&self, filter: &Filter) -> Vec<HandleSnapshot> {
        let mut handles: Vec<HandleSnapshot> = self.inner.handles.collect(|managed| {
            let snapshot = HandleSnapshot::of(managed);
            filter.accepts(&snapshot).then_some(snapshot)
        });
        handles.sort_by_key(|snapshot| snapshot.generation);
        handles
    }

    /// Refuses every further ensure, waits for those that go on, and releases everything, the newest first.
    ///
    /// The report says what could not be released and what had not ended at the deadline. Calling it again tries again what is
    /// quarantined.
    ///
    /// # Cancel safety
    ///
    /// The manager is closed by the first poll. When the future is dropped later, the owner runtime goes on.
    pub async fn shutdown(&self, deadline: Duration) -> ShutdownReport {
        self.inner.shutdown(deadline).await
    }
}

impl fmt::Debug for Manager {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Manager").field("providers", &self.providers()).finish_non_exhaustive()
    }
}
