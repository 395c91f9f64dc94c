//! Calling what is not ours: with a deadline, and with panics caught.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use futures_util::FutureExt;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoAnswer {
    /// The call panicked.
    Panicked,
    /// The deadline passed, and the call was dropped.
    TooLate(Duration),
}

/// Awaits a call for no longer than its deadline. Has to be polled inside the owner's context, which has the timer.
pub(super) async fn call<T>(deadline: Duration, call: impl Future<Output = T>) -> Result<T, NoAnswer> {
    // The value that a panic leaves behind is only dropped: what a provider broke in itself is for it to notice.
    match tokio::time::timeout(deadline, AssertUnwindSafe(call).catch_unwind()).await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(_panic)) => Err(NoAnswer::Panicked),
        Err(_elapsed) => Err(NoAnswer::TooLate(deadline)),
    }
}
