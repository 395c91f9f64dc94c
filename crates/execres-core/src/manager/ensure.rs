//! The way from an order to a resource.

mod make;
mod probe;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;

use super::call::{NoAnswer, call};
use super::error::EnsureError;
use super::gate::Passage;
use super::handle::Handle;
use super::inner::Inner;
use super::managed::Managed;
use super::order::{Order, Terms};
use super::pinned::{Origin, Pinned};
use super::reuse_key::{Purpose, ReuseKey};
use super::shards::Vacant;
use crate::error_code::ErrorCode;
use crate::event::Occurrence;
use crate::executor::Executor;
use crate::flight::{Alone, Flight, Work, work};
use crate::identity::RequirementId;
use crate::provider::Health;
use crate::requirement::Requirement;
use crate::settings::{Preferred, Settings};

/// The kind whose candidates the settings can list.
const CODE_EXECUTION: &str = "code_execution";

/// What to ensure: a requirement, or the id of a declared one.
#[derive(Debug, Clone)]
pub enum EnsureTarget {
    /// This requirement. It is not recorded.
    Requirement(Requirement),
    /// The requirement that is declared under this id.
    Declared(RequirementId),
}

impl From<Requirement> for EnsureTarget {
    fn from(requirement: Requirement) -> Self {
        EnsureTarget::Requirement(requirement)
    }
}

impl From<&Requirement> for EnsureTarget {
    fn from(requirement: &Requirement) -> Self {
        EnsureTarget::Requirement(requirement.clone())
    }
}

impl From<Arc<Requirement>> for EnsureTarget {
    fn from(requirement: Arc<Requirement>) -> Self {
        EnsureTarget::Requirement(Arc::unwrap_or_clone(requirement))
    }
}

impl From<RequirementId> for EnsureTarget {
    fn from(id: RequirementId) -> Self {
        EnsureTarget::Declared(id)
    }
}

impl From<&RequirementId> for EnsureTarget {
    fn from(id: &RequirementId) -> Self {
        EnsureTarget::Declared(id.clone())
    }
}

/// What all callers of one ensure get.
pub(super) type Ensured = Result<Arc<Pinned>, EnsureError>;

/// What there is under one key: the ensure that goes on, and the resource that can be used again.
#[derive(Default)]
pub(super) struct Slot {
    pub(super) flight: Option<Work<Ensured>>,
    pub(super) live: Option<Arc<Managed>>,
}

impl Vacant for Slot {
    fn is_vacant(&self) -> bool {
        self.flight.is_none() && self.live.is_none()
    }
}

impl Inner {
    pub(super) async fn ensure(
        self: &Arc<Self>,
        target: EnsureTarget,
        settings: &Settings,
    ) -> Result<Handle, EnsureError> {
        if self.is_forked() {
            return Err(EnsureError::Forked);
        }
        if self.is_closed() {
            return Err(EnsureError::Shutdown);
        }
        let requirement = match target {
            EnsureTarget::Requirement(requirement) => requirement,
            EnsureTarget::Declared(id) => self.requirements.get(&id).ok_or(EnsureError::RequirementUnknown { id })?,
        };
        let order = self.order(requirement, settings).await?;
        if let Some(handle) = self.reuse_at_once(&order.key).await? {
            return Ok(handle);
        }
        let order = Arc::new(order);
        loop {
            let pinned = self.join(&order)?.await?;
            if let Some(handle) = self.lease(&pinned) {
                return Ok(handle);
            }
            // Somebody released the resource by force before the lease was taken: a fresh one is needed.
        }
    }

    /// The requirement with what the settings say, past the gate.
    async fn order(self: &Arc<Self>, requirement: Requirement, settings: &Settings) -> Result<Order, EnsureError> {
        // What the host may do without approval, a layer below it may not.
        if settings.is_host()
            && let Some(terms) = requirement.memo().get::<Terms>()
            && Arc::ptr_eq(&terms.manager, &self.name)
        {
            return Ok(Order::under(requirement, terms));
        }
        // What the settings add is the host's own choice.
        let isolation_off = self.names_opt_in(&requirement) && !settings.is_host();
        let requirement = self.with_preferred(requirement, settings)?;
        let owner = requirement.owner().cloned().unwrap_or_else(|| settings.owner());
        let (policy, passage) = self.pass_gate(&requirement, &owner, isolation_off, settings).await?;
        let key = self.keyer.key(Purpose::Reuse, &requirement, &owner, &policy);
        // Most requirements add nothing to the host's policy, and all of those share it.
        let policy = if policy == *self.policy { Arc::clone(&self.policy) } else { Arc::new(policy) };
        let terms = Arc::new(Terms { manager: Arc::clone(&self.name), owner, policy, key });
        let fixed = requirement.owner().is_some() && requirement.kind().as_str() != CODE_EXECUTION;
        if passage == Passage::Open && fixed {
            requirement.memo().keep(Arc::clone(&terms));
        }
        Ok(Order::under(requirement, terms))
    }

    /// A requirement of code execution that names nobody gets the candidates that the settings list.
    fn with_preferred(&self, requirement: Requirement, settings: &Settings) -> Result<Requirement, EnsureError> {
        let names_nobody = requirement.provider_id().is_none() && requirement.candidates().is_empty();
        if requirement.kind().as_str() != CODE_EXECUTION || !names_nobody {
            return Ok(requirement);
        }
        let candidates = match settings.preferred() {
            None => return Ok(requirement),
            Some(Preferred::ByHost(candidates)) => candidates,
            Some(Preferred::ByLayer(mut candidates)) => {
                candidates.retain(|candidate| !self.is_opt_in(candidate.provider_id()));
                candidates
            }
        };
        // An empty list of candidates would mean all providers.
        if candidates.is_empty() {
            return Err(EnsureError::ProviderMissing { kind: requirement.kind().clone() });
        }
        Ok(requirement.with_candidates(candidates))
    }

    /// A lease in the resource that is there, if nobody makes or replaces it and it works: the road of most ensures, without the flight
    /// that several callers share.
    async fn reuse_at_once(self: &Arc<Self>, key: &ReuseKey) -> Result<Option<Handle>, EnsureError> {
        let there = |slot: &Slot| if slot.flight.is_none() { slot.live.clone() } else { None };
        let Some(live) = self.slots.pick(key, there) else { return Ok(None) };
        if live.selection.is_fallback() || !live.pin() {
            return Ok(None);
        }
        let pinned = Pinned::new(Arc::clone(self), live, Origin::Reused);
        let checking = async move {
            let checked = pinned.inner.check(&pinned.managed).await;
            if let Err(code) = checked {
                pinned.inner.retire(&pinned.managed, code).await;
                return None;
            }
            Some(pinned)
        };
        let healthy = Alone::new(checking, self.owner_runtime()?).await;
        Ok(healthy.and_then(|pinned| self.lease(&pinned)))
    }

    pub(super) fn owner_runtime(&self) -> Result<Arc<dyn Executor>, EnsureError> {
        self.executor().map_err(|error| EnsureError::OwnerRuntime { reason: error.to_string() })
    }

    /// This caller's share of the ensure that goes on for the key, started if none does.
    fn join(self: &Arc<Self>, order: &Arc<Order>) -> Result<Flight<Ensured>, EnsureError> {
        let executor = self.owner_runtime()?;
        let work = self.slots.with(&order.key, |slot| {
            // Looked at under the lock of the key: a shutdown that closed before sees no new flight start, and one that closes
            // later finds this flight in the slot.
            let open = !self.closed.load(Ordering::SeqCst);
            open.then(|| slot.flight.get_or_insert_with(|| self.flight(order)).clone())
        });
        Ok(Flight::new(work.ok_or(EnsureError::Shutdown)?, executor))
    }

    fn flight(self: &Arc<Self>, order: &Arc<Order>) -> Work<Ensured> {
        let (inner, order) = (Arc::clone(self), Arc::clone(order));
        work(async move {
            let fulfilled = AssertUnwindSafe(inner.fulfil(&order)).catch_unwind().await;
            let _flight = inner.slots.with(&order.key, |slot| slot.flight.take());
            fulfilled.unwrap_or(Err(EnsureError::Internal))
        })
    }

    fn lease(self: &Arc<Self>, pinned: &Arc<Pinned>) -> Option<Handle> {
        let (lease, leases) = pinned.managed.lease()?;
        if pinned.next_origin() == Origin::Reused {
            self.emit_about(&pinned.managed, Occurrence::Reused { leases });
        }
        Some(Handle { inner: Arc::clone(self), managed: Arc::clone(&pinned.managed), lease })
    }

    async fn fulfil(self: &Arc<Self>, order: &Arc<Order>) -> Ensured {
        if let Some(live) = self.slots.with(&order.key, |slot| slot.live.clone())
            && let Some(pinned) = self.reuse(order, live).await
        {
            return Ok(pinned);
        }
        self.make(order).await
    }

    /// The resource that is there, if it works and nothing better is to be had.
    async fn reuse(self: &Arc<Self>, order: &Arc<Order>, live: Arc<Managed>) -> Option<Arc<Pinned>> {
        if !live.pin() {
            // It is being released. Its successor may need what it holds, so the end of the release is waited for. How that
            // ends is told to those who asked for it.
            if let Some(release) = live.releasing() {
                drop(release.await);
            }
            return None;
        }
        let pinned = Pinned::new(Arc::clone(self), Arc::clone(&live), Origin::Reused);
        if let Err(code) = self.check(&live).await {
            self.retire(&live, code).await;
            return None;
        }
        let better = if live.selection.is_fallback() { self.make_full_match(order).await } else { None };
        Some(better.unwrap_or(pinned))
    }

    /// Releases a resource that failed its health check.
    async fn retire(self: &Arc<Self>, live: &Arc<Managed>, code: ErrorCode) {
        // Of several who find it out, one tells it.
        if live.mark_unhealthy() {
            self.emit_about(live, Occurrence::Unhealthy { code });
        }
        if let Some(release) = live.retire(|| self.release_work(live)) {
            // A failed release quarantines the old resource; that is no reason to refuse a fresh one.
            drop(release.await);
        }
    }

    async fn check(&self, live: &Arc<Managed>) -> Result<(), ErrorCode> {
        let Some(held) = live.held() else { return Err(ErrorCode::HANDLE_UNKNOWN) };
        let deadline = live.provider.deadlines().health_check;
        match call(deadline, async { live.provider.health_check(&held).await }).await {
            Ok(Health::Healthy) => Ok(()),
            Ok(Health::Unhealthy { code, reason }) => {
                tracing::debug!(handle = %live.id(), %code, reason = live.order.scrub(&reason), "unhealthy");
                Err(code)
            }
            Err(NoAnswer::TooLate(_)) => Err(ErrorCode::ENSURE_TIMEOUT),
            Err(NoAnswer::Panicked) => Err(ErrorCode::ENSURE_FAILED),
        }
    }
}
