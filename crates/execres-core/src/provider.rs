//! The provider contract: who makes resources, and what the manager promises to them.

mod deadlines;
mod error;
mod health;
mod probe;
mod progress;
mod request;
mod resource;

pub use deadlines::Deadlines;
pub use error::ProviderError;
pub use health::Health;
pub use probe::{Availability, Probe};
pub use progress::{Progress, ProgressReporter};
pub use request::{EnsureRequest, ProbeRequest};
pub use resource::{HeldResource, ProvidedResource, ResourceError};
pub(crate) use resource::{Live, downcast};

use async_trait::async_trait;

use crate::identity::{Kind, ProviderId};

/// Whether a provider may be chosen because it offers the kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum OptIn {
    /// It is among the candidates of every requirement of its kinds that names none.
    #[default]
    NotNeeded,
    /// It is chosen only where a requirement names it. For providers that isolate nothing.
    OnlyWhenNamed,
}

/// Makes, checks and releases resources of some kinds.
///
/// # What the manager promises
///
/// - Identity, status and leases are the manager's; a provider sees the id of a handle and cannot set it.
/// - Every call has a deadline ([`Deadlines`]) and a panic in it is caught; both count as a failure of that call.
/// - `ensure` runs once for concurrent requirements of one key, and `release` runs once for a resource, unless it fails and is
///   tried again. `release` never runs together with
///   another `release` of the same resource; a release by force can overlap a health check, whose answer then counts for nothing.
/// - The futures are polled inside the context of the manager's [`Executor`](crate::Executor): `tokio::spawn`, sockets and
///   timers belong to the owner runtime and outlive the caller's. A poll can happen on any thread, so work that blocks belongs
///   in `tokio::task::spawn_blocking`; `tokio::task::block_in_place` does not work.
///
/// # What a provider promises
///
/// - Dropping the future of `ensure` undoes what it began: that is what happens at its deadline. No caller can drop it.
/// - `release` is idempotent and leaves nothing behind. After a failure it can be called again.
/// - An error's text quotes no secret. What the configuration marks as secret is cut out of it all the same.
#[async_trait]
pub trait Provider: Send + Sync + 'static {
    /// The id, unique in a manager, the same on every call.
    fn id(&self) -> &ProviderId;

    /// The kinds that it offers, at least one, the same on every call.
    fn kinds(&self) -> &[Kind];

    /// Whether it may be chosen without being named.
    fn opt_in(&self) -> OptIn {
        OptIn::NotNeeded
    }

    /// The deadlines of its calls, given the manager's. A provider that pulls images needs more time than one that opens a file.
    fn deadlines(&self, defaults: Deadlines) -> Deadlines {
        defaults
    }

    /// Whether a resource could be made now, with which capabilities, and on which evidence. Starts nothing that stays.
    ///
    /// It is asked twice for a resource that is made, so what is dear to find out should be kept, keyed by what it depends on.
    ///
    /// # Errors
    ///
    /// When it cannot be found out; the provider then counts as unavailable, with the error's text as the reason.
    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError>;

    /// Makes the resource.
    ///
    /// # Errors
    ///
    /// When it cannot be made. Nothing is left behind then.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped at the deadline; what it began is undone by its drop.
    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError>;

    /// Whether the resource works, found out by using it. Asked before a resource is used again.
    async fn health_check(&self, resource: &HeldResource) -> Health;

    /// Ends the resource.
    ///
    /// # Errors
    ///
    /// When it could not be ended. The resource is quarantined, and `release` is called again when somebody asks for that.
    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError>;
}
