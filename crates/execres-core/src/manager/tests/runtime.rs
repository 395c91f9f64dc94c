//! M13: nothing runs by itself. M14: the caller's runtime does not matter. And a fork has no manager.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};
use std::thread::Thread;
use std::time::Duration;

use async_trait::async_trait;
use tokio::runtime::Builder;
use tokio::sync::{Semaphore, mpsc, oneshot};

use super::mock::*;
use crate::*;

/// Makes a resource that needs a runtime all its life: a task that answers, after a timer's tick.
struct Echo(ProviderId, Vec<Kind>);

struct Line(mpsc::UnboundedSender<oneshot::Sender<u32>>);

#[async_trait]
impl Provider for Echo {
    fn id(&self) -> &ProviderId {
        &self.0
    }

    fn kinds(&self) -> &[Kind] {
        &self.1
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        Ok(Probe::available(Capabilities::new()))
    }

    async fn ensure(&self, _request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let (sender, mut calls) = mpsc::unbounded_channel::<oneshot::Sender<u32>>();
        drop(tokio::spawn(async move {
            while let Some(call) = calls.recv().await {
                tokio::time::sleep(Duration::from_millis(1)).await;
                call.send(7).ok();
            }
        }));
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(ProvidedResource::new(Line(sender)))
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        match ask(&resource.resource().unwrap()).await {
            Some(7) => Health::Healthy,
            _ => Health::unhealthy(MADE_BADLY, "no answer"),
        }
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(())
    }
}

async fn ask(line: &Line) -> Option<u32> {
    let (call, answer) = oneshot::channel();
    line.0.send(call).ok()?;
    answer.await.ok()
}

/// Drives a future with no runtime at all.
fn drive<T>(future: impl Future<Output = T>) -> T {
    struct Unpark(Thread);

    impl std::task::Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }

    let waker = Waker::from(Arc::new(Unpark(std::thread::current())));
    let mut context = Context::from_waker(&waker);
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut context) {
            Poll::Ready(value) => return value,
            Poll::Pending => std::thread::park(),
        }
    }
}

#[test]
fn m14_a_resource_outlives_the_runtime_it_was_ensured_on() {
    let manager = Manager::builder().build();
    manager.register_provider(Echo(provider_id("echo"), vec![kind()])).unwrap();
    let short_lived = Builder::new_current_thread().build().unwrap();
    let handle = short_lived.block_on(manager.ensure(requirement())).unwrap();
    drop(short_lived);
    let line = handle.resource::<Line>().unwrap();
    assert_eq!(drive(ask(&line)), Some(7));
    let other = Builder::new_multi_thread().worker_threads(1).build().unwrap();
    let again = other.block_on(manager.ensure(requirement())).unwrap();
    assert_eq!(again.id(), handle.id(), "it is healthy, seen from another runtime");
    drop(other);
    assert!(drive(manager.release(&again)).is_ok());
    assert_eq!(drive(manager.release(&handle)), Ok(ReleaseOutcome::Released), "released with no runtime at all");
}

#[test]
fn m14_a_half_polled_ensure_moves_to_the_owner_and_is_not_run_again() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let runtime = Builder::new_current_thread().build().unwrap();
    let ensuring = manager.clone();
    drop(runtime.spawn(async move { ensuring.ensure(requirement()).await }));
    runtime.block_on(reach_here(&watched));
    drop(runtime);
    gate.add_permits(1);
    let observer = Builder::new_current_thread().enable_time().build().unwrap();
    observer.block_on(reach(&watched.releases, 1));
    observer.block_on(reach(&watched.alive, 0));
    assert_eq!(watched.counts(), (1, 1, 0));
}

/// Waits for the first ensure with nothing but the channel: the runtime has no timer.
async fn reach_here(watched: &Watched) {
    watched.ensures.subscribe().wait_for(|count| *count == 1).await.unwrap();
}

#[test]
fn m14_a_handle_is_dropped_outside_any_runtime() {
    let (manager, watched) = manager();
    drop(drive(manager.ensure(requirement())).unwrap());
    drive(async { watched.alive.subscribe().wait_for(|count| *count == 0).await.map(drop) }).unwrap();
    assert_eq!(watched.counts(), (1, 1, 0));
}

#[tokio::test]
async fn a_fork_is_refused() {
    let (mock, watched) = mock("mock");
    let mut builder = Manager::builder();
    builder.process = std::process::id() + 1;
    let manager = builder.build();
    manager.register_provider(mock).unwrap();
    let error = manager.ensure(requirement()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::FORKED);
    assert_eq!(watched.counts(), (0, 0, 0));
    let owner = OwnerId::new("session-1").unwrap();
    assert_eq!(manager.release_scope(Scope::Session, &owner).await.unwrap_err().code(), ErrorCode::FORKED);
    let report = manager.shutdown(std::time::Duration::from_secs(1)).await;
    assert_eq!(report.failures, [ReleaseError::Forked], "the resources are the parent's");
}

#[tokio::test]
async fn m14_a_half_polled_health_check_moves_to_the_owner() {
    let (manager, watched) = manager();
    let first = manager.ensure(requirement()).await.unwrap();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.health, Act::Wait(Arc::clone(&gate)));
    {
        let mut ensure = pin!(manager.ensure(requirement()));
        assert!(futures_util::future::poll_immediate(&mut ensure).await.is_none());
    }
    gate.add_permits(1);
    let ended = async {
        while gate.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(60), ended).await.expect("nobody goes on with the health check");
    manager.release(&first).await.unwrap();
    reach(&watched.alive, 0).await;
    assert_eq!(watched.counts(), (1, 1, 0));
}

/// Counts the tasks that are moved to it and have not ended.
struct CountsTasks(TokioExecutor, Arc<AtomicUsize>);

impl Executor for CountsTasks {
    fn within(&self, poll: &mut dyn FnMut()) {
        self.0.within(poll);
    }

    fn spawn(&self, task: OwnedTask) {
        let alive = Arc::clone(&self.1);
        alive.fetch_add(1, Ordering::SeqCst);
        self.0.spawn(Box::pin(async move {
            task.await;
            alive.fetch_sub(1, Ordering::SeqCst);
        }));
    }
}

#[tokio::test(start_paused = true)]
async fn m13_nothing_runs_by_itself_while_a_resource_idles() {
    let alive = Arc::new(AtomicUsize::new(0));
    let executor = CountsTasks(TokioExecutor::new(tokio::runtime::Handle::current()), Arc::clone(&alive));
    let (mock, watched) = mock("mock");
    let manager = Manager::builder().executor(executor).build();
    manager.register_provider(mock).unwrap();
    ask_nobody(&manager);
    let handle = manager.ensure(requirement()).await.unwrap();
    let probes = watched.probes.load(Ordering::SeqCst);

    // Ten days of virtual time: a scheduler would have checked, a lease would have run out, a connection been made anew.
    let before = tokio::time::Instant::now();
    tokio::time::advance(Duration::from_secs(10 * 24 * 3600)).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(before.elapsed() >= Duration::from_secs(10 * 24 * 3600), "the control: time has passed");
    assert_eq!(alive.load(Ordering::SeqCst), 0, "no task of the manager's waits for anything");
    assert_eq!(watched.probes.load(Ordering::SeqCst), probes);
    assert_eq!((watched.counts(), handle.status()), ((1, 0, 1), Status::Ready));

    // The control: work that is the manager's own is seen. A dropped handle is released by a task.
    drop(handle);
    assert_eq!(alive.load(Ordering::SeqCst), 1);
    reach(&watched.releases, 1).await;
}
