//! One future that several wait for.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, PoisonError, Weak};
use std::task::{Context, Poll, Wake, Waker};

use super::Boxed;
use crate::sync::{Mutex, MutexGuard};

/// Work that any holder of a share can drive: whoever polls, polls the one future, and all get the one result.
///
/// That any waiter can drive it is what keeps a caller that stops polling, without going away, from holding up the others. Nobody is
/// woken while a lock is held: a provider or a handler can wait for the very work that called it, and then a waiter's waker is the
/// work's own.
pub(crate) struct Work<T>(Arc<Shared<T>>);

/// Work that is not kept alive.
pub(crate) struct WeakWork<T>(Weak<Shared<T>>);

struct Shared<T> {
    stage: Mutex<Stage<T>>,
    waiters: Arc<Waiters>,
}

enum Stage<T> {
    Idle(Boxed<T>),
    /// Somebody polls it, or it panicked.
    Taken {
        panicked: bool,
    },
    Done(T),
}

/// Those that are woken when the future is.
struct Waiters(Mutex<Waiting>);

#[derive(Default)]
struct Waiting {
    wakers: Vec<Waker>,
    /// Whether the future was woken since its last poll began.
    woken: bool,
}

impl Waiters {
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn add(&self, waker: &Waker) {
        let mut waiting = self.lock();
        if !waiting.wakers.iter().any(|one| one.will_wake(waker)) {
            waiting.wakers.push(waker.clone());
        }
    }

    fn wake_all(&self) {
        let wakers = {
            let mut waiting = self.lock();
            waiting.woken = true;
            std::mem::take(&mut waiting.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Wake for Waiters {
    fn wake(self: Arc<Self>) {
        self.wake_all();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.wake_all();
    }
}

impl<T> Shared<T> {
    fn stage(&self) -> MutexGuard<'_, Stage<T>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Work<T> {
    pub(super) fn new(future: Boxed<T>) -> Self {
        let waiters = Arc::new(Waiters(Mutex::new(Waiting::default())));
        Work(Arc::new(Shared { stage: Mutex::new(Stage::Idle(future)), waiters }))
    }

    /// Whether nothing of it is left to do.
    pub(super) fn is_done(&self) -> bool {
        matches!(*self.0.stage(), Stage::Done(_) | Stage::Taken { panicked: true })
    }

    pub(crate) fn downgrade(&self) -> WeakWork<T> {
        WeakWork(Arc::downgrade(&self.0))
    }
}

impl<T> WeakWork<T> {
    pub(crate) fn upgrade(&self) -> Option<Work<T>> {
        self.0.upgrade().map(Work)
    }
}

impl<T> Clone for Work<T> {
    fn clone(&self) -> Self {
        Work(Arc::clone(&self.0))
    }
}

/// Tells the waiters of a panic in the future.
struct Poisoning<'a, T>(&'a Shared<T>);

impl<T> Drop for Poisoning<'_, T> {
    fn drop(&mut self) {
        *self.0.stage() = Stage::Taken { panicked: true };
        self.0.waiters.wake_all();
    }
}

impl<T: Clone> Future for Work<T> {
    type Output = T;

    #[allow(clippy::panic, reason = "the panic of the future is that of everybody who waits for it")]
    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<T> {
        let shared = &*self.0;
        let mut future = {
            let mut stage = shared.stage();
            match &mut *stage {
                Stage::Done(value) => return Poll::Ready(value.clone()),
                Stage::Taken { panicked: true } => panic!("what this waits for panicked"),
                // Before the stage is let go: who polls wakes those that are there when it is done with the poll.
                Stage::Taken { panicked: false } => {
                    shared.waiters.add(context.waker());
                    return Poll::Pending;
                }
                Stage::Idle(_) => {}
            }
            shared.waiters.add(context.waker());
            match std::mem::replace(&mut *stage, Stage::Taken { panicked: false }) {
                Stage::Idle(future) => future,
                _ => unreachable!("it was idle, and the lock is held"),
            }
        };
        shared.waiters.lock().woken = false;
        let poisoning = Poisoning(shared);
        let waker = Waker::from(Arc::clone(&shared.waiters));
        let polled = future.as_mut().poll(&mut Context::from_waker(&waker));
        match polled {
            Poll::Ready(value) => {
                drop(future);
                std::mem::forget(poisoning);
                let result = value.clone();
                *shared.stage() = Stage::Done(value);
                let wakers = std::mem::take(&mut shared.waiters.lock().wakers);
                // Who polls has the result.
                wakers.into_iter().filter(|one| !one.will_wake(context.waker())).for_each(Waker::wake);
                Poll::Ready(result)
            }
            Poll::Pending => {
                std::mem::forget(poisoning);
                *shared.stage() = Stage::Idle(future);
                // Those that were woken meanwhile found it taken, and would wait for a wake that has been.
                if shared.waiters.lock().woken {
                    shared.waiters.wake_all();
                }
                Poll::Pending
            }
        }
    }
}
