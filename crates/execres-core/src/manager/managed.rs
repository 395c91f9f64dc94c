//! The state of one resource. Every transition is one short critical section; nothing here waits.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use super::call::call_now;
use super::error::ReleaseError;
use super::order::Order;
use super::providers::Registered;
use super::selection::Selection;
use super::status::Status;
use crate::evidence::IsolationReport;
use crate::flight::Work;
use crate::identity::{HandleId, LeaseId};
use crate::provider::{EnsureRequest, HeldResource, Live};
use crate::sync::{Mutex, MutexGuard};

/// The work of releasing a resource, which everybody who waits for it shares.
pub(super) type ReleaseWork = Work<Result<(), ReleaseError>>;

/// A resource in the manager's hands.
///
/// It is released when there is neither a lease, which a caller holds, nor a pin, which an ensure holds while it has not handed out
/// its lease yet. Whoever gives back the last one starts the release in the same critical section, so it is started once, and from then
/// on nobody gets a lease or a pin.
pub(super) struct Managed {
    pub(super) generation: u64,
    pub(super) order: Arc<Order>,
    pub(super) provider: Arc<Registered>,
    pub(super) request: Arc<EnsureRequest>,
    pub(super) selection: Selection,
    /// `None` where the provider gave neither of both.
    pub(super) particulars: Option<Box<Particulars>>,
    /// In nanoseconds since 1970.
    pub(super) made_at: u64,
    pub(super) state: Mutex<State>,
}

/// What a provider told of this very resource.
pub(super) struct Particulars {
    pub(super) isolation: Option<IsolationReport>,
    pub(super) metadata: BTreeMap<&'static str, String>,
}

impl Particulars {
    pub(super) fn of(
        isolation: Option<IsolationReport>,
        metadata: BTreeMap<&'static str, String>,
    ) -> Option<Box<Self>> {
        let none = isolation.is_none() && metadata.is_empty();
        (!none).then(|| Box::new(Particulars { isolation, metadata }))
    }
}

pub(super) struct State {
    phase: Phase,
    /// The numbers of the leases that are held, in order.
    leases: Vec<u64>,
    /// The number of the last lease.
    leased: u64,
    pins: usize,
    live: Option<Live>,
}

enum Phase {
    Ready,
    Unhealthy,
    Releasing(ReleaseWork),
    Released,
    Quarantined(Box<ReleaseError>),
    Abandoned(Box<ReleaseError>),
}

/// What giving back a lease came to.
pub(super) enum GivenBack {
    /// The lease was not there.
    Unknown,
    /// Others go on using the resource.
    Remaining(usize),
    /// It was the last one, or the resource is being released anyway: this work releases it.
    Releasing(ReleaseWork),
    /// The resource was released by force before.
    Released,
    /// The resource was to be released by force before, and is quarantined.
    Quarantined(ReleaseError),
}

impl State {
    /// A resource that was just made, pinned by the ensure that made it.
    pub(super) fn made(live: Live) -> Mutex<Self> {
        Mutex::new(State { phase: Phase::Ready, leases: Vec::with_capacity(1), leased: 0, pins: 1, live: Some(live) })
    }

    fn release_if_unused(&mut self, start: impl FnOnce() -> ReleaseWork) -> Option<ReleaseWork> {
        let unused = matches!(self.phase, Phase::Ready) && self.leases.is_empty() && self.pins == 0;
        unused.then(|| self.release(start))
    }

    fn release(&mut self, start: impl FnOnce() -> ReleaseWork) -> ReleaseWork {
        let work = start();
        self.phase = Phase::Releasing(work.clone());
        work
    }
}

impl Managed {
    pub(super) fn id(&self) -> &HandleId {
        self.request.handle_id()
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No critical section here leaves a state half changed, so one that panicked has left a whole one.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn status(&self) -> Status {
        match self.state().phase {
            Phase::Ready => Status::Ready,
            Phase::Unhealthy => Status::Unhealthy,
            Phase::Releasing(_) => Status::Releasing,
            Phase::Released => Status::Released,
            Phase::Quarantined(_) | Phase::Abandoned(_) => Status::Failed,
        }
    }

    pub(super) fn leases(&self) -> usize {
        self.state().leases.len()
    }

    pub(super) fn quarantine(&self) -> Option<ReleaseError> {
        match &self.state().phase {
            Phase::Quarantined(error) => Some(ReleaseError::clone(error)),
            _ => None,
        }
    }

    /// The live resource, while a lease of this id is held and the resource is not being released.
    pub(super) fn live(&self, lease: LeaseId) -> Option<Live> {
        let state = self.state();
        let usable =
            matches!(state.phase, Phase::Ready | Phase::Unhealthy) && state.leases.binary_search(&lease.number).is_ok();
        if usable { state.live.clone() } else { None }
    }

    /// The resource as its provider gets it back.
    pub(super) fn held(&self) -> Option<HeldResource> {
        let live = self.state().live.clone()?;
        Some(HeldResource { request: Arc::clone(&self.request), live })
    }

    /// Keeps a ready resource from being released for want of leases; says whether it was ready.
    pub(super) fn pin(&self) -> bool {
        let mut state = self.state();
        let ready = matches!(state.phase, Phase::Ready);
        state.pins += usize::from(ready);
        ready
    }

    pub(super) fn unpin(&self, start: impl FnOnce() -> ReleaseWork) -> Option<ReleaseWork> {
        let mut state = self.state();
        state.pins -= 1;
        state.release_if_unused(start)
    }

    /// A further lease in a ready resource, and how many there are then.
    pub(super) fn lease(&self) -> Option<(LeaseId, usize)> {
        let mut state = self.state();
        matches!(state.phase, Phase::Ready).then(|| {
            state.leased += 1;
            let number = state.leased;
            // The numbers grow, so the last one goes to the end.
            state.leases.push(number);
            (LeaseId { generation: self.generation, number }, state.leases.len())
        })
    }

    pub(super) fn give_back(&self, lease: LeaseId, start: impl FnOnce() -> ReleaseWork) -> GivenBack {
        let mut state = self.state();
        let Ok(position) = state.leases.binary_search(&lease.number) else { return GivenBack::Unknown };
        state.leases.remove(position);
        if let Some(work) = state.release_if_unused(start) {
            return GivenBack::Releasing(work);
        }
        match &state.phase {
            Phase::Ready | Phase::Unhealthy => GivenBack::Remaining(state.leases.len()),
            Phase::Releasing(work) => GivenBack::Releasing(work.clone()),
            Phase::Released => GivenBack::Released,
            Phase::Quarantined(error) | Phase::Abandoned(error) => GivenBack::Quarantined(ReleaseError::clone(error)),
        }
    }

    /// Says whether it was ready until then.
    pub(super) fn mark_unhealthy(&self) -> bool {
        let mut state = self.state();
        let ready = matches!(state.phase, Phase::Ready);
        if ready {
            state.phase = Phase::Unhealthy;
        }
        ready
    }

    /// Starts the release whatever the leases, or joins one that goes on. `None` when the resource is gone.
    pub(super) fn force(&self, start: impl FnOnce() -> ReleaseWork) -> Option<ReleaseWork> {
        let mut state = self.state();
        match &state.phase {
            Phase::Ready | Phase::Unhealthy | Phase::Quarantined(_) => Some(state.release(start)),
            Phase::Releasing(work) => Some(work.clone()),
            Phase::Released | Phase::Abandoned(_) => None,
        }
    }

    /// Starts the release of a resource that failed its check, or joins one that goes on. `None` when its life is over already: a check
    /// that overlapped with the release finds that out too, and is no reason to try a failed release again.
    pub(super) fn retire(&self, start: impl FnOnce() -> ReleaseWork) -> Option<ReleaseWork> {
        let mut state = self.state();
        match &state.phase {
            Phase::Ready | Phase::Unhealthy => Some(state.release(start)),
            Phase::Releasing(work) => Some(work.clone()),
            Phase::Quarantined(_) | Phase::Abandoned(_) | Phase::Released => None,
        }
    }

    /// Lets go of a quarantined resource without releasing it. Says where it is in its life if it is not quarantined.
    pub(super) fn abandon(&self) -> Result<(), Status> {
        let live = {
            let mut state = self.state();
            let Phase::Quarantined(error) = &state.phase else {
                drop(state);
                return Err(self.status());
            };
            state.phase = Phase::Abandoned(error.clone());
            state.live.take()
        };
        drop_resource(live);
        Ok(())
    }

    /// The release that goes on, if one does.
    pub(super) fn releasing(&self) -> Option<ReleaseWork> {
        match &self.state().phase {
            Phase::Releasing(work) => Some(work.clone()),
            _ => None,
        }
    }

    /// Records how the release ended.
    pub(super) fn finish(&self, result: &Result<(), ReleaseError>) {
        let (live, _work) = {
            let mut state = self.state();
            let phase = match result {
                Ok(()) => Phase::Released,
                Err(error) => Phase::Quarantined(Box::new(error.clone())),
            };
            let live = if result.is_ok() { state.live.take() } else { None };
            (live, std::mem::replace(&mut state.phase, phase))
        };
        drop_resource(live);
    }
}

/// Drops a resource outside every lock, because its own drop can do anything. What it panics with is its own affair: the hook has
/// reported it.
fn drop_resource(live: Option<Live>) {
    call_now(|| drop(live)).ok();
}
