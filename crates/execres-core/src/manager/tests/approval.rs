//! M12: the approval gate.

use std::pin::pin;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use futures_util::future::{join, poll_immediate};
use tokio::sync::Semaphore;

use super::mock::*;
use crate::*;

/// A handler that answers what it is told, when it is let.
#[derive(Clone)]
struct Asked {
    decision: Arc<Mutex<Decision>>,
    times: Arc<AtomicUsize>,
    gate: Arc<Semaphore>,
}

impl Asked {
    fn new(decision: Decision) -> Self {
        let gate = Arc::new(Semaphore::new(1000));
        Asked { decision: Arc::new(Mutex::new(decision)), times: Arc::default(), gate }
    }

    fn times(&self) -> usize {
        self.times.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl ApprovalHandler for Asked {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        self.times.fetch_add(1, Ordering::SeqCst);
        self.gate.acquire().await.unwrap().forget();
        self.decision.lock().unwrap().clone()
    }
}

fn ask_with(manager: &Manager, handler: Asked) {
    let name = HandlerName::new("asked").unwrap();
    manager.approval().register_handler(name.clone(), handler).unwrap();
    manager.approval().set_default_handler(&name).unwrap();
}

fn gated() -> Requirement {
    session().needs_approval().build().unwrap()
}

fn under(mode: ApprovalMode) -> Policy {
    Policy::new().with_approval_mode(mode)
}

#[tokio::test]
async fn m12_nothing_is_probed_or_started_before_approval() {
    let (manager, watched) = manager();
    let error = manager.ensure(gated()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::APPROVAL_REQUIRED);
    assert_eq!((watched.probes.load(Ordering::SeqCst), watched.counts()), (0, (0, 0, 0)));
    assert!(manager.ensure(requirement()).await.is_ok(), "the control: without a need of approval it is made");
}

#[tokio::test]
async fn m12_an_approved_resource_is_made_and_a_denied_one_is_not() {
    let (manager, watched) = manager();
    let handler = Asked::new(Decision::Denied { reason: "not today".to_owned() });
    ask_with(&manager, handler.clone());
    let error = manager.ensure(gated()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::APPROVAL_DENIED);
    assert!(error.to_string().ends_with("not today"), "{error}");
    assert_eq!(watched.probes.load(Ordering::SeqCst), 0);
    *handler.decision.lock().unwrap() = Decision::Approved;
    assert!(manager.ensure(gated()).await.is_ok());
}

#[tokio::test]
async fn auto_asks_once_for_one_thing_and_again_for_another() {
    let (manager, _) = manager();
    let handler = Asked::new(Decision::Approved);
    ask_with(&manager, handler.clone());
    let first = manager.ensure(gated()).await.unwrap();
    manager.release(&first).await.unwrap();
    let _again = manager.ensure(gated()).await.unwrap();
    assert_eq!(handler.times(), 1);
    let changed = session().needs_approval().config(Config::new().with("other", true)).build().unwrap();
    let _changed = manager.ensure(changed).await.unwrap();
    assert_eq!(handler.times(), 2);
    manager.release_scope(Scope::Session, &OwnerId::new("session-1").unwrap()).await.unwrap();
    let _later = manager.ensure(gated()).await.unwrap();
    assert_eq!(handler.times(), 3, "with the scope, its approvals end");
}

#[tokio::test]
async fn an_explicit_reuse_key_does_not_carry_an_approval_over_to_another_config() {
    let (manager, _) = manager();
    let handler = Asked::new(Decision::Approved);
    ask_with(&manager, handler.clone());
    let with = |value: i64| {
        session().needs_approval().reuse_key("mine").config(Config::new().with("value", value)).build().unwrap()
    };
    let _one = manager.ensure(with(1)).await.unwrap();
    let _two = manager.ensure(with(2)).await.unwrap();
    assert_eq!(handler.times(), 2);
}

#[tokio::test]
async fn two_who_need_one_approval_at_once_ask_once() {
    let (manager, watched) = manager();
    let handler = Asked { gate: Arc::new(Semaphore::new(0)), ..Asked::new(Decision::Approved) };
    ask_with(&manager, handler.clone());
    let mut both = pin!(join(manager.ensure(gated()), manager.ensure(gated())));
    assert!(poll_immediate(&mut both).await.is_none());
    assert!(!manager.inner.gate.is_idle());
    handler.gate.add_permits(2);
    let (one, two) = both.await;
    assert_eq!(one.unwrap().id(), two.unwrap().id());
    assert_eq!((handler.times(), watched.counts().0), (1, 1));
}

#[tokio::test]
async fn a_question_ends_when_nobody_waits_for_the_answer() {
    let (manager, watched) = manager();
    let handler = Asked { gate: Arc::new(Semaphore::new(0)), ..Asked::new(Decision::Approved) };
    ask_with(&manager, handler.clone());
    {
        let mut ensure = pin!(manager.ensure(gated()));
        assert!(poll_immediate(&mut ensure).await.is_none());
    }
    assert!(manager.inner.gate.is_idle(), "the question is withdrawn");
    handler.gate.add_permits(1);
    assert!(manager.ensure(gated()).await.is_ok());
    assert!(manager.inner.gate.is_idle());
    assert_eq!((handler.times(), watched.counts().0), (2, 1));
}

#[tokio::test]
async fn always_asks_every_time_and_never_denies_where_approval_is_needed() {
    let (manager, _) = manager();
    let handler = Asked::new(Decision::Approved);
    ask_with(&manager, handler.clone());
    for _ in 0..2 {
        let always = session().policy(under(ApprovalMode::Always)).build().unwrap();
        assert!(manager.ensure(always).await.is_ok());
    }
    assert_eq!(handler.times(), 2);
    let never = session().policy(under(ApprovalMode::Never));
    let error = manager.ensure(never.clone().needs_approval().build().unwrap()).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::APPROVAL_DENIED);
    assert!(manager.ensure(never.build().unwrap()).await.is_ok(), "never says nothing where approval is not needed");
    assert_eq!(handler.times(), 2);
}

#[tokio::test]
async fn m12_a_requirement_cannot_loosen_what_the_host_set() {
    let (mock, watched) = mock("mock");
    let manager = Manager::builder().policy(under(ApprovalMode::Always)).build();
    manager.register_provider(mock).unwrap();
    ask_nobody(&manager);
    let loose = session().policy(under(ApprovalMode::Auto)).build().unwrap();
    assert_eq!(manager.ensure(loose).await.unwrap_err().code(), ErrorCode::APPROVAL_REQUIRED);
    assert_eq!(watched.counts().0, 0);
}

#[tokio::test]
async fn m12_an_approval_can_only_narrow_the_policy() {
    let (manager, _) = manager();
    let handler = Asked::new(Decision::ApprovedUnder(Box::new(
        Policy::new().with_network(NetworkMode::Inherited).with_max_output_bytes(10),
    )));
    ask_with(&manager, handler);
    let built = || session().needs_approval().policy(Policy::new().with_network(NetworkMode::None)).build().unwrap();
    let handle = manager.ensure(built()).await.unwrap();
    assert_eq!(handle.policy().network, Some(NetworkMode::None));
    assert_eq!(handle.policy().max_output_bytes, Some(10));
    let again = manager.ensure(built()).await.unwrap();
    assert_eq!(again.id(), handle.id(), "what was narrowed is remembered with the approval");
}

#[tokio::test]
async fn m12_auto_allow_skips_the_question_and_nothing_else() {
    let (mock, _) = mock("mock");
    let host = Policy::new().with_network(NetworkMode::None);
    let manager = Manager::builder().policy(host).auto_allow(AutoAllow::On).build();
    manager.register_provider(mock).unwrap();
    let wide = session().needs_approval().policy(Policy::new().with_network(NetworkMode::Inherited));
    let handle = manager.ensure(wide.build().unwrap()).await.unwrap();
    assert_eq!(handle.policy().network, Some(NetworkMode::None));
    let isolated = session().needs_approval().required(CapabilityRequirements::new().with_isolation(AxisSet::ALL));
    assert_eq!(manager.ensure(isolated.build().unwrap()).await.unwrap_err().code(), ErrorCode::PROVIDER_UNAVAILABLE);
    let never = session().needs_approval().policy(under(ApprovalMode::Never)).build().unwrap();
    assert_eq!(manager.ensure(never).await.unwrap_err().code(), ErrorCode::APPROVAL_DENIED);
}

#[tokio::test]
async fn m12_an_approved_resource_is_not_reused_where_no_approval_is_needed() {
    let (manager, _) = manager();
    ask_with(&manager, Asked::new(Decision::Approved));
    let approved = manager.ensure(gated()).await.unwrap();
    let plain = manager.ensure(requirement()).await.unwrap();
    assert_ne!(approved.id(), plain.id());
}

#[tokio::test(start_paused = true)]
async fn a_handler_that_fails_or_does_not_answer_denies() {
    struct Failing;

    #[async_trait]
    impl ApprovalHandler for Failing {
        async fn decide(&self, _request: &ApprovalRequest) -> Decision {
            panic!("told to panic")
        }
    }

    let (manager, watched) = manager_here();
    let name = HandlerName::new("failing").unwrap();
    manager.approval().register_handler(name.clone(), Failing).unwrap();
    manager.approval().set_default_handler(&name).unwrap();
    assert_eq!(manager.ensure(gated()).await.unwrap_err().code(), ErrorCode::APPROVAL_DENIED);
    ask_with(&manager, Asked { gate: Arc::new(Semaphore::new(0)), ..Asked::new(Decision::Approved) });
    assert_eq!(manager.ensure(gated()).await.unwrap_err().code(), ErrorCode::APPROVAL_DENIED);
    assert_eq!(watched.counts().0, 0);
}

#[tokio::test]
async fn built_in_handlers_are_there_and_cannot_be_replaced() {
    let (manager, _) = manager();
    let name = |text: &str| HandlerName::new(text).unwrap();
    assert_eq!(manager.approval().handlers(), ["auto_approve", "fail_closed", "input", "input_timeout_fail"].map(name));
    let replaced = manager.approval().register_handler(name("fail_closed"), Asked::new(Decision::Approved));
    assert_eq!(replaced, Err(ApprovalSettingsError::NameTaken { name: name("fail_closed") }));
    let unknown = manager.approval().set_default_handler(&name("nobody"));
    assert_eq!(unknown, Err(SettingsError::NoSuchHandler { name: name("nobody") }));
    manager.approval().set_default_handler(&name("auto_approve")).unwrap();
    assert!(manager.ensure(gated()).await.is_ok());
}
