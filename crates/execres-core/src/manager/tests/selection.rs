//! Who is selected.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::mock::*;
use crate::*;

fn two() -> (Manager, Arc<Watched>, Arc<Watched>) {
    let manager = Manager::builder().build();
    let (first, first_watched) = mock("first");
    let (second, second_watched) = mock("second");
    manager.register_provider(first).unwrap();
    manager.register_provider(second).unwrap();
    (manager, first_watched, second_watched)
}

fn offers(watched: &Watched, capabilities: Capabilities) {
    *watched.answer.lock().unwrap() = Probe::available(capabilities);
}

fn proven(axes: &[Axis]) -> IsolationReport {
    let evidence = axes.iter().map(|axis| AxisEvidence {
        axis: *axis,
        attempts: vec![Attempt::new("attempt", Verdict::Verified, "the host saw nothing")],
    });
    IsolationReport::new("evidence", NetworkMode::None, evidence.collect())
}

#[tokio::test]
async fn the_first_suitable_candidate_in_order_is_selected() {
    let (manager, first, second) = two();
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "first");
    let turned = session().candidate(provider_id("second")).candidate(provider_id("first")).build().unwrap();
    assert_eq!(manager.ensure(turned).await.unwrap().provider_id().as_str(), "second");
    let pinned = session().provider_id(provider_id("second")).candidate(provider_id("first")).build().unwrap();
    assert_eq!(manager.ensure(pinned).await.unwrap().provider_id().as_str(), "second");
    assert_eq!((first.counts().0, second.counts().0), (1, 2));
}

#[tokio::test]
async fn required_capabilities_exclude_and_the_reason_names_what_is_missing() {
    let (manager, first, second) = two();
    offers(&second, Capabilities::new().with_language("go"));
    let go = || session().required(CapabilityRequirements::new().with_language("go"));
    let handle = manager.ensure(go().build().unwrap()).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "second");
    assert_eq!(handle.probes()[0].to_string(), "first: language go is not offered");
    offers(&second, Capabilities::new());
    *first.answer.lock().unwrap() =
        Probe::unavailable(ErrorCode::of_provider("mock_asleep"), "it sleeps", Some("wake it".to_owned()));
    let unknown = go().candidate(provider_id("first")).candidate(provider_id("second")).candidate(provider_id("third"));
    let error = manager.ensure(unknown.build().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE);
    insta::assert_snapshot!(error, @r"
    no provider can make a resource of kind thing
      first: it sleeps (wake it)
      second: language go is not offered
      third: no such provider is registered for this kind
    ");
}

#[tokio::test]
async fn isolation_counts_by_evidence_only() {
    let (manager, first, second) = two();
    let axes = AxisSet::EMPTY.with(Axis::ProcessContained);
    let isolated = || session().required(CapabilityRequirements::new().with_isolation(axes)).build().unwrap();
    assert_eq!(manager.ensure(isolated()).await.unwrap_err().code(), ErrorCode::PROVIDER_UNAVAILABLE);
    let answer = Probe::available(Capabilities::new()).with_isolation(proven(&[Axis::ProcessContained]));
    *second.answer.lock().unwrap() = answer;
    let handle = manager.ensure(isolated()).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "second");
    assert_eq!(handle.isolation().unwrap().axes(), axes);
    assert_eq!(first.counts().0, 0);
}

#[tokio::test]
async fn a_resource_with_less_isolation_than_its_probe_promised_is_handed_to_nobody() {
    let (manager, watched) = manager();
    let report = proven(&[Axis::ProcessContained]);
    let axes = report.axes();
    *watched.answer.lock().unwrap() = Probe::available(Capabilities::new()).with_isolation(report);
    *watched.isolation.lock().unwrap() = Some(proven(&[]));
    let isolated = session().required(CapabilityRequirements::new().with_isolation(axes)).build().unwrap();
    let error = manager.ensure(&isolated).await.unwrap_err();
    assert!(error.to_string().contains("required isolation: process_contained"), "{error}");
    assert_eq!(watched.counts(), (1, 1, 0));
    assert!(manager.list(&Filter::all()).is_empty());
    *watched.isolation.lock().unwrap() = None;
    assert!(manager.ensure(&isolated).await.is_ok(), "the control: with the probe's evidence it is handed out");
}

#[tokio::test]
async fn what_is_quarantined_on_the_way_stays_listed_beside_the_next_candidates_resource() {
    let (manager, first, second) = two();
    let report = proven(&[Axis::ProcessContained]);
    let axes = report.axes();
    for watched in [&first, &second] {
        *watched.answer.lock().unwrap() = Probe::available(Capabilities::new()).with_isolation(report.clone());
    }
    *first.isolation.lock().unwrap() = Some(proven(&[]));
    Watched::act(&first.release, Act::fail());
    let mut events = manager.subscribe();
    let isolated = session().required(CapabilityRequirements::new().with_isolation(axes)).build().unwrap();
    let handle = manager.ensure(isolated).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "second");
    let listed = manager.list(&Filter::all());
    let states: Vec<_> = listed.iter().map(|one| (one.provider_id.as_str(), one.status)).collect();
    assert_eq!(states, [("first", Status::Failed), ("second", Status::Ready)]);
    let mut told = Vec::new();
    while let Some(Delivery::Event(event)) = events.try_next() {
        if event.subject.handle_id.as_ref() == Some(handle.id()) {
            told.push(event.occurrence.name().trim_start_matches("execution_resource."));
        }
    }
    assert_eq!(told, ["ensuring", "probed", "progress", "ready"], "each handle has a life of its own");
}

#[tokio::test]
async fn a_full_match_comes_before_a_fallback_and_a_fallback_is_recorded() {
    let (manager, _first, second) = two();
    let preferred = || session().preferred(CapabilityRequirements::new().with_feature("gpu")).build().unwrap();
    let fallback = manager.ensure(preferred()).await.unwrap();
    assert_eq!(fallback.provider_id().as_str(), "first");
    assert!(fallback.is_fallback());
    assert_eq!(fallback.selection().preferred_unmet, [Unmet::Feature { feature: "gpu".to_owned() }]);
    assert!(manager.inspect(fallback.id()).unwrap().fallback);
    let same = manager.ensure(preferred()).await.unwrap();
    assert_eq!(same.id(), fallback.id(), "while nothing better is there, the fallback is used again");
    offers(&second, Capabilities::new().with_feature("gpu"));
    let better = manager.ensure(preferred()).await.unwrap();
    assert_eq!(better.provider_id().as_str(), "second");
    assert!(!better.is_fallback());
    assert!(fallback.resource::<Thing>().is_ok(), "whoever has the fallback keeps it");
    let again = manager.ensure(preferred()).await.unwrap();
    assert_eq!(again.id(), better.id());
    manager.release(&fallback).await.unwrap();
    manager.release(&same).await.unwrap();
    assert_eq!(manager.ensure(preferred()).await.unwrap().id(), better.id(), "the release leaves the better one alone");
}

#[tokio::test]
async fn the_next_candidate_is_tried_where_the_selected_one_cannot_make_the_resource() {
    let (manager, first, second) = two();
    Watched::act(&first.ensure, Act::fail());
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "second");
    let failure = &handle.selection().failures[0];
    assert_eq!((failure.provider_id.as_str(), failure.code), ("first", MADE_BADLY));
    Watched::act(&second.ensure, Act::Panic);
    let error = manager.ensure(session().scope(Scope::Agent).build().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), MADE_BADLY);
    insta::assert_snapshot!(error, @r"
    the resource of kind thing could not be made
      first: told to fail (tell it otherwise than told to fail)
      second: the provider panicked
    ");
}

/// Answers otherwise from its second probe on.
struct Fickle(Mock, Arc<Watched>, Probe);

#[async_trait::async_trait]
impl Provider for Fickle {
    fn id(&self) -> &ProviderId {
        self.0.id()
    }

    fn kinds(&self) -> &[Kind] {
        self.0.kinds()
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        let answer = self.0.probe(request).await;
        *self.1.answer.lock().unwrap() = self.2.clone();
        answer
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        self.0.ensure(request).await
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        self.0.health_check(resource).await
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        self.0.release(resource).await
    }
}

/// A manager with one that answers otherwise from its second probe on.
fn fickle(then: Probe) -> (Manager, Arc<Watched>) {
    let manager = Manager::builder().build();
    let (fickle, watched) = mock("fickle");
    manager.register_provider(Fickle(fickle, Arc::clone(&watched), then)).unwrap();
    (manager, watched)
}

#[tokio::test]
async fn the_selected_one_is_probed_again_before_it_makes_the_resource() {
    let (manager, watched) = fickle(Probe::unavailable(MADE_BADLY, "gone by now", None));
    let (steady, _) = mock("steady");
    manager.register_provider(steady).unwrap();
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(handle.provider_id().as_str(), "steady");
    assert_eq!((watched.probes.load(Ordering::SeqCst), watched.counts().0), (2, 0));
    assert_eq!(handle.probes()[0].to_string(), "fickle: gone by now");
}

#[tokio::test]
async fn a_full_match_that_loses_what_is_preferred_comes_after_the_others() {
    let (manager, watched) = fickle(Probe::available(Capabilities::new()));
    offers(&watched, Capabilities::new().with_feature("gpu"));
    let preferred = || session().preferred(CapabilityRequirements::new().with_feature("gpu"));
    let alone = manager.ensure(preferred().build().unwrap()).await.unwrap();
    assert!(alone.is_fallback(), "it still will do");
    let (steady, _) = mock("steady");
    manager.register_provider(steady).unwrap();
    offers(&watched, Capabilities::new().with_feature("gpu"));
    let other = preferred().scope(Scope::Agent).build().unwrap();
    assert_eq!(manager.ensure(other).await.unwrap().provider_id().as_str(), "steady");
}

#[tokio::test]
async fn an_opt_in_provider_is_never_chosen_unless_it_is_named() {
    let manager = Manager::builder().build();
    let (unsafe_one, watched) = mock_with("unsafe", OptIn::OnlyWhenNamed);
    manager.register_provider(unsafe_one).unwrap();
    assert_eq!(manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::PROVIDER_MISSING);
    assert_eq!(watched.probes.load(Ordering::SeqCst), 0);
    let named = session().candidate(provider_id("unsafe")).build().unwrap();
    assert_eq!(manager.ensure(named).await.unwrap().provider_id().as_str(), "unsafe");
}

#[tokio::test]
async fn a_candidates_config_is_merged_for_that_candidate_only() {
    let (manager, first, _second) = two();
    Watched::act(&first.ensure, Act::fail());
    let strict = Candidate::new(provider_id("first")).with_config(Config::new().with("profile", "strict"));
    let base = Config::new().with("profile", "plain").with("kept", 1);
    let built = session().config(base).candidate(strict).candidate(provider_id("second")).build().unwrap();
    let handle = manager.ensure(built).await.unwrap();
    let used = handle.managed.request.config();
    assert_eq!(format!("{used:?}"), r#"{"kept": 1, "profile": "plain"}"#);
}

#[test]
fn provider_ids_are_unique() {
    let (manager, _) = manager();
    let (same, _) = mock("mock");
    let error = manager.register_provider(same).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PROVIDER_DUPLICATE);
    assert_eq!(manager.providers(), [provider_id("mock")]);
}

#[tokio::test]
async fn a_full_match_does_not_wait_for_those_after_it_and_does_wait_for_those_before() {
    let manager = Manager::builder().build();
    let (first, one) = mock("first");
    let (second, two) = mock("second");
    manager.register_provider(first).unwrap();
    manager.register_provider(second).unwrap();
    Watched::act(&two.probe, Act::Hang);
    let mut ensure = std::pin::pin!(manager.ensure(requirement()));
    let handle = futures_util::future::poll_immediate(&mut ensure).await.expect("it waits for the second").unwrap();
    assert_eq!(handle.provider_id(), &provider_id("first"));
    assert_eq!(handle.probes()[1].verdict, ProbeVerdict::NotWaitedFor);
    manager.release(&handle).await.unwrap();

    let gate = std::sync::Arc::new(tokio::sync::Semaphore::new(0));
    Watched::act(&one.probe, Act::Wait(std::sync::Arc::clone(&gate)));
    Watched::act(&two.probe, Act::Succeed);
    let mut ensure = std::pin::pin!(manager.ensure(requirement()));
    assert!(futures_util::future::poll_immediate(&mut ensure).await.is_none(), "the order of preference stays");
    gate.add_permits(2);
    let handle = ensure.await.unwrap();
    assert_eq!(handle.provider_id(), &provider_id("first"));
    manager.release(&handle).await.unwrap();

    Watched::act(&one.probe, Act::Succeed);
    Watched::act(&one.ensure, Act::fail());
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(handle.provider_id(), &provider_id("second"), "who was not waited for is asked when it comes to that");
}
