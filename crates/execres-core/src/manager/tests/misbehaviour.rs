//! M7: providers of every bad sort harm nobody else.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use super::mock::*;
use crate::*;

/// What is wrong with a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wrong {
    PanicsIn(Step),
    HangsIn(Step),
    /// Panics with something whose drop panics.
    PanicsTwiceIn(Step),
    OffersAnotherKind,
    /// Says of itself on later calls what belongs to another.
    TakesAnothersName,
    /// Contradicts itself in its probe.
    Malformed,
    /// Says in its probe what nobody could want to read.
    Wordy,
    /// Hands over a resource of another type than its own checks expect.
    OtherType,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    Id,
    Kinds,
    OptIn,
    Deadlines,
    Probe,
    Ensure,
    Health,
    Release,
}

struct PanicsOnDrop;

impl Drop for PanicsOnDrop {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("told to panic when dropped");
        }
    }
}

struct Bad {
    wrong: Wrong,
    own: ProviderId,
    others: ProviderId,
    kinds: Vec<Kind>,
    asked: std::sync::atomic::AtomicUsize,
}

impl Bad {
    fn new(wrong: Wrong) -> Self {
        let kinds = if wrong == Wrong::OffersAnotherKind { "another" } else { "thing" };
        Bad {
            wrong,
            own: provider_id("bad"),
            others: provider_id("good"),
            kinds: vec![Kind::new(kinds).unwrap()],
            asked: Default::default(),
        }
    }

    fn now(&self, step: Step) {
        if self.wrong == Wrong::PanicsIn(step) {
            panic!("told to panic");
        }
        if self.wrong == Wrong::PanicsTwiceIn(step) {
            std::panic::panic_any(PanicsOnDrop);
        }
    }

    async fn act(&self, step: Step) {
        self.now(step);
        if self.wrong == Wrong::HangsIn(step) {
            std::future::pending::<()>().await;
        }
    }
}

#[async_trait]
impl Provider for Bad {
    fn id(&self) -> &ProviderId {
        self.now(Step::Id);
        let again = self.asked.fetch_add(1, std::sync::atomic::Ordering::SeqCst) > 0;
        if again && self.wrong == Wrong::TakesAnothersName { &self.others } else { &self.own }
    }

    fn kinds(&self) -> &[Kind] {
        self.now(Step::Kinds);
        &self.kinds
    }

    fn opt_in(&self) -> OptIn {
        self.now(Step::OptIn);
        OptIn::NotNeeded
    }

    fn deadlines(&self, defaults: Deadlines) -> Deadlines {
        self.now(Step::Deadlines);
        let short = Duration::from_millis(1);
        defaults.with_probe(short).with_ensure(short).with_health_check(short).with_release(short)
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        self.act(Step::Probe).await;
        Ok(match self.wrong {
            Wrong::Malformed => Probe::unavailable(MADE_BADLY, "", Some(String::new())),
            Wrong::Wordy => Probe::unavailable(MADE_BADLY, "x".repeat(1 << 20), None),
            _ => Probe::available(Capabilities::new()),
        })
    }

    async fn ensure(&self, _request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        self.act(Step::Ensure).await;
        Ok(match self.wrong {
            Wrong::OtherType => ProvidedResource::new(7_u8),
            _ => ProvidedResource::new(Thing(0)),
        })
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        self.act(Step::Health).await;
        match resource.resource::<Thing>() {
            Ok(_) => Health::Healthy,
            Err(error) => Health::unhealthy(error.code(), error.message()),
        }
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        self.act(Step::Release).await;
        Ok(())
    }
}

const STEPS: [Step; 8] =
    [Step::Id, Step::Kinds, Step::OptIn, Step::Deadlines, Step::Probe, Step::Ensure, Step::Health, Step::Release];

fn every_sort() -> Vec<Wrong> {
    let waits = |step: &&Step| matches!(step, Step::Probe | Step::Ensure | Step::Health | Step::Release);
    let panics = STEPS.iter().map(|step| Wrong::PanicsIn(*step));
    let panics_twice = STEPS.iter().map(|step| Wrong::PanicsTwiceIn(*step));
    let hangs = STEPS.iter().filter(waits).map(|step| Wrong::HangsIn(*step));
    let others = [Wrong::OffersAnotherKind, Wrong::TakesAnothersName, Wrong::Malformed, Wrong::Wordy, Wrong::OtherType];
    panics.chain(panics_twice).chain(hangs).chain(others).collect()
}

#[tokio::test]
async fn m7_a_provider_of_any_bad_sort_harms_nobody_else() {
    for wrong in every_sort() {
        let manager = Manager::builder().build();
        let registered = manager.register_provider(Bad::new(wrong));
        let (good, watched) = mock("good");
        manager.register_provider(good).unwrap();
        if let Err(error) = registered {
            assert_eq!(error, RegisterError::Panicked, "{wrong:?}");
            assert_eq!(manager.providers(), [provider_id("good")], "{wrong:?}");
        }

        // The bad one is preferred: it is first. Whatever becomes of that, a resource is there in the end.
        let handle = manager.ensure(requirement()).await.unwrap_or_else(|error| panic!("{wrong:?}: {error}"));
        let again = manager.ensure(requirement()).await.unwrap_or_else(|error| panic!("{wrong:?}: {error}"));
        for record in again.probes() {
            assert!(record.to_string().len() < 4096, "{wrong:?}: a reason is bounded");
        }
        let released = [manager.release(&handle).await, manager.release(&again).await];
        let quarantined = matches!(
            wrong,
            Wrong::HangsIn(Step::Release) | Wrong::PanicsIn(Step::Release) | Wrong::PanicsTwiceIn(Step::Release)
        );
        assert_eq!(released.iter().any(Result::is_err), quarantined, "{wrong:?}: {released:?}");

        // Somebody who names the good one has it, healthy and released, as if the bad one were not there.
        let theirs = session().provider_id(provider_id("good")).build().unwrap();
        let handle = manager.ensure(&theirs).await.unwrap();
        assert_eq!(handle.provider_id(), &provider_id("good"), "{wrong:?}");
        handle.resource::<Thing>().unwrap();
        assert_eq!(manager.ensure(&theirs).await.unwrap().id(), handle.id(), "{wrong:?}");
        manager.release_by_id(handle.id()).await.unwrap();
        assert_eq!(watched.counts().2, 0, "{wrong:?}");
        let report = manager.shutdown(Duration::from_secs(60)).await;
        assert_eq!(report.is_clean(), !quarantined, "{wrong:?}: {report:?}");
        for snapshot in manager.list(&Filter::all()) {
            manager.abandon(&snapshot.id).unwrap();
        }
        assert!(manager.list(&Filter::all()).is_empty(), "{wrong:?}");
    }
}

#[tokio::test]
async fn m7_a_duplicate_id_is_refused_and_takes_nobodys_place() {
    let (manager, watched) = manager();
    let (double, doubled) = mock("mock");
    let error = manager.register_shared_provider(Arc::new(double)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PROVIDER_DUPLICATE);
    drop(manager.ensure(requirement()).await.unwrap());
    assert_eq!((watched.counts().0, doubled.counts().0), (1, 0));
}

#[tokio::test]
async fn a_resource_of_another_type_is_a_typed_error() {
    let manager = Manager::builder().build();
    manager.register_provider(Bad::new(Wrong::OtherType)).unwrap();
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(handle.resource::<Thing>().unwrap_err().code(), ErrorCode::REQUIREMENT_INVALID);
    assert_eq!(*handle.resource::<u8>().unwrap(), 7);
}
