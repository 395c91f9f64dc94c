//! The manager for hosts that are not async.

use std::future::Future;
use std::sync::mpsc::sync_channel;
use std::time::Duration;

use super::ensure::EnsureTarget;
use super::error::{EnsureError, ReleaseError, ReleaseScopeError};
use super::face::Manager;
use super::handle::Handle;
use super::release::ReleaseOutcome;
use super::shutdown::ShutdownReport;
use crate::approval::{ActionCall, CallApproval};
use crate::error_code::ErrorCode;
use crate::identity::{HandleId, OwnerId};
use crate::scope::Scope;

/// A blocking call was made on a thread of an async runtime, or inside the context of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a blocking call was made inside an async runtime: await the manager's own call there")]
pub struct BlockingInAsync;

impl BlockingInAsync {
    /// The code: [`ErrorCode::BLOCKING_IN_ASYNC`].
    pub const fn code(self) -> ErrorCode {
        ErrorCode::BLOCKING_IN_ASYNC
    }
}

/// The calls of a [`Manager`] that wait on their own thread, with no runtime there.
///
/// The work runs at the owner runtime, and the calling thread sleeps until it is done. On a thread that belongs to a tokio runtime, the owner
/// runtime's own threads included, every call answers [`BlockingInAsync`] and does nothing. A runtime of another make cannot be seen from
/// here: a call there blocks its thread, and ends all the same.
#[derive(Debug, Clone, Copy)]
pub struct Blocking<'a>(pub(super) &'a Manager);

/// Why a blocking call has no answer.
enum NoResult {
    InAsync(BlockingInAsync),
    Forked,
    OwnerRuntime(String),
}

impl Blocking<'_> {
    /// As [`Manager::ensure`].
    ///
    /// # Errors
    ///
    /// As [`Manager::ensure`], and [`BlockingInAsync`].
    pub fn ensure(self, target: impl Into<EnsureTarget>) -> Result<Handle, EnsureError> {
        let (manager, target) = (self.0.clone(), target.into());
        self.wait(async move { manager.ensure(target).await }).unwrap_or_else(|error| Err(error.into()))
    }

    /// As [`Manager::approve_call`].
    ///
    /// # Errors
    ///
    /// As [`Manager::approve_call`], and [`BlockingInAsync`].
    pub fn approve_call(self, call: ActionCall) -> Result<CallApproval, EnsureError> {
        let manager = self.0.clone();
        self.wait(async move { manager.approve_call(call).await }).unwrap_or_else(|error| Err(error.into()))
    }

    /// As [`Manager::release`].
    ///
    /// # Errors
    ///
    /// As [`Manager::release`], and [`BlockingInAsync`].
    pub fn release(self, handle: &Handle) -> Result<ReleaseOutcome, ReleaseError> {
        self.wait(self.0.inner.release(handle)).unwrap_or_else(|error| Err(error.into()))
    }

    /// As [`Manager::release_by_id`].
    ///
    /// # Errors
    ///
    /// As [`Manager::release_by_id`], and [`BlockingInAsync`].
    pub fn release_by_id(self, id: &HandleId) -> Result<(), ReleaseError> {
        let (manager, id) = (self.0.clone(), id.clone());
        self.wait(async move { manager.release_by_id(&id).await }).unwrap_or_else(|error| Err(error.into()))
    }

    /// As [`Manager::release_scope`].
    ///
    /// # Errors
    ///
    /// As [`Manager::release_scope`], and [`BlockingInAsync`].
    pub fn release_scope(self, scope: Scope, owner: &OwnerId) -> Result<Vec<HandleId>, ReleaseScopeError> {
        let (manager, owner) = (self.0.clone(), owner.clone());
        self.wait(async move { manager.release_scope(scope, &owner).await })
            .unwrap_or_else(|error| Err(ReleaseScopeError { released: Vec::new(), failures: vec![error.into()] }))
    }

    /// As [`Manager::shutdown`].
    ///
    /// # Errors
    ///
    /// [`BlockingInAsync`], and when the owner runtime ended before the shutdown did.
    pub fn shutdown(self, deadline: Duration) -> Result<ShutdownReport, ReleaseError> {
        let manager = self.0.clone();
        self.wait(async move { manager.shutdown(deadline).await }).map_err(ReleaseError::from)
    }

    /// Lets the owner runtime do the work, and sleeps until it is done.
    fn wait<T: Send + 'static>(self, work: impl Future<Output = T> + Send + 'static) -> Result<T, NoResult> {
        if tokio::runtime::Handle::try_current().is_ok() {
            return Err(NoResult::InAsync(BlockingInAsync));
        }
        // The threads of the owner runtime are the parent's: whoever waited for them would wait for ever.
        if self.0.inner.is_forked() {
            return Err(NoResult::Forked);
        }
        let executor = self.0.inner.executor().map_err(|error| NoResult::OwnerRuntime(error.to_string()))?;
        let (done, result) = sync_channel(1);
        executor.spawn(Box::pin(async move {
            // The caller waits, so the channel is open.
            drop(done.send(work.await));
        }));
        result.recv().map_err(|_gone| NoResult::OwnerRuntime("it ended before the work did".to_owned()))
    }
}

impl From<NoResult> for EnsureError {
    fn from(error: NoResult) -> Self {
        match error {
            NoResult::InAsync(error) => error.into(),
            NoResult::Forked => EnsureError::Forked,
            NoResult::OwnerRuntime(reason) => EnsureError::OwnerRuntime { reason },
        }
    }
}

impl From<NoResult> for ReleaseError {
    fn from(error: NoResult) -> Self {
        match error {
            NoResult::InAsync(error) => error.into(),
            NoResult::Forked => ReleaseError::Forked,
            NoResult::OwnerRuntime(_) => ReleaseError::OwnerRuntime,
        }
    }
}
