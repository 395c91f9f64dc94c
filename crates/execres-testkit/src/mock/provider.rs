//! The provider, and the test's hand on it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_trait::async_trait;
use execres_core::{
    Capabilities, EnsureRequest, ErrorCode, Health, HeldResource, IsolationReport, Kind, OptIn, Probe, ProbeRequest,
    Progress, ProvidedResource, Provider, ProviderError, ProviderId,
};

use super::act::Act;
use super::assert::Assertion;
use super::record::{Call, Counts, Record};
use super::resource::MockResource;

/// The code of a resource that was broken.
const BROKEN: ErrorCode = ErrorCode::of_provider("mock_broken");

/// How long [`Mock::until`] waits. The bound only tells "reached" from "hung".
const HUNG: Duration = Duration::from_secs(60);

/// The test's hand on a mock provider: tells it what to do, and asserts on what it saw.
#[derive(Debug, Clone)]
pub struct Mock {
    id: ProviderId,
    kind: Kind,
    opt_in: OptIn,
    record: Arc<Record>,
}

impl Mock {
    /// A provider with this id and kind, available, with no capability and no isolation, whose every call succeeds.
    ///
    /// # Panics
    /// When one of them is no valid name.
    pub fn new(id: &'static str, kind: &'static str) -> Self {
        Mock {
            id: ProviderId::from_static(id),
            kind: Kind::from_static(kind),
            opt_in: OptIn::NotNeeded,
            record: Arc::new(Record::new(Probe::available(Capabilities::new()))),
        }
    }

    /// The same, chosen only where a requirement names it.
    #[must_use]
    pub fn only_when_named(mut self) -> Self {
        self.opt_in = OptIn::OnlyWhenNamed;
        self
    }

    /// The provider, to be registered. Each is the same one.
    pub fn provider(&self) -> MockProvider {
        MockProvider { mock: self.clone(), kinds: [self.kind.clone()] }
    }

    /// Its id.
    pub const fn id(&self) -> &ProviderId {
        &self.id
    }

    /// Its kind.
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How every call of this sort goes for which nothing else is told.
    pub fn always(&self, call: Call, act: Act) -> &Self {
        self.record.state().always.insert(call, act);
        self
    }

    /// How the next calls of this sort go, one after the other; later ones go as before.
    pub fn next(&self, call: Call, acts: impl IntoIterator<Item = Act>) -> &Self {
        self.record.state().next.entry(call).or_default().extend(acts);
        self
    }

    /// What every probe answers for which nothing else is told.
    pub fn answers(&self, probe: Probe) -> &Self {
        self.record.state().answer = probe;
        self
    }

    /// What the next probes answer, one after the other. A resource that is made is probed twice.
    pub fn answers_next(&self, probes: impl IntoIterator<Item = Probe>) -> &Self {
        self.record.state().answers.extend(probes);
        self
    }

    /// Every probe says that nothing can be made, for this reason.
    pub fn unavailable(&self, reason: impl Into<String>) -> &Self {
        self.answers(Probe::unavailable(ErrorCode::PROVIDER_UNAVAILABLE, reason, None))
    }

    /// The isolation that resources really have, where it is not what the probe said.
    pub fn carries(&self, report: IsolationReport) -> &Self {
        self.record.state().carries = Some(report);
        self
    }

    /// What was seen so far.
    pub fn counts(&self) -> Counts {
        *self.record.counts.borrow()
    }

    /// Waits until what was seen is so.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    ///
    /// # Panics
    /// When it does not become so.
    #[expect(clippy::panic, reason = "a test fails by panicking")]
    pub async fn until(&self, reached: impl FnMut(&Counts) -> bool) {
        let mut seen = self.record.counts.subscribe();
        let hung = tokio::time::timeout(HUNG, seen.wait_for(reached)).await.is_err();
        if hung {
            panic!("{}: it did not become so: {:?}", self.id, self.counts());
        }
    }

    /// Assertions on what was seen so far.
    #[must_use = "this alone asserts nothing"]
    pub fn assert(&self) -> Assertion {
        let calls = self.record.state().calls.clone();
        Assertion { provider: self.id.to_string(), counts: self.counts(), calls }
    }
}

/// The mock as the manager sees it.
#[derive(Debug)]
pub struct MockProvider {
    mock: Mock,
    kinds: [Kind; 1],
}

/// Counts an ensure that does not come to its end.
struct Unfinished<'a>(&'a Record);

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.0.counts.send_modify(|counts| counts.abandoned += 1);
    }
}

/// A release that goes on.
struct Releasing<'a>(&'a MockResource);

impl Drop for Releasing<'_> {
    fn drop(&mut self) {
        self.0.releasing.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Provider for MockProvider {
    fn id(&self) -> &ProviderId {
        &self.mock.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn opt_in(&self) -> OptIn {
        self.mock.opt_in
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        let (_, act) = self.mock.record.begin(Call::Probe);
        act.play().await?;
        Ok(self.mock.record.answer())
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let record = &self.mock.record;
        let (number, act) = record.begin(Call::Ensure);
        let unfinished = Unfinished(record);
        request.progress().report(Progress { stage: "making", done: 0, total: Some(1) });
        let played = act.play().await;
        std::mem::forget(unfinished);
        played?;
        let made = ProvidedResource::new(MockResource::new(number, Arc::clone(record)))
            .with_metadata("number", number.to_string());
        let carries = record.state().carries.clone();
        Ok(match carries {
            Some(report) => made.with_isolation(report),
            None => made,
        })
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        let (_, act) = self.mock.record.begin(Call::HealthCheck);
        let thing = match resource.resource::<MockResource>() {
            Ok(thing) => thing,
            Err(error) => return Health::unhealthy(error.code(), error.message()),
        };
        self.note_overlap(&thing);
        match act.play().await {
            Ok(()) if thing.is_broken.load(Ordering::SeqCst) => Health::unhealthy(BROKEN, "somebody broke it"),
            Ok(()) if thing.is_released.load(Ordering::SeqCst) => Health::unhealthy(BROKEN, "it was released"),
            Ok(()) => Health::Healthy,
            Err(error) => Health::unhealthy(error.code(), error.message()),
        }
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        let (_, act) = self.mock.record.begin(Call::Release);
        let thing = resource.resource::<MockResource>()?;
        self.note_overlap(&thing);
        thing.releasing.fetch_add(1, Ordering::SeqCst);
        let _releasing = Releasing(&thing);
        act.play().await?;
        thing.released();
        Ok(())
    }
}

impl MockProvider {
    fn note_overlap(&self, thing: &MockResource) {
        if thing.releasing.load(Ordering::SeqCst) > 0 {
            self.mock.record.counts.send_modify(|counts| counts.overlapped += 1);
        }
    }
}
