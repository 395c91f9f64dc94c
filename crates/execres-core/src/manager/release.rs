//! Giving resources back.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use futures_util::FutureExt;
use tokio::time::Instant;

use super::call::{NoAnswer, call};
use super::error::{ReleaseError, ReleaseScopeError};
use super::handle::Handle;
use super::inner::Inner;
use super::managed::{GivenBack, Managed, ReleaseWork};
use super::order::log_cause;
use crate::event::Occurrence;
use crate::flight::{Flight, work};
use crate::identity::{HandleId, LeaseId, OwnerId};
use crate::scope::Scope;

/// What giving back a lease came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReleaseOutcome {
    /// The resource goes on living for others.
    StillLeased {
        /// How many leases are left. Can be 0 while another caller's ensure is about to take one.
        leases: usize,
    },
    /// The resource is gone, by this release or by a forced one before.
    Released,
}

impl Inner {
    /// Gives back a handle's lease. What it returns needs the handle no longer.
    pub(super) fn release(
        self: &Arc<Self>,
        handle: &Handle,
    ) -> impl Future<Output = Result<ReleaseOutcome, ReleaseError>> + Send + use<> {
        let (inner, mine) = (Arc::clone(self), Arc::ptr_eq(self, &handle.inner));
        let (managed, lease) = (Arc::clone(&handle.managed), handle.lease);
        async move {
            if inner.is_forked() {
                return Err(ReleaseError::Forked);
            }
            if !mine {
                return Err(ReleaseError::HandleUnknown { id: managed.id().clone() });
            }
            inner.release_lease(&managed, lease).await
        }
    }
    async fn release_lease(
        self: &Arc<Self>,
        managed: &Arc<Managed>,
        lease: LeaseId,
    ) -> Result<ReleaseOutcome, ReleaseError> {
        match managed.give_back(lease, || self.release_work(managed)) {
            GivenBack::Unknown => Err(ReleaseError::LeaseUnknown { id: managed.id().clone(), lease }),
            GivenBack::Remaining(leases) => Ok(ReleaseOutcome::StillLeased { leases }),
            GivenBack::Releasing(work) => self.drive(work).await.map(|()| ReleaseOutcome::Released),
            GivenBack::Released => Ok(ReleaseOutcome::Released),
            GivenBack::Quarantined(error) => Err(error),
        }
    }

    pub(super) async fn release_by_id(self: &Arc<Self>, id: &HandleId) -> Result<(), ReleaseError> {
        if self.is_forked() {
            return Err(ReleaseError::Forked);
        }
        let managed = self.handles.get(id).ok_or_else(|| ReleaseError::HandleUnknown { id: id.clone() })?;
        match managed.force(|| self.release_work(&managed)) {
            Some(work) => self.drive(work).await,
            None => Err(ReleaseError::HandleUnknown { id: id.clone() }),
        }
    }

    pub(super) fn abandon(&self, id: &HandleId) -> Result<(), ReleaseError> {
        if self.is_forked() {
            return Err(ReleaseError::Forked);
        }
        let managed = self.handles.get(id).ok_or_else(|| ReleaseError::HandleUnknown { id: id.clone() })?;
        managed.abandon().map_err(|status| ReleaseError::NotQuarantined { id: id.clone(), status })?;
        let _listed = self.handles.remove(id);
        self.emit_about(&managed, Occurrence::Abandoned);
        Ok(())
    }

    pub(super) async fn release_scope(
        self: &Arc<Self>,
        scope: Scope,
        owner: &OwnerId,
    ) -> Result<Vec<HandleId>, ReleaseScopeError> {
        let nothing = |failure| ReleaseScopeError { released: Vec::new(), failures: vec![failure] };
        if self.is_forked() {
            return Err(nothing(ReleaseError::Forked));
        }
        self.gate.forget(scope, owner);
        let handles = self.newest_first(|one| one.order.requirement.scope() == scope && one.order.owner == *owner);
        let Ok(executor) = self.executor() else {
            // Without an owner runtime nothing was ever ensured.
            return Ok(Vec::new());
        };
        let inner = Arc::clone(self);
        Flight::new(work(async move { inner.release_all(handles).await }), executor).await
    }

    /// Releases these one after the other, all of them whatever becomes of each.
    async fn release_all(self: Arc<Self>, handles: Vec<Arc<Managed>>) -> Result<Vec<HandleId>, ReleaseScopeError> {
        let (mut released, mut failures) = (Vec::new(), Vec::new());
        for managed in handles {
            // One whose last lease was given back meanwhile is gone.
            let Some(work) = managed.force(|| self.release_work(&managed)) else { continue };
            match work.await {
                Ok(()) => released.push(managed.id().clone()),
                Err(failure) => failures.push(failure),
            }
        }
        if failures.is_empty() { Ok(released) } else { Err(ReleaseScopeError { released, failures }) }
    }

    async fn drive(&self, release: ReleaseWork) -> Result<(), ReleaseError> {
        match self.executor() {
            Ok(executor) => Flight::new(release, executor).await,
            // There is an executor: nothing can be released that was not ensured, and no ensure starts without one.
            Err(_) => release.await,
        }
    }

    /// The work of releasing a resource. It starts when it is polled; whoever makes it sees to that.
    pub(super) fn release_work(self: &Arc<Self>, managed: &Arc<Managed>) -> ReleaseWork {
        let (inner, managed) = (Arc::clone(self), Arc::clone(managed));
        work(async move {
            let started = Instant::now();
            inner.emit_about(&managed, Occurrence::Releasing);
            let released = AssertUnwindSafe(inner.call_release(&managed)).catch_unwind().await;
            let result = released.unwrap_or_else(|_panic| Err(failed(&managed, None, "the provider panicked")));
            // Never used again, whatever the result is: a quarantined resource is no longer found under its key.
            let _unmapped =
                inner.slots.with(&managed.order.key, |slot| slot.live.take_if(|live| Arc::ptr_eq(live, &managed)));
            managed.finish(&result);
            match &result {
                Ok(()) => {
                    let _listed = inner.handles.remove(managed.id());
                    inner.emit_about(&managed, Occurrence::Released { took: started.elapsed() });
                }
                Err(error) => inner.emit_about(&managed, Occurrence::Failed { code: error.code() }),
            }
            result
        })
    }

    async fn call_release(&self, managed: &Arc<Managed>) -> Result<(), ReleaseError> {
        let Some(held) = managed.held() else { return Ok(()) };
        let deadline = managed.provider.deadlines().release;
        match call(deadline, async { managed.provider.release(&held).await }).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(error)) => {
                log_cause("release", &managed.selection.provider_id, &managed.order, &error);
                Err(failed(managed, Some(error.code()), &managed.order.scrub(error.message())))
            }
            Err(NoAnswer::Panicked) => Err(failed(managed, None, "the provider panicked")),
            Err(NoAnswer::TooLate(after)) => {
                let provider_id = managed.selection.provider_id.clone();
                Err(ReleaseError::TimedOut { id: managed.id().clone(), provider_id, after })
            }
        }
    }
}

fn failed(managed: &Managed, provider_code: Option<crate::ErrorCode>, message: &str) -> ReleaseError {
    ReleaseError::Failed {
        id: managed.id().clone(),
        provider_id: managed.selection.provider_id.clone(),
        provider_code,
        message: message.to_owned(),
    }
}
