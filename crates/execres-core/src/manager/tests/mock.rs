//! A provider that does what a test tells it, and counts.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use secrecy::ExposeSecret;
use tokio::runtime::Handle as RuntimeHandle;
use tokio::sync::{Barrier, Semaphore, watch};

use crate::*;

pub(super) const MADE_BADLY: ErrorCode = ErrorCode::of_provider("mock_made_badly");

/// How a call of the provider goes.
#[derive(Clone)]
pub(super) enum Act {
    Succeed,
    Fail(String),
    Panic,
    Hang,
    /// Comes back once before it succeeds.
    Yield,
    /// Waits for a permit, then succeeds.
    Wait(Arc<Semaphore>),
    /// Waits until as many calls as the barrier wants are here at once, then succeeds.
    Meet(Arc<Barrier>),
}

impl Act {
    pub(super) fn fail() -> Self {
        Act::Fail("told to fail".to_owned())
    }

    async fn play(self) -> Result<(), ProviderError> {
        match self {
            Act::Succeed => Ok(()),
            Act::Fail(text) => Err(ProviderError::new(MADE_BADLY, text.clone())
                .with_suggestion(format!("tell it otherwise than {text}"))
                .with_source(text)),
            Act::Panic => panic!("told to panic"),
            Act::Hang => std::future::pending().await,
            Act::Yield => {
                tokio::task::yield_now().await;
                Ok(())
            }
            Act::Meet(barrier) => {
                barrier.wait().await;
                Ok(())
            }
            Act::Wait(gate) => {
                gate.acquire().await.unwrap().forget();
                Ok(())
            }
        }
    }
}

/// What the test sees of the provider.
pub(super) struct Watched {
    pub(super) probe: Mutex<Act>,
    pub(super) ensure: Mutex<Act>,
    pub(super) health: Mutex<Act>,
    pub(super) release: Mutex<Act>,
    pub(super) answer: Mutex<Probe>,
    pub(super) probes: AtomicUsize,
    pub(super) ensures: watch::Sender<usize>,
    pub(super) releases: watch::Sender<usize>,
    /// Resources that were made and not released.
    pub(super) alive: watch::Sender<usize>,
    /// Ensure futures that were dropped before their end.
    pub(super) abandoned: AtomicUsize,
    /// Calls of one provider that went on at once for a resource being released.
    pub(super) releasing_now: AtomicUsize,
    pub(super) overlapped: AtomicUsize,
    pub(super) isolation: Mutex<Option<IsolationReport>>,
}

impl Watched {
    pub(super) fn counts(&self) -> (usize, usize, usize) {
        (*self.ensures.borrow(), *self.releases.borrow(), *self.alive.borrow())
    }

    pub(super) fn act(slot: &Mutex<Act>, act: Act) {
        *slot.lock().unwrap() = act;
    }
}

/// Waits until a counter has a value. The bound only tells "reached" from "hung".
pub(super) async fn reach(counter: &watch::Sender<usize>, value: usize) {
    let mut seen = counter.subscribe();
    let reached = seen.wait_for(|now| *now == value);
    tokio::time::timeout(Duration::from_secs(60), reached).await.expect("the counter stays where it is").unwrap();
}

pub(super) struct Mock {
    id: ProviderId,
    kinds: Vec<Kind>,
    opt_in: OptIn,
    watched: Arc<Watched>,
}

impl Mock {
    pub(super) fn of_kind(mut self, kind: &str) -> Self {
        self.kinds = vec![Kind::new(kind).unwrap()];
        self
    }
}

/// The live resource of the mock.
#[derive(Debug)]
pub(super) struct Thing(pub(super) usize);

pub(super) fn kind() -> Kind {
    Kind::new("thing").unwrap()
}

pub(super) fn provider_id(text: &str) -> ProviderId {
    ProviderId::new(text).unwrap()
}

pub(super) fn mock(id: &str) -> (Mock, Arc<Watched>) {
    mock_with(id, OptIn::NotNeeded)
}

pub(super) fn mock_with(id: &str, opt_in: OptIn) -> (Mock, Arc<Watched>) {
    let watched = Arc::new(Watched {
        probe: Mutex::new(Act::Succeed),
        ensure: Mutex::new(Act::Succeed),
        health: Mutex::new(Act::Succeed),
        release: Mutex::new(Act::Succeed),
        answer: Mutex::new(Probe::available(Capabilities::new())),
        probes: AtomicUsize::new(0),
        ensures: watch::Sender::new(0),
        releases: watch::Sender::new(0),
        alive: watch::Sender::new(0),
        abandoned: AtomicUsize::new(0),
        releasing_now: AtomicUsize::new(0),
        overlapped: AtomicUsize::new(0),
        isolation: Mutex::new(None),
    });
    (Mock { id: provider_id(id), kinds: vec![kind()], opt_in, watched: Arc::clone(&watched) }, watched)
}

/// A manager with one mock.
pub(super) fn manager() -> (Manager, Arc<Watched>) {
    let (mock, watched) = mock("mock");
    let manager = Manager::builder().build();
    manager.register_provider(mock).unwrap();
    ask_nobody(&manager);
    (manager, watched)
}

/// Leaves questions pending, so that no test asks whoever runs it at their terminal.
pub(super) fn ask_nobody(manager: &Manager) {
    manager.approval().set_default_handler(&HandlerName::new("fail_closed").unwrap()).unwrap();
}

/// A manager with one mock on the test's own runtime, whose time can be paused.
pub(super) fn manager_here() -> (Manager, Arc<Watched>) {
    let (mock, watched) = mock("mock");
    let manager = Manager::builder().executor(TokioExecutor::new(RuntimeHandle::current())).build();
    manager.register_provider(mock).unwrap();
    ask_nobody(&manager);
    (manager, watched)
}

pub(super) fn session() -> RequirementBuilder {
    Requirement::builder(kind()).scope(Scope::Session).owner(OwnerId::new("session-1").unwrap())
}

pub(super) fn requirement() -> Requirement {
    session().build().unwrap()
}

/// Counts a future that does not come to its end.
struct Abandoned<'a>(&'a Watched);

impl Drop for Abandoned<'_> {
    fn drop(&mut self) {
        self.0.abandoned.fetch_add(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Provider for Mock {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn opt_in(&self) -> OptIn {
        self.opt_in
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        self.watched.probes.fetch_add(1, Ordering::SeqCst);
        let act = self.watched.probe.lock().unwrap().clone();
        act.play().await?;
        Ok(self.watched.answer.lock().unwrap().clone())
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let mut number = 0;
        self.watched.ensures.send_modify(|count| {
            *count += 1;
            number = *count;
        });
        let act = self.watched.ensure.lock().unwrap().clone();
        let abandoned = Abandoned(&self.watched);
        request.progress().report(Progress { stage: "making", done: 0, total: Some(1) });
        let played = act.play().await;
        std::mem::forget(abandoned);
        played?;
        self.watched.alive.send_modify(|count| *count += 1);
        let provided = ProvidedResource::new(Thing(number)).with_metadata("number", number.to_string());
        // Providers tell what they should not: an address with a password in it, for one.
        let provided = match request.config().get("token") {
            Some(ConfigValue::Secret(token)) => {
                provided.with_metadata("address", format!("at {}", token.expose_secret()))
            }
            _ => provided,
        };
        let isolation = self.watched.isolation.lock().unwrap().clone();
        Ok(match isolation {
            Some(report) => provided.with_isolation(report),
            None => provided,
        })
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        resource.resource::<Thing>().unwrap();
        let act = self.watched.health.lock().unwrap().clone();
        match act.play().await {
            Ok(()) => Health::Healthy,
            Err(error) => Health::unhealthy(error.code(), error.message()),
        }
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        resource.resource::<Thing>().unwrap();
        if self.watched.releasing_now.fetch_add(1, Ordering::SeqCst) > 0 {
            self.watched.overlapped.fetch_add(1, Ordering::SeqCst);
        }
        self.watched.releases.send_modify(|count| *count += 1);
        let act = self.watched.release.lock().unwrap().clone();
        let _done = Leaving(&self.watched.releasing_now);
        act.play().await?;
        self.watched.alive.send_modify(|count| *count -= 1);
        Ok(())
    }
}

/// Counts down when it is dropped, however the call ends.
struct Leaving<'a>(&'a AtomicUsize);

impl Drop for Leaving<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}
