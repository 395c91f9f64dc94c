//! What a manager and everything that it handed out share.

use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use super::ensure::Slot;
use super::gate::Gate;
use super::managed::{Managed, ReleaseWork};
use super::order::Order;
use super::providers::Registered;
use super::reuse_key::{Keyer, ReuseKey};
use super::shards::Shards;
use crate::event::{EventBus, Occurrence};
use crate::executor::{Executor, process_owner};
use crate::identity::{HandleId, Kind, ProviderId, RequirementId};
use crate::policy::Policy;
use crate::provider::Deadlines;
use crate::requirement::Requirement;
use crate::sync::{Apart, AtomicBool, AtomicU64, RwLock};

/// Aligned so that the counts of references before it, which all operations write, are on cache lines of their own.
#[repr(align(128))]
pub(super) struct Inner {
    pub(super) policy: Arc<Policy>,
    pub(super) deadlines: Deadlines,
    pub(super) process: u32,
    /// Tells handles of this manager from those of others in the same process and elsewhere.
    pub(super) name: Arc<str>,
    pub(super) executor: OnceLock<Arc<dyn Executor>>,
    pub(super) providers: RwLock<Vec<Arc<Registered>>>,
    pub(super) requirements: Shards<RequirementId, Requirement>,
    pub(super) slots: Shards<ReuseKey, Slot>,
    pub(super) handles: Shards<HandleId, Arc<Managed>>,
    pub(super) gate: Gate,
    pub(super) bus: EventBus,
    pub(super) keyer: Keyer,
    pub(super) closed: AtomicBool,
    pub(super) generations: Apart<AtomicU64>,
}

impl Inner {
    /// The owner runtime, started if this is the first need of it.
    pub(super) fn executor(&self) -> std::io::Result<Arc<dyn Executor>> {
        match self.executor.get() {
            Some(executor) => Ok(Arc::clone(executor)),
            // Of two that start at once, both get the process's one.
            None => {
                let started = process_owner()?;
                Ok(Arc::clone(self.executor.get_or_init(|| Arc::new(started))))
            }
        }
    }

    /// Lets the owner runtime drive a release to its end.
    pub(super) fn own(&self, work: ReleaseWork) {
        // In a fork the threads of the owner runtime do not exist, and the resource is the parent's.
        if self.is_forked() {
            return;
        }
        // There is an executor: nothing can be released that was not ensured, and no ensure starts without one.
        if let Ok(executor) = self.executor() {
            executor.spawn(Box::pin(async move { drop(work.await) }));
        }
    }

    pub(super) fn is_forked(&self) -> bool {
        std::process::id() != self.process
    }

    pub(super) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::SeqCst)
    }

    pub(super) fn next_generation(&self) -> u64 {
        self.generations.0.fetch_add(1, Ordering::Relaxed) + 1
    }

    pub(super) fn handle_id(&self, kind: &Kind, generation: u64) -> HandleId {
        HandleId::numbered(kind, &self.name, generation)
    }

    pub(super) fn emit(
        &self,
        order: &Order,
        handle: Option<&HandleId>,
        provider: Option<&ProviderId>,
        occurrence: Occurrence,
    ) {
        self.bus.emit(|| order.subject(handle, provider), occurrence);
    }

    pub(super) fn emit_about(&self, managed: &Managed, occurrence: Occurrence) {
        self.emit(&managed.order, Some(managed.id()), Some(&managed.selection.provider_id), occurrence);
    }

    /// The handles that `pick` wants, the newest first.
    pub(super) fn newest_first(&self, pick: impl Fn(&Managed) -> bool) -> Vec<Arc<Managed>> {
        let mut handles = self.handles.collect(|managed| pick(managed).then(|| Arc::clone(managed)));
        handles.sort_by_key(|managed| std::cmp::Reverse(managed.generation));
        handles
    }
}
