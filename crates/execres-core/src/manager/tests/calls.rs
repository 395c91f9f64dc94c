//! M12: one approval for a call and its requirements, trusted handlers, isolation switched off, layers of settings.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;

use super::mock::*;
use crate::*;

/// Answers what it is told, and keeps what it was asked.
#[derive(Clone)]
struct Judge(Arc<Mutex<Decision>>, Arc<Mutex<Vec<ApprovalRequest>>>);

impl Judge {
    fn new(decision: Decision) -> Self {
        Judge(Arc::new(Mutex::new(decision)), Arc::default())
    }

    fn asked(&self) -> Vec<ApprovalRequest> {
        self.1.lock().unwrap().clone()
    }
}

#[async_trait]
impl ApprovalHandler for Judge {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        self.1.lock().unwrap().push(request.clone());
        self.0.lock().unwrap().clone()
    }
}

fn judged(decision: Decision) -> (Manager, Arc<Watched>, Judge) {
    let (manager, watched) = manager();
    let judge = Judge::new(decision);
    let name = HandlerName::new("judge").unwrap();
    manager.approval().register_handler(name.clone(), judge.clone()).unwrap();
    manager.approval().set_default_handler(&name).unwrap();
    (manager, watched, judge)
}

fn digest(text: &str) -> CallDigest {
    CallDigest::of([text.as_bytes()])
}

fn call_id(text: &str) -> ActionCallId {
    ActionCallId::new(text).unwrap()
}

fn owner() -> OwnerId {
    OwnerId::new("session-1").unwrap()
}

fn call(id: &str, what: &str) -> ActionCall {
    ActionCall::new(call_id(id), Kind::new("run").unwrap(), ResourceKey::new("run it").unwrap(), digest(what))
        .owner(owner())
        .needs_approval()
}

fn needed_by(id: &str, what: &str) -> RequirementBuilder {
    session().scope(Scope::ActionCall).action_call_id(call_id(id)).call(digest(what)).needs_approval()
}

#[tokio::test]
async fn m12_one_approval_covers_a_call_and_its_requirements_and_nothing_else() {
    let (manager, _, judge) = judged(Decision::Approved);
    let approval = manager.approve_call(call("1", "a")).await.unwrap();
    let ensure = async |builder: RequirementBuilder| {
        drop(manager.ensure(builder.covered_by(&approval).build().unwrap()).await.unwrap());
        judge.asked().len()
    };
    assert_eq!(judge.asked().len(), 1);
    assert_eq!(ensure(needed_by("1", "a")).await, 1, "the same call and digest: nobody is asked again");
    let other = needed_by("1", "a").resource_key(ResourceKey::new("second").unwrap());
    assert_eq!(ensure(other).await, 1, "nor for the second requirement of the call");
    assert_eq!(ensure(needed_by("1", "b")).await, 2, "another digest is asked for");
    assert_eq!(ensure(needed_by("2", "a")).await, 3, "another call is asked for");
    let theirs = needed_by("1", "a").owner(OwnerId::new("session-2").unwrap());
    assert_eq!(ensure(theirs).await, 4, "another owner is asked for");
    let asked = judge.asked();
    assert_eq!((asked[0].source, asked[1].source), (ApprovalSource::Action, ApprovalSource::ExecutionResource));
}

#[tokio::test]
async fn m12_an_approval_of_another_manager_counts_for_nothing() {
    let (other, ..) = judged(Decision::Approved);
    let foreign = other.approve_call(call("1", "a")).await.unwrap();
    let (manager, watched, judge) = judged(Decision::Denied { reason: "no".to_owned() });
    let error = manager.ensure(needed_by("1", "a").covered_by(&foreign).build().unwrap()).await.unwrap_err();
    assert_eq!((error.code(), judge.asked().len()), (ErrorCode::APPROVAL_DENIED, 1));
    assert_eq!(watched.counts().0, 0);
}

#[tokio::test]
async fn m12_never_denies_whatever_covers_it_and_always_asks_once_for_a_call() {
    let (manager, _, judge) = judged(Decision::Approved);
    let approval = manager.approve_call(call("1", "a")).await.unwrap();
    let under = |mode| Policy::new().with_approval_mode(mode);
    let never = needed_by("1", "a").policy(under(ApprovalMode::Never)).covered_by(&approval).build().unwrap();
    assert_eq!(manager.ensure(never).await.unwrap_err().code(), ErrorCode::APPROVAL_DENIED);
    let always = needed_by("1", "a").policy(under(ApprovalMode::Always)).covered_by(&approval).build().unwrap();
    assert!(manager.ensure(always).await.is_ok());
    assert_eq!(judge.asked().len(), 1);
}

#[tokio::test]
async fn m12_a_narrower_policy_of_the_call_holds_for_its_requirements() {
    let narrow = Policy::new().with_max_output_bytes(10);
    let (manager, ..) = judged(Decision::ApprovedUnder(Box::new(narrow)));
    let approval = manager.approve_call(call("1", "a")).await.unwrap();
    let handle = manager.ensure(needed_by("1", "a").covered_by(&approval).build().unwrap()).await.unwrap();
    assert_eq!(handle.policy().max_output_bytes, Some(10));
}

#[tokio::test]
async fn m12_only_a_handler_trusted_to_widen_widens_and_never_past_the_host() {
    let wide = || Decision::ApprovedUnder(Box::new(Policy::new().with_network(NetworkMode::Inherited)));
    let (mock, _) = mock("mock");
    let manager = Manager::builder().policy(Policy::new().with_max_output_bytes(7)).build();
    manager.register_provider(mock).unwrap();
    let [trusted, other] = ["trusted", "other"].map(|name| HandlerName::new(name).unwrap());
    manager.approval().register_handler_trusted_to_widen(trusted.clone(), Judge::new(wide())).unwrap();
    manager.approval().register_handler(other.clone(), Judge::new(wide())).unwrap();
    let closed = Policy::new().with_network(NetworkMode::None).with_max_output_bytes(5);
    let gated = |key: &str| {
        let builder = session().needs_approval().resource_key(ResourceKey::new(key).unwrap());
        builder.policy(closed.clone()).build().unwrap()
    };
    manager.approval().set_default_handler(&trusted).unwrap();
    let handle = manager.ensure(gated("a")).await.unwrap();
    assert_eq!(handle.policy().network, Some(NetworkMode::Inherited));
    assert_eq!(handle.policy().max_output_bytes, Some(7), "the host's own policy stays");
    manager.approval().set_default_handler(&other).unwrap();
    let handle = manager.ensure(gated("b")).await.unwrap();
    assert_eq!(handle.policy().network, Some(NetworkMode::None), "the control: an ordinary handler only narrows");
}

#[tokio::test]
async fn m12_auto_allow_never_switches_isolation_off() {
    let (manager, _, judge) = judged(Decision::Approved);
    manager.settings().set_auto_allow(AutoAllow::On).unwrap();
    let (bare, _) = mock_with("bare", OptIn::OnlyWhenNamed);
    manager.register_provider(bare).unwrap();
    drop(manager.ensure(session().needs_approval().build().unwrap()).await.unwrap());
    assert_eq!(judge.asked().len(), 0, "the control: auto-allow approves what is isolated");
    let open = session().needs_approval().provider_id(provider_id("bare")).build().unwrap();
    drop(manager.ensure(open).await.unwrap());
    assert_eq!(judge.asked()[0].risk, Risk::IsolationOff);
    manager.approve_call(call("1", "a")).await.unwrap();
    assert_eq!(judge.asked().len(), 1, "the control: a call too");
    manager.approve_call(call("1", "a").isolation_off()).await.unwrap();
    assert_eq!(judge.asked().len(), 2);
    let bare = |approval: &CallApproval| {
        needed_by("1", "a").provider_id(provider_id("bare")).covered_by(approval).build().unwrap()
    };
    let plain = manager.approve_call(call("1", "a")).await.unwrap();
    drop(manager.ensure(bare(&plain)).await.unwrap());
    assert_eq!(judge.asked().len(), 3, "an approval of a call does not include it either");
}

#[tokio::test]
async fn m12_a_layer_below_the_host_gets_no_approval_that_a_laxer_layer_got() {
    let (manager, _, judge) = judged(Decision::Approved);
    let gated = || session().needs_approval().build().unwrap();
    let strict = manager.layer();
    strict.settings().set_approval_handler(&HandlerName::new("fail_closed").unwrap()).unwrap();
    drop(manager.ensure(gated()).await.unwrap());
    assert_eq!(strict.ensure(gated()).await.unwrap_err().code(), ErrorCode::APPROVAL_REQUIRED);
    assert!(manager.layer().ensure(gated()).await.is_ok(), "the control: a layer that sets nothing is as its host");
    assert_eq!(judge.asked().len(), 1);
    let added = strict.approval().register_handler(HandlerName::new("mine").unwrap(), judge);
    assert_eq!(added, Err(ApprovalSettingsError::BelowTheHost));
}

/// Counts ensures of code execution by candidate.
async fn chosen(manager: &Manager, counter: &AtomicUsize) -> Result<ProviderId, ErrorCode> {
    let key = format!("k{}", counter.fetch_add(1, Ordering::SeqCst));
    let requirement = Requirement::builder(Kind::new("code_execution").unwrap())
        .resource_key(ResourceKey::new(key).unwrap())
        .build()
        .unwrap();
    manager.ensure(requirement).await.map(|handle| handle.provider_id().clone()).map_err(|error| error.code())
}

#[tokio::test]
async fn settings_list_the_providers_of_code_execution_and_a_layer_only_narrows_them() {
    let code = |id: &str, opt_in| {
        let (mock, _) = mock_with(id, opt_in);
        mock.of_kind("code_execution")
    };
    let manager = Manager::builder().build();
    for id in ["one", "two", "three"] {
        manager.register_provider(code(id, OptIn::NotNeeded)).unwrap();
    }
    manager.register_provider(code("bare", OptIn::OnlyWhenNamed)).unwrap();
    let key = AtomicUsize::new(0);
    let list = |ids: &[&str]| ids.iter().map(|id| Candidate::new(provider_id(id))).collect::<Vec<_>>();
    assert_eq!(chosen(&manager, &key).await, Ok(provider_id("one")));
    let below = manager.layer();
    below.settings().set_code_execution_providers(list(&["bare", "three"])).unwrap();
    assert_eq!(chosen(&below, &key).await, Ok(provider_id("three")), "a layer cannot name what isolates nothing");
    below.settings().set_code_execution_providers(list(&["bare"])).unwrap();
    assert_eq!(chosen(&below, &key).await, Err(ErrorCode::PROVIDER_MISSING), "and nothing left is not everything");
    manager.settings().set("code_execution.providers", serde_json::json!(["two", {"provider_id": "bare"}])).unwrap();
    assert_eq!(chosen(&manager, &key).await, Ok(provider_id("two")));
    let refused = below.settings().set_code_execution_providers(list(&["three"]));
    assert_eq!(refused, Err(SettingsError::ProviderNotAbove { provider_id: provider_id("three") }));
    assert_eq!(chosen(&below, &key).await, Ok(provider_id("bare")), "the host named it");
}

#[tokio::test]
async fn m8_what_is_said_for_an_approval_is_told_to_the_handler_and_to_nobody_else() {
    const CANARY: &str = "canary-approval";
    let (manager, _, judge) = judged(Decision::Denied { reason: format!("not with {CANARY}-secret") });
    let mut events = manager.subscribe();
    let denied = manager.approve_call(call("1", CANARY).reason(CANARY)).await.unwrap_err();
    let secret = Config::new().with_secret("token", format!("{CANARY}-secret"));
    let gated =
        needed_by("2", CANARY).config(secret).policy(Policy::new().with_command_prefixes([CANARY.parse().unwrap()]));
    let error = manager.ensure(gated.build().unwrap()).await.unwrap_err();
    assert_eq!(denied.code(), ErrorCode::APPROVAL_DENIED);
    assert!(error.to_string().ends_with("not with [secret]"), "a handler's text is scrubbed: {error}");
    assert!(!format!("{error:?}").contains(CANARY));
    assert_eq!(judge.asked()[0].reason.as_deref(), Some(CANARY), "the control: the handler is told");
    // The subject is a label of the host's, and the first call had none but the canary in its reason.
    let request = format!("{:?} {:?}", judge.asked(), call("1", CANARY).reason(CANARY).policy(Policy::new()));
    assert!(request.contains("session-1") && !request.contains(CANARY), "{request}");
    let mut told = String::new();
    while let Some(Delivery::Event(event)) = events.try_next() {
        told.push_str(&format!("{event:?} {}", serde_json::to_string(&*event).unwrap()));
    }
    assert!(told.contains("policy.approval.denied"), "the control: events were told");
    assert!(!told.contains(CANARY), "{told}");
}

/// A handler that answers later finds its answer by the digest, so that has to tell everything apart that an answer is about.
#[tokio::test]
async fn the_digest_of_a_question_stays_for_the_same_and_changes_with_whatever_is_asked() {
    let (manager, watched, judge) = judged(Decision::Pending);
    let isolating_nothing = ProviderId::new("naked").unwrap();
    let (naked, _) = mock_with("naked", OptIn::OnlyWhenNamed);
    manager.register_provider(naked).unwrap();
    let needed = |config: Config| session().owner(owner()).config(config).needs_approval();
    let with = |start: i64| needed(Config::new().with("start", start));
    for builder in [
        with(1),
        with(1),
        with(666),
        with(1).provider_id(isolating_nothing),
        with(1).policy(Policy::new().read_only()),
        with(1).owner(OwnerId::new("session-2").unwrap()),
    ] {
        let error = manager.ensure(builder.build().unwrap()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::APPROVAL_REQUIRED);
    }
    for (id, what) in [("1", "ls"), ("1", "ls"), ("1", "rm -rf /"), ("2", "ls")] {
        let error = manager.approve_call(call(id, what)).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::APPROVAL_REQUIRED);
    }
    let asked = judge.asked();
    let digests: Vec<QuestionDigest> = asked.iter().map(|request| request.digest).collect();
    let same: Vec<(usize, usize)> = (0..digests.len())
        .flat_map(|one| (0..one).map(move |other| (other, one)))
        .filter(|&(other, one)| digests[other] == digests[one])
        .collect();
    assert_eq!(same, [(0, 1), (6, 7)], "{digests:?}");
    assert_ne!(asked[0].id, asked[1].id, "a question asked again has a new id");
    assert_eq!(asked[3].risk, Risk::IsolationOff);
    assert_eq!(watched.counts().0, 0);
}

/// Asks for what it is asked about, and so waits for itself.
struct AsksItself(std::sync::OnceLock<Manager>);

#[async_trait]
impl ApprovalHandler for AsksItself {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        let requirement = session().owner(owner()).needs_approval().build().unwrap();
        drop(self.0.get().unwrap().ensure(requirement).await);
        Decision::Approved
    }
}

/// A wait for oneself ends at its deadline, and the owner's timers, which all managers share, go on.
#[test]
fn m7_a_handler_that_waits_for_itself_is_too_late_and_holds_up_nobody_else() {
    let (done, ended) = std::sync::mpsc::channel();
    let _thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let deadlines = Deadlines::STANDARD.with_approval(std::time::Duration::from_millis(100));
        let manager = Manager::builder().deadlines(deadlines).build();
        let (mock, _) = mock("mock");
        manager.register_provider(mock).unwrap();
        let handler = Arc::new(AsksItself(std::sync::OnceLock::new()));
        handler.0.set(manager.clone()).unwrap_or_else(|_| unreachable!());
        let name = HandlerName::new("asks-itself").unwrap();
        manager.approval().register_handler(name.clone(), handler).unwrap();
        manager.approval().set_default_handler(&name).unwrap();
        for _round in 0..2 {
            let requirement = session().owner(owner()).needs_approval().build().unwrap();
            let error = runtime.block_on(manager.ensure(requirement)).unwrap_err();
            done.send(error.to_string()).unwrap();
        }
    });
    for _round in 0..2 {
        let error = ended.recv_timeout(std::time::Duration::from_secs(20)).expect("it ends at its deadline");
        assert!(error.contains("asks-itself did not answer in 100ms"), "{error}");
    }
}

#[tokio::test]
async fn m12_a_call_that_nobody_approved_covers_nothing_that_needs_approval() {
    let (manager, watched, judge) = judged(Decision::Denied { reason: "no".to_owned() });
    let layer = manager.layer();
    let open = ActionCall::new(call_id("1"), kind(), ResourceKey::new("x").unwrap(), digest("a")).owner(owner());
    let nobodys = layer.approve_call(open).await.unwrap();
    assert_eq!(judge.asked().len(), 0, "the control: nothing asks for approval of the call");
    let always = Policy::new().with_approval_mode(ApprovalMode::Always);
    for builder in [needed_by("1", "a"), session().action_call_id(call_id("1")).call(digest("a")).policy(always)] {
        let error = layer.ensure(builder.owner(owner()).covered_by(&nobodys).build().unwrap()).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::APPROVAL_DENIED);
    }
    assert_eq!((judge.asked().len(), watched.counts().0), (2, 0));
}

#[tokio::test]
async fn m12_a_layer_names_what_isolates_nothing_only_with_approval_and_the_host_without() {
    let (manager, _, judge) = judged(Decision::Denied { reason: "no".to_owned() });
    let (bare, _) = mock_with("bare", OptIn::OnlyWhenNamed);
    manager.register_provider(bare).unwrap();
    let named = session().provider_id(provider_id("bare")).build().unwrap();
    drop(manager.ensure(&named).await.expect("the host may"));
    for requirement in [named, session().candidate(provider_id("bare")).build().unwrap()] {
        let error = manager.layer().ensure(&requirement).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::APPROVAL_DENIED);
    }
    assert!(judge.asked().iter().all(|request| request.risk == Risk::IsolationOff));
    assert_eq!(judge.asked().len(), 2);
}

#[tokio::test]
async fn m12_an_approval_from_before_a_provider_that_isolates_nothing_does_not_cover_it() {
    let (manager, _, judge) = judged(Decision::Approved);
    let gated = || session().needs_approval().candidate(provider_id("mock")).candidate(provider_id("bare"));
    drop(manager.ensure(gated().build().unwrap()).await.unwrap());
    drop(manager.ensure(gated().build().unwrap()).await.unwrap());
    assert_eq!(judge.asked().len(), 1, "the control: it is remembered");
    let (bare, _) = mock_with("bare", OptIn::OnlyWhenNamed);
    manager.register_provider(bare).unwrap();
    drop(manager.ensure(gated().build().unwrap()).await.unwrap());
    assert_eq!(judge.asked().len(), 2);
}

/// Never answers, and panics when it is no longer waited for.
struct PanicsWhenDropped;

struct Bomb;

impl Drop for Bomb {
    #[allow(clippy::panic, reason = "what is tested is that nobody falls over it")]
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[async_trait]
impl ApprovalHandler for PanicsWhenDropped {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        let _bomb = Bomb;
        std::future::pending().await
    }
}

#[tokio::test]
async fn m7_a_handler_that_panics_when_it_is_dropped_is_too_late_for_all_who_wait() {
    let deadlines = Deadlines::STANDARD.with_approval(std::time::Duration::from_millis(50));
    let manager = Manager::builder().deadlines(deadlines).build();
    manager.register_provider(mock("mock").0).unwrap();
    let name = HandlerName::new("bomb").unwrap();
    manager.approval().register_handler(name.clone(), PanicsWhenDropped).unwrap();
    manager.approval().set_default_handler(&name).unwrap();
    let ask = || manager.ensure(session().needs_approval().build().unwrap());
    let waiting = async { tokio::join!(ask(), ask(), ask()) };
    let (one, two, three) = tokio::time::timeout(std::time::Duration::from_secs(20), waiting).await.unwrap();
    for error in [one.unwrap_err(), two.unwrap_err(), three.unwrap_err(), ask().await.unwrap_err()] {
        assert!(error.to_string().contains("bomb did not answer in 50ms"), "{error}");
    }
}

#[tokio::test]
async fn nobody_is_promised_more_time_to_answer_than_the_handler_has() {
    for (deadline, promised) in [(60, 30), (7, 7)] {
        let deadlines = Deadlines::STANDARD.with_approval(std::time::Duration::from_secs(deadline));
        let manager = Manager::builder().deadlines(deadlines).build();
        manager.register_provider(mock("mock").0).unwrap();
        let judge = Judge::new(Decision::Approved);
        let name = HandlerName::new("judge").unwrap();
        manager.approval().register_handler(name.clone(), judge.clone()).unwrap();
        manager.approval().set_default_handler(&name).unwrap();
        drop(manager.ensure(session().needs_approval().build().unwrap()).await.unwrap());
        assert_eq!(judge.asked()[0].input_timeout.as_secs(), promised);
    }
}
