//! Many at once: what holds for two callers holds for a thousand.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;
use proptest::prelude::Rng;
use proptest::test_runner::{RngAlgorithm, TestRng};
use tokio::sync::Semaphore;

use super::mock::*;
use super::single_flight::until;
use crate::*;

#[tokio::test(flavor = "multi_thread")]
async fn m2_a_thousand_concurrent_ensures_of_one_key_make_one_resource() {
    const CALLERS: usize = 1000;
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let callers: Vec<_> = (0..CALLERS)
        .map(|_| {
            let manager = manager.clone();
            tokio::spawn(async move { manager.ensure(requirement()).await.unwrap() })
        })
        .collect();
    reach(&watched.ensures, 1).await;
    gate.add_permits(CALLERS);
    let handles: Vec<Handle> = join_all(callers).await.into_iter().map(Result::unwrap).collect();
    assert_eq!(watched.counts(), (1, 0, 1));
    let mut leases: Vec<LeaseId> = handles.iter().map(Handle::lease_id).collect();
    leases.sort();
    leases.dedup();
    assert_eq!(leases.len(), CALLERS, "every caller has a lease of its own");
    for (given_back, handle) in handles.iter().enumerate() {
        let outcome = manager.release(handle).await.unwrap();
        assert_eq!(outcome == ReleaseOutcome::Released, given_back == CALLERS - 1);
    }
    assert_eq!(watched.counts(), (1, 1, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn m3_two_hundred_random_cancellations_leave_nothing() {
    const CANCELLED: usize = 200;
    let (manager, watched) = manager();
    for act in [&watched.probe, &watched.ensure, &watched.health, &watched.release] {
        Watched::act(act, Act::Yield);
    }
    let mut random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut cut_short = 0;
    for round in 0..CANCELLED {
        // Some share a key, so that those who go away leave others waiting.
        let key = ResourceKey::new(format!("key-{}", round % 7)).unwrap();
        let requirement = session().resource_key(key).build().unwrap();
        let polls = random.next_u32() % 6;
        let mut ensure = Box::pin(manager.ensure(requirement));
        let mut ended = false;
        for _ in 0..polls {
            if futures_util::future::poll_immediate(&mut ensure).await.is_some() {
                ended = true;
                break;
            }
            tokio::task::yield_now().await;
        }
        cut_short += usize::from(!ended);
        drop(ensure);
    }
    assert!(cut_short > CANCELLED / 4, "the control: {cut_short} were cut short");
    assert!(manager.shutdown(Duration::from_secs(60)).await.is_clean());
    reach(&watched.alive, 0).await;
    let (ensures, releases, _) = watched.counts();
    assert_eq!(ensures, releases);
    assert!(manager.list(&Filter::all()).is_empty());
    assert!(manager.inner.slots.collect(|_| Some(())).is_empty());
}

#[tokio::test]
async fn an_abandoned_resource_is_neither_listed_nor_tried_again() {
    let (manager, watched) = manager();
    let mut events = manager.subscribe();
    let handle = manager.ensure(requirement()).await.unwrap();
    let early = manager.abandon(handle.id()).unwrap_err();
    assert_eq!(early, ReleaseError::NotQuarantined { id: handle.id().clone(), status: Status::Ready });
    Watched::act(&watched.release, Act::fail());
    manager.release_by_id(handle.id()).await.unwrap_err();
    assert_eq!(manager.list(&Filter::all().status(Status::Failed)).len(), 1, "the control: it is quarantined");
    let kept = Arc::downgrade(&handle.managed.held().unwrap().live);
    manager.abandon(handle.id()).unwrap();
    until(&mut events, "execution_resource.abandoned").await;
    assert!(kept.upgrade().is_none(), "the object is dropped");
    assert!(manager.list(&Filter::all()).is_empty());
    assert_eq!(manager.abandon(handle.id()).unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(manager.release_by_id(handle.id()).await.unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(manager.release(&handle).await.unwrap_err().code(), ErrorCode::RELEASE_FAILED, "its end is still told");
    assert!(manager.shutdown(Duration::from_secs(60)).await.is_clean());
    assert_eq!(watched.counts().1, 1);
}

#[tokio::test]
async fn a_subscription_is_a_stream_too() {
    use futures_util::StreamExt;

    let (manager, _) = manager();
    let events = manager.subscribe().into_stream();
    let handle = manager.ensure(requirement()).await.unwrap();
    manager.release(&handle).await.unwrap();
    drop((handle, manager));
    let names: Vec<&str> = events
        .map(|delivery| match delivery {
            Delivery::Event(event) => event.occurrence.name(),
            Delivery::Missed(_) => "missed",
        })
        .collect()
        .await;
    let tail = |name: &'static str| name.strip_prefix("execution_resource.").unwrap_or(name);
    let names: Vec<&str> = names.into_iter().map(tail).collect();
    assert_eq!(names, ["ensuring", "probed", "progress", "ready", "releasing", "released"]);
}
