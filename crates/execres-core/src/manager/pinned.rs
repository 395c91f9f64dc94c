//! A resource that an ensure found or made and has not handed out yet.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::inner::Inner;
use super::managed::Managed;
use crate::sync::AtomicBool;

/// Keeps a resource from being released until the last caller of one ensure has its lease or went away.
///
/// All callers went away when nobody took a lease: the resource is then released, however it came to be.
pub(super) struct Pinned {
    pub(super) inner: Arc<Inner>,
    pub(super) managed: Arc<Managed>,
    /// Whether the next lease is the first in a resource that was just made.
    first: AtomicBool,
}

/// Whether the resource was just made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Just made.
    Made,
    /// There already.
    Reused,
}

impl Pinned {
    /// Takes over a pin of the resource.
    pub(super) fn new(inner: Arc<Inner>, managed: Arc<Managed>, origin: Origin) -> Arc<Self> {
        Arc::new(Pinned { inner, managed, first: AtomicBool::new(origin == Origin::Made) })
    }

    /// Whether this lease is a further one in a resource that was there already.
    pub(super) fn next_origin(&self) -> Origin {
        if self.first.swap(false, Ordering::Relaxed) { Origin::Made } else { Origin::Reused }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        let release = || self.inner.release_work(&self.managed);
        if let Some(work) = self.managed.unpin(release) {
            self.inner.own(work);
        }
    }
}
