//! The end: everything is released.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tokio::time::{Instant, timeout_at};

use super::error::ReleaseError;
use super::inner::Inner;
use crate::flight::{Flight, work};
use crate::identity::HandleId;

/// What a shutdown came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ShutdownReport {
    /// The resources that were released, in the order in which that happened.
    pub released: Vec<HandleId>,
    /// What went wrong with others.
    pub failures: Vec<ReleaseError>,
    /// The resources whose release had not ended at the deadline. It goes on at the owner runtime, under its own deadline.
    pub unfinished: Vec<HandleId>,
    /// How many ensures had not ended at the deadline. Each is refused when it ends, and what it made is released.
    pub unfinished_ensures: usize,
}

impl ShutdownReport {
    /// Whether everything is gone.
    pub fn is_clean(&self) -> bool {
        self.failures.is_empty() && self.unfinished.is_empty() && self.unfinished_ensures == 0
    }
}

impl Inner {
    pub(super) async fn shutdown(self: &Arc<Self>, deadline: Duration) -> ShutdownReport {
        if self.is_forked() {
            // They are the parent's resources, which goes on using them.
            return ShutdownReport { failures: vec![ReleaseError::Forked], ..ShutdownReport::default() };
        }
        self.closed.store(true, Ordering::SeqCst);
        let Ok(executor) = self.executor() else {
            // Without an owner runtime nothing was ever ensured.
            return ShutdownReport::default();
        };
        let inner = Arc::clone(self);
        Flight::new(work(async move { inner.wind_down(deadline).await }), executor).await
    }

    async fn wind_down(self: Arc<Self>, deadline: Duration) -> ShutdownReport {
        let mut report = ShutdownReport::default();
        let until = Instant::now().checked_add(deadline).unwrap_or_else(far_future);
        // Driven here too: an ensure whose caller has stopped polling it ends all the same.
        for flight in self.slots.collect(|slot| slot.flight.clone()) {
            match timeout_at(until, flight.clone()).await {
                Ok(ensured) => drop(ensured),
                Err(_elapsed) => {
                    report.unfinished_ensures += 1;
                    if let Ok(executor) = self.executor() {
                        executor.spawn(Box::pin(async move { drop(flight.await) }));
                    }
                }
            }
        }
        for managed in self.newest_first(|_| true) {
            let Some(release) = managed.force(|| self.release_work(&managed)) else { continue };
            match timeout_at(until, release.clone()).await {
                Ok(Ok(())) => report.released.push(managed.id().clone()),
                Ok(Err(failure)) => report.failures.push(failure),
                Err(_elapsed) => {
                    report.unfinished.push(managed.id().clone());
                    self.own(release);
                }
            }
        }
        report
    }
}

/// For a deadline that is too far away to be a point in time.
fn far_future() -> Instant {
    Instant::now() + Duration::from_secs(60 * 60 * 24 * 365)
}
