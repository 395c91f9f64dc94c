//! The owner runtime: where resources live, whatever becomes of the caller's runtime.

use std::future::Future;
use std::pin::Pin;
use std::sync::{Mutex, PoisonError};

use tokio::runtime::{Builder, Handle, Runtime};

/// A task that the owner runtime drives to its end.
pub type OwnedTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// The owner of everything that outlives a caller: sockets and timers of resources, and work whose caller went away.
///
/// Calls of a provider are polled on the caller's thread, *inside* the owner's context ([`within`](Executor::within)), so
/// that an ensure costs no hop to another thread; when a caller drops a call half way, the very same future moves to
/// [`spawn`](Executor::spawn) and is driven to its end there. The caller's runtime may be single-threaded, one of several, no
/// tokio at all, or gone by then.
///
/// The manager has an executor of its own, started on first need and living as long as the process. A host that brings another
/// one keeps its runtime alive until the manager has shut down: what is spawned on a runtime that is gone is lost.
pub trait Executor: Send + Sync + 'static {
    /// Calls `poll` on this thread, in the context of a tokio runtime that has timers and I/O enabled.
    fn within(&self, poll: &mut dyn FnMut());

    /// Drives the task to its end. Never blocks, works on any thread, needs no runtime there.
    fn spawn(&self, task: OwnedTask);
}

/// An executor over a tokio runtime that somebody else keeps alive.
#[derive(Debug, Clone)]
pub struct TokioExecutor(Handle);

impl TokioExecutor {
    /// An executor over the runtime of this handle.
    pub const fn new(runtime: Handle) -> Self {
        TokioExecutor(runtime)
    }
}

impl Executor for TokioExecutor {
    fn within(&self, poll: &mut dyn FnMut()) {
        let _context = self.0.enter();
        poll();
    }

    fn spawn(&self, task: OwnedTask) {
        // The handle to the task is dropped, which detaches it: whoever moved it here went away.
        drop(self.0.spawn(task));
    }
}

/// The process's own owner runtime, started on first need.
///
/// It is never shut down: its threads end with the process, so that handles work as long as anything does.
pub(crate) fn process_owner() -> std::io::Result<TokioExecutor> {
    static OWNER: Mutex<Option<Runtime>> = Mutex::new(None);
    let mut owner = OWNER.lock().unwrap_or_else(PoisonError::into_inner);
    let runtime = match owner.take() {
        Some(runtime) => runtime,
        None => {
            let threads = std::thread::available_parallelism().map_or(1, |count| count.get().min(4));
            Builder::new_multi_thread().worker_threads(threads).thread_name("execres-owner").enable_all().build()?
        }
    };
    Ok(TokioExecutor::new(owner.insert(runtime).handle().clone()))
}
