//! Calling what is not ours: with a deadline, and with panics caught.

use std::any::Any;
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use futures_util::FutureExt;
use tokio::time::sleep;

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
    let mut call = pin!(Some(AssertUnwindSafe(call).catch_unwind()));
    let mut timer = pin!(None);
    let answer = poll_fn(|context| {
        if let Some(call) = call.as_mut().as_pin_mut()
            && let Poll::Ready(answer) = call.poll(context)
        {
            return Poll::Ready(answer.map_err(|panic| {
                discard(panic);
                NoAnswer::Panicked
            }));
        }
        // Most calls are done at their first poll, and a timer is something that all threads share.
        if timer.is_none() {
            timer.set(Some(sleep(deadline)));
        }
        match timer.as_mut().as_pin_mut() {
            Some(timer) => timer.poll(context).map(|()| Err(NoAnswer::TooLate(deadline))),
            None => Poll::Pending,
        }
    })
    .await;
    // What is dropped at its deadline is not ours either, and can panic. The answer is what it is.
    call_now(|| call.set(None)).unwrap_or_default();
    answer
}

/// Calls something that answers at once.
pub(super) fn call_now<T>(call: impl FnOnce() -> T) -> Result<T, NoAnswer> {
    catch_unwind(AssertUnwindSafe(call)).map_err(|panic| {
        discard(panic);
        NoAnswer::Panicked
    })
}

/// Drops what a panic left behind. What a provider broke in itself is for it to notice.
pub(super) fn discard(panic: Box<dyn Any + Send>) {
    // A value whose drop panics too leaves another one behind, and so on; that one is not looked at.
    if let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic))) {
        std::mem::forget(another);
    }
}
