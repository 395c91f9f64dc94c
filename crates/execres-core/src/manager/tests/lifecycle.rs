//! M1, M4, M6, M7, M9: declaring, leases, quarantine, deadlines.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::poll_immediate;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::mock::*;
use crate::*;

#[tokio::test]
async fn m1_declare_starts_nothing() {
    let (manager, watched) = manager();
    let id = manager.declare(requirement()).unwrap();
    assert_eq!((watched.probes.load(Ordering::SeqCst), watched.counts()), (0, (0, 0, 0)));
    assert!(manager.list(&Filter::all()).is_empty());
    assert_eq!(manager.declared(&id).unwrap().id(), &id);
    let handle = manager.ensure(&id).await.unwrap();
    assert_eq!(watched.counts(), (1, 0, 1), "the control: an ensure does start it");
    assert_eq!(handle.requirement().id(), &id);
    manager.withdraw(&id).unwrap();
    let error = manager.ensure(&id).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::REQUIREMENT_UNKNOWN);
}

#[tokio::test]
async fn an_id_is_declared_once_and_the_owner_is_filled_in() {
    let manager = Manager::builder().owner(OwnerId::new("host").unwrap()).build();
    let id = RequirementId::new("mine").unwrap();
    let build = || Requirement::builder(kind()).id(id.clone()).build().unwrap();
    manager.declare(build()).unwrap();
    assert_eq!(manager.declared(&id).unwrap().owner().unwrap().as_str(), "host");
    assert_eq!(manager.declare(build()), Err(RequirementError::DeclaredAlready { id }));
}

#[tokio::test]
async fn m4_n_ensures_need_n_releases_and_the_provider_releases_once() {
    let (manager, watched) = manager();
    let mut handles = Vec::new();
    for _ in 0..3 {
        handles.push(manager.ensure(requirement()).await.unwrap());
    }
    assert_eq!(manager.release(&handles[0]).await, Ok(ReleaseOutcome::StillLeased { leases: 2 }));
    assert_eq!(manager.release(&handles[1]).await, Ok(ReleaseOutcome::StillLeased { leases: 1 }));
    assert_eq!(watched.counts(), (1, 0, 1));
    assert_eq!(handles[2].resource::<Thing>().unwrap().0, 1);
    assert_eq!(manager.release(&handles[2]).await, Ok(ReleaseOutcome::Released));
    assert_eq!(watched.counts(), (1, 1, 0));
    assert!(manager.list(&Filter::all()).is_empty());
}

#[tokio::test]
async fn m4_a_second_release_of_one_lease_is_an_error_and_takes_nobody_elses() {
    let (manager, watched) = manager();
    let mine = manager.ensure(requirement()).await.unwrap();
    let theirs = manager.ensure(requirement()).await.unwrap();
    manager.release(&mine).await.unwrap();
    let error = manager.release(&mine).await.unwrap_err();
    assert_eq!(error, ReleaseError::LeaseUnknown { id: mine.id().clone(), lease: mine.lease_id() });
    assert_eq!(error.code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(mine.resource::<Thing>().err(), Some(ResourceError::Released), "a lease given back gives nothing");
    assert!(theirs.resource::<Thing>().is_ok());
    drop(mine);
    assert_eq!(watched.counts(), (1, 0, 1));
    assert_eq!(manager.release(&theirs).await, Ok(ReleaseOutcome::Released));
}

#[tokio::test]
async fn a_handle_of_another_manager_is_not_released() {
    let (one, _) = manager();
    let (other, watched) = manager();
    let handle = one.ensure(requirement()).await.unwrap();
    assert_eq!(other.release(&handle).await.unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(other.release_by_id(handle.id()).await.unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(watched.counts(), (0, 0, 0));
    assert_eq!(one.release(&handle).await, Ok(ReleaseOutcome::Released));
}

#[tokio::test]
async fn a_forced_release_is_no_error_for_those_who_hold_leases() {
    let (manager, watched) = manager();
    let handle = manager.ensure(requirement()).await.unwrap();
    manager.release_by_id(handle.id()).await.unwrap();
    assert_eq!(handle.resource::<Thing>().err(), Some(ResourceError::Released));
    assert_eq!(manager.release(&handle).await, Ok(ReleaseOutcome::Released));
    assert_eq!(watched.counts(), (1, 1, 0));
}

#[tokio::test]
async fn a_dropped_release_goes_on() {
    let (manager, watched) = manager();
    let handle = manager.ensure(requirement()).await.unwrap();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.release, Act::Wait(Arc::clone(&gate)));
    {
        let mut release = pin!(manager.release(&handle));
        assert!(poll_immediate(&mut release).await.is_none());
    }
    gate.add_permits(1);
    reach(&watched.alive, 0).await;
    assert_eq!(watched.counts(), (1, 1, 0));
}

#[tokio::test]
async fn a_dropped_handle_gives_its_lease_back() {
    let (manager, watched) = manager();
    let first = manager.ensure(requirement()).await.unwrap();
    let second = manager.ensure(requirement()).await.unwrap();
    drop(first);
    assert_eq!(manager.inspect(second.id()).unwrap().leases, 1);
    drop(second);
    reach(&watched.alive, 0).await;
    assert_eq!(watched.counts(), (1, 1, 0));
}

#[tokio::test]
async fn m6_a_failed_release_quarantines_and_can_be_tried_again() {
    let (manager, watched) = manager();
    Watched::act(&watched.release, Act::fail());
    let handle = manager.ensure(requirement()).await.unwrap();
    let error = manager.release(&handle).await.unwrap_err();
    assert_eq!(error.code(), ErrorCode::RELEASE_FAILED);
    let listed = manager.list(&Filter::all().status(Status::Failed));
    assert_eq!(
        listed.iter().map(|one| (&one.id, one.release_error)).collect::<Vec<_>>(),
        [(handle.id(), Some(ErrorCode::RELEASE_FAILED))]
    );
    let fresh = manager.ensure(requirement()).await.unwrap();
    assert_ne!(fresh.id(), handle.id(), "a quarantined resource is not used again, nor is its key");
    assert_eq!(manager.release_by_id(handle.id()).await.unwrap_err().code(), ErrorCode::RELEASE_FAILED);
    Watched::act(&watched.release, Act::Succeed);
    manager.release_by_id(handle.id()).await.unwrap();
    assert!(manager.inspect(handle.id()).is_none());
    assert!(fresh.resource::<Thing>().is_ok());
    assert_eq!(watched.counts(), (2, 3, 1));
}

#[tokio::test]
async fn m6_release_scope_tries_all_and_lists_every_failure() {
    let (manager, watched) = manager();
    let with_key = |key: &str| session().resource_key(ResourceKey::new(key).unwrap()).build().unwrap();
    let mut handles = Vec::new();
    for key in ["a", "b", "c"] {
        handles.push(manager.ensure(with_key(key)).await.unwrap());
    }
    let bystander = manager.ensure(session().scope(Scope::Agent).build().unwrap()).await.unwrap();
    Watched::act(&watched.release, Act::fail());
    let owner = OwnerId::new("session-1").unwrap();
    let error = manager.release_scope(Scope::Session, &owner).await.unwrap_err();
    assert_eq!((error.failures.len(), error.released.len()), (3, 0));
    assert_eq!(error.code(), ErrorCode::RELEASE_FAILED);
    Watched::act(&watched.release, Act::Succeed);
    let released = manager.release_scope(Scope::Session, &owner).await.unwrap();
    let newest_first: Vec<HandleId> = handles.iter().rev().map(|handle| handle.id().clone()).collect();
    assert_eq!(released, newest_first);
    assert_eq!(bystander.status(), Status::Ready);
}

#[tokio::test(start_paused = true)]
async fn m7_every_provider_call_has_a_deadline() {
    let (manager, watched) = manager_here();
    let deadlines = Deadlines::STANDARD;
    let mut last = Instant::now();
    let mut waited = move || std::mem::replace(&mut last, Instant::now()).elapsed().as_secs();
    Watched::act(&watched.probe, Act::Hang);
    assert_eq!(manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::PROVIDER_UNAVAILABLE);
    assert_eq!(waited(), deadlines.probe.as_secs());
    Watched::act(&watched.probe, Act::Succeed);
    Watched::act(&watched.ensure, Act::Hang);
    assert_eq!(manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::ENSURE_TIMEOUT);
    assert_eq!(waited(), deadlines.ensure.as_secs());
    assert_eq!(watched.abandoned.load(Ordering::SeqCst), 1, "the provider's future is dropped, which undoes it");
    Watched::act(&watched.ensure, Act::Succeed);
    let first = manager.ensure(requirement()).await.unwrap();
    Watched::act(&watched.health, Act::Hang);
    let second = manager.ensure(requirement()).await.unwrap();
    assert_ne!(first.id(), second.id(), "a health check without an answer is not a good one");
    assert_eq!(waited(), deadlines.health_check.as_secs());
    Watched::act(&watched.release, Act::Hang);
    assert_eq!(manager.release(&second).await.unwrap_err().code(), ErrorCode::RELEASE_TIMEOUT);
    assert_eq!(waited(), deadlines.release.as_secs());
    assert_eq!(second.status(), Status::Failed);
}

#[tokio::test]
async fn m7_a_panicking_provider_poisons_nothing() {
    let (manager, watched) = manager();
    Watched::act(&watched.probe, Act::Panic);
    assert_eq!(manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::PROVIDER_UNAVAILABLE);
    Watched::act(&watched.probe, Act::Succeed);
    Watched::act(&watched.ensure, Act::Panic);
    assert_eq!(manager.ensure(requirement()).await.unwrap_err().code(), ErrorCode::ENSURE_FAILED);
    Watched::act(&watched.ensure, Act::Succeed);
    let first = manager.ensure(requirement()).await.unwrap();
    Watched::act(&watched.health, Act::Panic);
    let second = manager.ensure(requirement()).await.unwrap();
    assert_ne!(first.id(), second.id());
    Watched::act(&watched.release, Act::Panic);
    assert_eq!(manager.release(&second).await.unwrap_err().code(), ErrorCode::RELEASE_FAILED);
    for act in [&watched.health, &watched.release] {
        Watched::act(act, Act::Succeed);
    }
    manager.release_by_id(second.id()).await.unwrap();
    assert!(manager.ensure(requirement()).await.is_ok(), "the key is as good as before");
}

#[tokio::test]
async fn m7_a_hanging_key_does_not_hold_up_another() {
    let (manager, watched) = manager();
    Watched::act(&watched.ensure, Act::Hang);
    let mut hanging = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut hanging).await.is_none());
    Watched::act(&watched.ensure, Act::Succeed);
    let other = session().scope(Scope::Agent).build().unwrap();
    assert!(manager.ensure(other).await.is_ok());
    assert!(poll_immediate(&mut hanging).await.is_none(), "the control: the first one still hangs");
}

#[tokio::test]
async fn an_unhealthy_resource_is_replaced_and_a_healthy_one_is_not_probed() {
    let (manager, watched) = manager();
    let first = manager.ensure(requirement()).await.unwrap();
    let probes = watched.probes.load(Ordering::SeqCst);
    let again = manager.ensure(requirement()).await.unwrap();
    assert_eq!(again.id(), first.id());
    assert_eq!(watched.probes.load(Ordering::SeqCst), probes);
    Watched::act(&watched.health, Act::fail());
    let fresh = manager.ensure(requirement()).await.unwrap();
    assert_ne!(fresh.id(), first.id());
    assert_eq!(watched.counts(), (2, 1, 1));
}

#[tokio::test]
async fn m9_a_stricter_policy_never_reuses_a_laxer_handle() {
    let (manager, watched) = manager();
    let under = |policy: Policy| session().policy(policy).build().unwrap();
    let lax = manager.ensure(under(Policy::new().with_network(NetworkMode::Inherited))).await.unwrap();
    let strict = manager.ensure(under(Policy::new().with_network(NetworkMode::None))).await.unwrap();
    assert_ne!(lax.id(), strict.id());
    assert_eq!(strict.policy().network, Some(NetworkMode::None));
    let same = manager.ensure(under(Policy::new().with_network(NetworkMode::None))).await.unwrap();
    assert_eq!(same.id(), strict.id(), "the control: the same policy does reuse");
    assert_eq!(watched.counts().0, 2);
}

#[tokio::test]
async fn the_hosts_policy_tightens_every_requirement() {
    let manager = Manager::builder().policy(Policy::new().with_network(NetworkMode::None).read_only()).build();
    let (mock, _) = mock("mock");
    manager.register_provider(mock).unwrap();
    let wide = session().policy(Policy::new().with_network(NetworkMode::Inherited)).build().unwrap();
    let handle = manager.ensure(wide).await.unwrap();
    assert_eq!(handle.policy().network, Some(NetworkMode::None));
    assert!(handle.policy().is_read_only());
}

#[tokio::test]
async fn two_action_calls_never_share_a_resource() {
    let (manager, _) = manager();
    let call = |id: &str| Requirement::builder(kind()).action_call_id(ActionCallId::new(id).unwrap()).build().unwrap();
    let one = manager.ensure(call("1")).await.unwrap();
    let two = manager.ensure(call("2")).await.unwrap();
    assert_ne!(one.id(), two.id());
}

#[tokio::test]
async fn m7_a_resource_whose_drop_panics_is_released_all_the_same() {
    struct Explosive;

    impl Drop for Explosive {
        fn drop(&mut self) {
            panic!("told to panic")
        }
    }

    struct Explosives(ProviderId, [Kind; 1]);

    #[async_trait::async_trait]
    impl Provider for Explosives {
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
            Ok(ProvidedResource::new(Explosive))
        }

        async fn health_check(&self, _resource: &HeldResource) -> Health {
            Health::Healthy
        }

        async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
            Ok(())
        }
    }

    let manager = Manager::builder().build();
    manager.register_provider(Explosives(provider_id("explosives"), [kind()])).unwrap();
    let handle = manager.ensure(requirement()).await.unwrap();
    assert_eq!(manager.release(&handle).await, Ok(ReleaseOutcome::Released));
    assert!(manager.list(&Filter::all()).is_empty());
}
