//! Assertions on what the mock saw.

use super::record::{Call, Counts};

/// What the mock had seen when [`Mock::assert`](super::Mock::assert) was called, and assertions on it. Each fails by panicking, and shows every call.
#[derive(Debug)]
pub struct Assertion {
    pub(super) provider: String,
    pub(super) counts: Counts,
    pub(super) calls: Vec<Call>,
}

impl Assertion {
    /// This many probes began.
    #[track_caller]
    pub fn probed(self, times: usize) -> Self {
        self.count("probes", |seen| seen.probed, times)
    }

    /// This many ensures began.
    #[track_caller]
    pub fn ensured(self, times: usize) -> Self {
        self.count("ensures", |seen| seen.ensured, times)
    }

    /// This many health checks began.
    #[track_caller]
    pub fn health_checked(self, times: usize) -> Self {
        self.count("health checks", |seen| seen.health_checked, times)
    }

    /// This many releases began.
    #[track_caller]
    pub fn released(self, times: usize) -> Self {
        self.count("releases", |seen| seen.released, times)
    }

    /// This many resources are made and not released.
    #[track_caller]
    pub fn live(self, resources: usize) -> Self {
        self.count("live resources", |seen| seen.live, resources)
    }

    /// Every resource is released.
    #[track_caller]
    pub fn nothing_live(self) -> Self {
        self.live(0)
    }

    /// No resource was dropped without a release that succeeded.
    #[track_caller]
    pub fn nothing_leaked(self) -> Self {
        self.count("leaked resources", |seen| seen.leaked, 0)
    }

    /// This many ensures were dropped before their end.
    #[track_caller]
    pub fn abandoned(self, times: usize) -> Self {
        self.count("abandoned ensures", |seen| seen.abandoned, times)
    }

    /// No resource got a call while its release went on.
    #[track_caller]
    pub fn nothing_overlapped(self) -> Self {
        self.count("calls during a release", |seen| seen.overlapped, 0)
    }

    /// These were all the calls, in this order.
    #[track_caller]
    pub fn in_order(self, calls: impl IntoIterator<Item = Call>) -> Self {
        let wanted: Vec<Call> = calls.into_iter().collect();
        assert!(self.calls == wanted, "{}: the calls were {:?}, expected {wanted:?}", self.provider, self.calls);
        self
    }

    #[track_caller]
    fn count(self, what: &str, count: impl FnOnce(&Counts) -> usize, wanted: usize) -> Self {
        let seen = count(&self.counts);
        assert!(
            seen == wanted,
            "{}: {seen} {what}, expected {wanted}; {:?}; the calls were {:?}",
            self.provider,
            self.counts,
            self.calls
        );
        self
    }
}
