//! How long the manager waits for what it calls.

use std::time::Duration;

/// How long the manager waits for each call. What exceeds its deadline is dropped and counts as failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deadlines {
    /// Of a probe. Default 10 s.
    pub probe: Duration,
    /// Of an ensure. Default 120 s.
    pub ensure: Duration,
    /// Of a health check. Default 5 s.
    pub health_check: Duration,
    /// Of a release. Default 30 s.
    pub release: Duration,
    /// Of an approval handler, who may have to ask a person. Default 300 s. A provider cannot change it.
    pub approval: Duration,
}

impl Deadlines {
    /// The documented defaults.
    pub const STANDARD: Deadlines = Deadlines {
        probe: Duration::from_secs(10),
        ensure: Duration::from_secs(120),
        health_check: Duration::from_secs(5),
        release: Duration::from_secs(30),
        approval: Duration::from_secs(300),
    };

    /// Sets the deadline of a probe.
    #[must_use]
    pub const fn with_probe(mut self, deadline: Duration) -> Self {
        self.probe = deadline;
        self
    }

    /// Sets the deadline of an ensure.
    #[must_use]
    pub const fn with_ensure(mut self, deadline: Duration) -> Self {
        self.ensure = deadline;
        self
    }

    /// Sets the deadline of a health check.
    #[must_use]
    pub const fn with_health_check(mut self, deadline: Duration) -> Self {
        self.health_check = deadline;
        self
    }

    /// Sets the deadline of a release.
    #[must_use]
    pub const fn with_release(mut self, deadline: Duration) -> Self {
        self.release = deadline;
        self
    }

    /// Sets the deadline of an approval handler.
    #[must_use]
    pub const fn with_approval(mut self, deadline: Duration) -> Self {
        self.approval = deadline;
        self
    }
}

impl Default for Deadlines {
    fn default() -> Self {
        Deadlines::STANDARD
    }
}
