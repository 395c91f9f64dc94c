//! The way from an order to a resource.

mod make;
mod probe;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::FutureExt;

use super::call::{NoAnswer, call};
use super::error::EnsureError;
use super::handle::Handle;
use super::inner::Inner;
use super::managed::Managed;
use super::order::Order;
use super::pinned::{Origin, Pinned};
use super::reuse_key::Purpose;
use super::shards::Vacant;
use crate::error_code::ErrorCode;
use crate::event::Occurrence;
use crate::executor::Executor;
use crate::flight::{Flight, Work, work};
use crate::identity::RequirementId;
use crate::provider::Health;
use crate::requirement::Requirement;

/// What to ensure: a requirement, or the id of a declared one.
#[derive(Debug, Clone)]
pub enum EnsureTarget {
    /// This requirement. It is not recorded.
    Requirement(Arc<Requirement>),
    /// The requirement that is declared under this id.
    Declared(RequirementId),
}

impl From<Requirement> for EnsureTarget {
    fn from(requirement: Requirement) -> Self {
        EnsureTarget::Requirement(Arc::new(requirement))
    }
}

impl From<&Requirement> for EnsureTarget {
    fn from(requirement: &Requirement) -> Self {
        EnsureTarget::Requirement(Arc::new(requirement.clone()))
    }
}

impl From<Arc<Requirement>> for EnsureTarget {
    fn from(requirement: Arc<Requirement>) -> Self {
        EnsureTarget::Requirement(requirement)
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
    pub(super) async fn ensure(self: &Arc<Self>, target: EnsureTarget) -> Result<Handle, EnsureError> {
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
        let owner = requirement.owner().unwrap_or(&self.owner).clone();
        let policy = self.pass_gate(&requirement, &owner).await?;
        let key = self.keyer.key(Purpose::Reuse, &requirement, &owner, &policy);
        let order = Arc::new(Order { requirement, owner, policy: Arc::new(policy), key });
        loop {
            let pinned = self.join(&order)?.await?;
            if let Some(handle) = self.lease(&pinned) {
                return Ok(handle);
            }
            // Somebody released the resource by force before the lease was taken: a fresh one is needed.
        }
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
        let lease = self.next_lease();
        let leases = pinned.managed.lease(lease)?;
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
        let Err(code) = self.check(&live).await else {
            let better = if live.selection.is_fallback() { self.make_full_match(order).await } else { None };
            return Some(better.unwrap_or(pinned));
        };
        live.mark_unhealthy();
        self.emit_about(&live, Occurrence::Unhealthy { code });
        if let Some(release) = live.force(|| self.release_work(&live)) {
            // A failed release quarantines the old resource; that is no reason to refuse a fresh one.
            drop(release.await);
        }
        None
    }

    async fn check(&self, live: &Arc<Managed>) -> Result<(), ErrorCode> {
        let Some(held) = live.held() else { return Err(ErrorCode::HANDLE_UNKNOWN) };
        let deadline = live.provider.deadlines(self.deadlines).health_check;
        match call(deadline, async { live.provider.health_check(&held).await }).await {
            Ok(Health::Healthy) => Ok(()),
            Ok(Health::Unhealthy { code, reason }) => {
                tracing::debug!(handle = %live.id, %code, reason = live.order.scrub(&reason), "unhealthy");
                Err(code)
            }
            Err(NoAnswer::TooLate(_)) => Err(ErrorCode::ENSURE_TIMEOUT),
            Err(NoAnswer::Panicked) => Err(ErrorCode::ENSURE_FAILED),
        }
    }
}
