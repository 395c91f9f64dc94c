//! The states of a resource.

use std::fmt;

use serde::Serialize;

/// Where a resource is in its life. `Declared`, `PendingApproval` and `Ensuring` come before there is a handle, and occur in
/// events only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Status {
    /// A requirement is recorded.
    Declared,
    /// Somebody has to approve.
    PendingApproval,
    /// Providers are probed, or one is making the resource.
    Ensuring,
    /// The resource can be used.
    Ready,
    /// The resource failed its health check.
    Unhealthy,
    /// The resource is being released.
    Releasing,
    /// The resource is gone.
    Released,
    /// The release failed: the resource is quarantined, listed, and never used again. Its release can be tried again.
    Failed,
}

impl Status {
    /// The stable name, as in JSON and events.
    pub const fn name(self) -> &'static str {
        match self {
            Status::Declared => "declared",
            Status::PendingApproval => "pending_approval",
            Status::Ensuring => "ensuring",
            Status::Ready => "ready",
            Status::Unhealthy => "unhealthy",
            Status::Releasing => "releasing",
            Status::Released => "released",
            Status::Failed => "failed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
