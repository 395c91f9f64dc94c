//! M2 to M6 and M10 under orders of steps that a scheduler of shuttle's chooses, at every lock and atomic of the state machine.
//!
//! Run them with `cargo test -p execres-core --features shuttle --lib interleavings`.

use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use futures_util::future::{join_all, poll_immediate};
use shuttle::future::{JoinHandle, block_on, spawn, yield_now};
use shuttle::scheduler::{PctScheduler, RandomScheduler};

use crate::*;

const LONG: Duration = Duration::from_secs(3600);

/// Runs everything as a task of shuttle's, and keeps the tasks so that their end can be waited for.
#[derive(Clone, Default)]
struct Tasks(Arc<Mutex<Vec<JoinHandle<()>>>>);

impl Executor for Tasks {
    fn within(&self, poll: &mut dyn FnMut()) {
        // The context of a runtime is there for the whole test: entering and leaving it here would not nest.
        poll();
    }

    fn spawn(&self, task: OwnedTask) {
        // Started before the lock is taken: starting a task can change threads, and this lock is none of shuttle's.
        let task = spawn(task);
        self.0.lock().unwrap().push(task);
    }
}

impl Tasks {
    async fn all_end(&self) {
        loop {
            let Some(task) = self.0.lock().unwrap().pop() else { return };
            task.await.unwrap();
        }
    }
}

/// Counts what it makes, and takes several steps for everything.
#[derive(Default)]
struct Counts {
    ensures: AtomicUsize,
    releases: AtomicUsize,
    alive: AtomicUsize,
    most_alive: AtomicUsize,
    releases_fail: AtomicBool,
    unhealthy: AtomicBool,
}

struct Stepwise(ProviderId, [Kind; 1], Arc<Counts>);

/// The resource: whether its release has begun.
struct Thing(AtomicBool);

#[async_trait]
impl Provider for Stepwise {
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
        self.2.ensures.fetch_add(1, Ordering::SeqCst);
        yield_now().await;
        let alive = self.2.alive.fetch_add(1, Ordering::SeqCst) + 1;
        self.2.most_alive.fetch_max(alive, Ordering::SeqCst);
        Ok(ProvidedResource::new(Thing(AtomicBool::new(false))))
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        yield_now().await;
        let released = resource.resource::<Thing>().unwrap().0.load(Ordering::SeqCst);
        match released || self.2.unhealthy.swap(false, Ordering::SeqCst) {
            true => Health::unhealthy(ErrorCode::ENSURE_FAILED, "told so"),
            false => Health::Healthy,
        }
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        self.2.releases.fetch_add(1, Ordering::SeqCst);
        resource.resource::<Thing>().unwrap().0.store(true, Ordering::SeqCst);
        yield_now().await;
        if self.2.releases_fail.swap(false, Ordering::SeqCst) {
            return Err(ProviderError::new(ErrorCode::RELEASE_FAILED, "told to fail"));
        }
        self.2.alive.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }
}

fn requirement() -> Requirement {
    let builder = Requirement::builder(Kind::new("thing").unwrap()).scope(Scope::Session);
    builder.owner(OwnerId::new("session-1").unwrap()).build().unwrap()
}

/// What every interleaving starts with.
struct Start {
    manager: Manager,
    counts: Arc<Counts>,
    tasks: Tasks,
}

impl Start {
    fn new() -> Self {
        let (counts, tasks) = (Arc::new(Counts::default()), Tasks::default());
        let manager = Manager::builder().executor(tasks.clone()).build();
        let kind = Kind::new("thing").unwrap();
        let provider = Stepwise(ProviderId::new("stepwise").unwrap(), [kind], Arc::clone(&counts));
        manager.register_provider(provider).unwrap();
        Start { manager, counts, tasks }
    }

    fn count(&self, counter: fn(&Counts) -> &AtomicUsize) -> usize {
        counter(&self.counts).load(Ordering::SeqCst)
    }

    /// Nothing is left: neither a resource, nor an entry in any table.
    async fn nothing_left(&self) {
        self.tasks.all_end().await;
        assert_eq!(self.count(|counts| &counts.alive), 0, "a resource is left");
        assert!(self.manager.list(&Filter::all()).is_empty(), "a handle is left");
        assert!(self.manager.inner.slots.collect(|_| Some(())).is_empty(), "a slot is left");
    }
}

/// Runs the test under many orders of steps: at random, and at random with few changes of thread, which finds other mistakes.
fn explore(test: impl Fn(Start) -> futures_util::future::BoxFuture<'static, ()> + Send + Sync + 'static) {
    let full = std::env::var("EXECRES_TEST_SIZE").is_ok_and(|size| size == "full");
    let iterations = if full { 20_000 } else { 500 };
    // Timers are made in a context and never fire: nobody drives it.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    let _context = runtime.enter();
    let once = move || block_on(test(Start::new()));
    let once = Arc::new(once);
    let run = |once: Arc<dyn Fn() + Send + Sync>| move || once();
    let mut config = shuttle::Config::new();
    config.stack_size = 1 << 20;
    shuttle::Runner::new(RandomScheduler::new(iterations), config.clone()).run(run(once.clone()));
    shuttle::Runner::new(PctScheduler::new(3, iterations), config).run(run(once));
}

#[test]
fn m2_ensures_of_one_key_run_the_provider_once() {
    explore(|start| {
        Box::pin(async move {
            let ensures = (0..3).map(|_| {
                let manager = start.manager.clone();
                spawn(async move { manager.ensure(requirement()).await.unwrap() })
            });
            let handles: Vec<Handle> = join_all(ensures).await.into_iter().map(Result::unwrap).collect();
            assert!(handles.iter().all(|handle| handle.id() == handles[0].id()));
            assert_eq!(start.count(|counts| &counts.ensures), 1);
            drop(handles);
            start.nothing_left().await;
        })
    });
}

#[test]
fn m3_an_ensure_that_is_dropped_half_way_leaks_nothing_and_serves_who_waits() {
    explore(|start| {
        Box::pin(async move {
            let gone = [1, 2].map(|polls| {
                let manager = start.manager.clone();
                spawn(async move {
                    let mut ensure = pin!(manager.ensure(requirement()));
                    for _ in 0..polls {
                        if poll_immediate(&mut ensure).await.is_some() {
                            break;
                        }
                        yield_now().await;
                    }
                })
            });
            let manager = start.manager.clone();
            let waits = spawn(async move {
                let handle = manager.ensure(requirement()).await.unwrap();
                handle.resource::<Thing>().unwrap();
            });
            join_all(gone).await.into_iter().for_each(Result::unwrap);
            waits.await.unwrap();
            start.nothing_left().await;
        })
    });
}

#[test]
fn m4_the_provider_releases_once_whoever_gives_back_last() {
    explore(|start| {
        Box::pin(async move {
            let mut handles = Vec::new();
            for _ in 0..3 {
                handles.push(start.manager.ensure(requirement()).await.unwrap());
            }
            let releases = handles.into_iter().map(|handle| {
                let manager = start.manager.clone();
                spawn(async move {
                    let outcome = manager.release(&handle).await.unwrap();
                    assert_eq!(manager.release(&handle).await.unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
                    outcome
                })
            });
            let outcomes: Vec<_> = join_all(releases).await.into_iter().map(Result::unwrap).collect();
            let last = outcomes.iter().filter(|outcome| **outcome == ReleaseOutcome::Released).count();
            assert!(last >= 1, "{outcomes:?}");
            assert_eq!(start.count(|counts| &counts.releases), 1);
            start.nothing_left().await;
        })
    });
}

#[test]
fn m5_an_ensure_that_races_with_the_last_release_gets_no_resource_that_is_being_released() {
    explore(|start| {
        Box::pin(async move {
            let racers = (0..3).map(|_| {
                let manager = start.manager.clone();
                spawn(async move {
                    for _ in 0..2 {
                        let handle = manager.ensure(requirement()).await.unwrap();
                        let thing = handle.resource::<Thing>().unwrap();
                        assert!(!thing.0.load(Ordering::SeqCst), "its release has begun");
                        manager.release(&handle).await.unwrap();
                    }
                })
            });
            join_all(racers).await.into_iter().for_each(Result::unwrap);
            assert_eq!(start.count(|counts| &counts.most_alive), 1, "two resources of one key at once");
            start.nothing_left().await;
        })
    });
}

#[test]
fn m5_an_unhealthy_resource_is_replaced_once_and_handed_to_nobody() {
    explore(|start| {
        Box::pin(async move {
            let first = start.manager.ensure(requirement()).await.unwrap();
            start.counts.unhealthy.store(true, Ordering::SeqCst);
            let racers = (0..2).map(|_| {
                let manager = start.manager.clone();
                spawn(async move { manager.ensure(requirement()).await.unwrap() })
            });
            let handles: Vec<Handle> = join_all(racers).await.into_iter().map(Result::unwrap).collect();
            // Who was served before the check that failed has lost the resource by force; the other one has the new one.
            let usable = handles.iter().filter(|handle| handle.resource::<Thing>().is_ok()).count();
            assert!(usable >= 1);
            assert_eq!(start.count(|counts| &counts.ensures), 2);
            drop((first, handles));
            start.nothing_left().await;
        })
    });
}

#[test]
fn m6_a_failed_release_quarantines_and_the_key_is_free() {
    explore(|start| {
        Box::pin(async move {
            let first = start.manager.ensure(requirement()).await.unwrap();
            start.counts.releases_fail.store(true, Ordering::SeqCst);
            let (manager, other) = (start.manager.clone(), start.manager.clone());
            let id = first.id().clone();
            let release = spawn(async move { manager.release_by_id(first.id()).await });
            let ensure = spawn(async move { other.ensure(requirement()).await.unwrap() });
            let second = ensure.await.unwrap();
            let released = release.await.unwrap();
            assert_eq!(released.unwrap_err().code(), ErrorCode::RELEASE_FAILED);
            assert_eq!(start.manager.list(&Filter::all().status(Status::Failed)).len(), 1);
            assert_eq!(start.manager.inspect(&id).unwrap().status, Status::Failed);
            // Whoever came before the release by force holds the quarantined one and gets nothing of it.
            assert_eq!(second.resource::<Thing>().is_ok(), second.id() != &id);
            start.manager.release_by_id(&id).await.unwrap();
            drop(second);
            start.nothing_left().await;
        })
    });
}

#[test]
fn m6_a_quarantined_resource_is_released_again_or_abandoned_and_never_both() {
    explore(|start| {
        Box::pin(async move {
            let handle = start.manager.ensure(requirement()).await.unwrap();
            start.counts.releases_fail.store(true, Ordering::SeqCst);
            start.manager.release(&handle).await.unwrap_err();
            let (manager, id) = (start.manager.clone(), handle.id().clone());
            let again = spawn(async move { manager.release_by_id(&id).await });
            let abandoned = start.manager.abandon(handle.id());
            let released = again.await.unwrap();
            assert_ne!(abandoned.is_ok(), released.is_ok(), "{abandoned:?} {released:?}");
            assert!(start.manager.list(&Filter::all()).is_empty());
            assert_eq!(start.count(|counts| &counts.releases), 1 + usize::from(released.is_ok()));
        })
    });
}

#[test]
fn m10_a_shutdown_while_ensuring_leaves_nothing() {
    explore(|start| {
        Box::pin(async move {
            let ensures = (0..2).map(|_| {
                let manager = start.manager.clone();
                spawn(async move { manager.ensure(requirement()).await.map(drop).map_err(|error| error.code()) })
            });
            let manager = start.manager.clone();
            let shutdown = spawn(async move { manager.shutdown(LONG).await });
            let ensured: Vec<_> = join_all(ensures).await.into_iter().map(Result::unwrap).collect();
            assert!(ensured.iter().all(|one| matches!(one, Ok(()) | Err(ErrorCode::SHUTDOWN))), "{ensured:?}");
            assert!(shutdown.await.unwrap().is_clean());
            assert_eq!(start.manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::SHUTDOWN);
            start.nothing_left().await;
        })
    });
}
