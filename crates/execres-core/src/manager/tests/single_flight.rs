//! M2, M3, M5: ensures of one key at once.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join_all, poll_immediate};
use tokio::sync::{Barrier, Semaphore};

use super::mock::*;
use crate::*;

#[tokio::test(flavor = "multi_thread")]
async fn m2_concurrent_ensures_of_one_key_run_the_provider_once() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let tasks: Vec<_> = (0..10)
        .map(|_| {
            let manager = manager.clone();
            tokio::spawn(async move { manager.ensure(requirement()).await })
        })
        .collect();
    reach(&watched.ensures, 1).await;
    gate.add_permits(10);
    let handles: Vec<Handle> = join_all(tasks).await.into_iter().map(|task| task.unwrap().unwrap()).collect();
    assert!(handles.iter().all(|handle| handle.id() == handles[0].id()));
    assert_eq!(watched.counts(), (1, 0, 1));
    assert_eq!(manager.inspect(handles[0].id()).unwrap().leases, 10);
    let other = session().owner(OwnerId::new("session-2").unwrap()).build().unwrap();
    let other = manager.ensure(other).await.unwrap();
    assert_ne!(other.id(), handles[0].id(), "the control: another key is another resource");
}

#[tokio::test]
async fn m2_all_callers_get_the_same_error() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.probe, Act::Wait(Arc::clone(&gate)));
    Watched::act(&watched.ensure, Act::fail());
    let ensures = join_all((0..3).map(|_| manager.ensure(requirement())));
    let mut ensures = pin!(ensures);
    assert!(poll_immediate(&mut ensures).await.is_none());
    gate.add_permits(10);
    let errors: Vec<EnsureError> = ensures.await.into_iter().map(Result::unwrap_err).collect();
    assert!(errors.iter().all(|error| error.code() == MADE_BADLY && error.to_string() == errors[0].to_string()));
    assert_eq!(watched.counts(), (1, 0, 0));
    Watched::act(&watched.ensure, Act::Succeed);
    assert!(manager.inner.slots.collect(|_| Some(())).is_empty(), "a failure leaves nothing behind");
    assert!(manager.ensure(requirement()).await.is_ok(), "a failure is not remembered");
}

#[tokio::test]
async fn m3_a_dropped_ensure_leaks_nothing_at_any_await_point() {
    let mut dropped = 0;
    loop {
        let (manager, watched) = manager_here();
        for act in [&watched.probe, &watched.ensure, &watched.health, &watched.release] {
            Watched::act(act, Act::Yield);
        }
        let mut ensure = Box::pin(manager.ensure(requirement()));
        let mut ended = false;
        for _ in 0..=dropped {
            ended = poll_immediate(&mut ensure).await.is_some();
        }
        drop(ensure);
        if ended {
            break;
        }
        dropped += 1;
        reach(&watched.releases, 1).await;
        reach(&watched.alive, 0).await;
        assert_eq!(watched.counts(), (1, 1, 0), "dropped after {dropped} polls");
        assert!(manager.shutdown(Duration::from_secs(60)).await.is_clean());
        let shared = Arc::downgrade(&manager.inner);
        drop(manager);
        // The task that was moved ends a little after the release does.
        while shared.upgrade().is_some() {
            tokio::task::yield_now().await;
        }
    }
    assert_eq!(dropped, 3, "the first probe, the second, and the making wait once each");
}

#[tokio::test]
async fn m3_a_dropped_ensure_goes_on_at_the_owner_and_is_released() {
    let stages: [fn(&Watched) -> &std::sync::Mutex<Act>; 2] = [|watched| &watched.probe, |watched| &watched.ensure];
    for stage in stages {
        let (manager, watched) = manager();
        let mut events = manager.subscribe();
        let gate = Arc::new(Semaphore::new(0));
        Watched::act(stage(&watched), Act::Wait(Arc::clone(&gate)));
        {
            let mut ensure = pin!(manager.ensure(requirement()));
            assert!(poll_immediate(&mut ensure).await.is_none());
        }
        gate.add_permits(10);
        // The owner runtime goes on, finds nobody waiting, and releases.
        until(&mut events, "execution_resource.released").await;
        assert_eq!(watched.counts(), (1, 1, 0));
        assert!(manager.list(&Filter::all()).is_empty());
    }
}

#[tokio::test]
async fn m3_waiters_are_served_when_the_first_caller_goes_away() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut first = Box::pin(manager.ensure(requirement()));
    assert!(poll_immediate(&mut first).await.is_none());
    let mut second = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut second).await.is_none());
    drop(first);
    gate.add_permits(1);
    let handle = second.await.unwrap();
    assert_eq!(watched.counts(), (1, 0, 1));
    assert_eq!(manager.inspect(handle.id()).unwrap().leases, 1);
}

#[tokio::test]
async fn m3_a_caller_that_stops_polling_does_not_hold_up_the_others() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut idle = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut idle).await.is_none());
    gate.add_permits(1);
    let served = tokio::time::timeout(Duration::from_secs(60), manager.ensure(requirement())).await;
    assert!(served.expect("the waiter is stuck behind a caller that does not poll").is_ok());
    assert_eq!(watched.counts().0, 1);
}

#[tokio::test]
async fn m5_an_ensure_waits_for_the_release_that_goes_on_and_makes_a_fresh_resource() {
    let (manager, watched) = manager();
    let first = manager.ensure(requirement()).await.unwrap();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.release, Act::Wait(Arc::clone(&gate)));
    let mut release = pin!(manager.release(&first));
    assert!(poll_immediate(&mut release).await.is_none());
    assert_eq!(first.status(), Status::Releasing);
    assert_eq!(first.resource::<Thing>().err(), Some(ResourceError::Released));
    let mut ensure = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut ensure).await.is_none(), "the old resource is not handed out");
    assert_eq!(watched.counts().0, 1, "its successor is not made before it is gone");
    gate.add_permits(1);
    let second = ensure.await.unwrap();
    assert_eq!(release.await, Ok(ReleaseOutcome::Released));
    assert_ne!(second.id(), first.id());
    assert!(second.generation() > first.generation());
    assert_eq!(watched.counts(), (2, 1, 1));
}

#[tokio::test]
async fn m5_a_caller_that_is_late_for_its_lease_gets_a_fresh_resource() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut late = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut late).await.is_none());
    gate.add_permits(2);
    let first = manager.ensure(requirement()).await.unwrap();
    manager.release_by_id(first.id()).await.unwrap();
    let second = late.await.unwrap();
    assert_ne!(second.id(), first.id());
    assert_eq!((second.status(), watched.counts()), (Status::Ready, (2, 1, 1)));
}

#[tokio::test]
async fn m5_a_caller_that_is_late_gets_no_lease_in_a_resource_whose_forced_release_goes_on() {
    let (manager, watched) = manager();
    let (made, released) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&made)));
    Watched::act(&watched.release, Act::Wait(Arc::clone(&released)));
    let mut late = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut late).await.is_none());
    made.add_permits(2);
    let first = manager.ensure(requirement()).await.unwrap();
    let mut release = pin!(manager.release_by_id(first.id()));
    assert!(poll_immediate(&mut release).await.is_none());
    assert!(poll_immediate(&mut late).await.is_none(), "a lease in what is being released");
    released.add_permits(2);
    let second = late.await.unwrap();
    assert_ne!(second.id(), first.id());
    assert_eq!(second.status(), Status::Ready);
    release.await.unwrap();
}

#[tokio::test]
async fn m2_a_caller_that_is_late_for_its_lease_keeps_the_resource_that_the_others_gave_back() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut late = pin!(manager.ensure(requirement()));
    assert!(poll_immediate(&mut late).await.is_none());
    gate.add_permits(1);
    let first = manager.ensure(requirement()).await.unwrap();
    assert_eq!(manager.release(&first).await, Ok(ReleaseOutcome::StillLeased { leases: 0 }));
    assert_eq!(late.await.unwrap().id(), first.id(), "both asked at once, so both get the one resource");
    assert_eq!(watched.counts().0, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn m5_ensures_racing_with_last_releases_never_get_a_resource_that_is_being_released() {
    let (manager, watched) = manager();
    let tasks = (0..4).map(|_| {
        let manager = manager.clone();
        tokio::spawn(async move {
            for _ in 0..500 {
                let handle = manager.ensure(requirement()).await.unwrap();
                handle.resource::<Thing>().unwrap();
                assert_eq!(handle.status(), Status::Ready);
                manager.release(&handle).await.unwrap();
            }
        })
    });
    for task in join_all(tasks).await {
        task.unwrap();
    }
    let (ensures, releases, alive) = watched.counts();
    assert_eq!((ensures, alive), (releases, 0));
    assert_eq!(watched.overlapped.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert!(manager.list(&Filter::all()).is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_ensures_and_releases_of_many_keys_are_inside_the_provider_at_once() {
    const KEYS: usize = 100;
    let (manager, watched) = manager();
    let all_here = Arc::new(Barrier::new(KEYS));
    Watched::act(&watched.ensure, Act::Meet(Arc::clone(&all_here)));
    Watched::act(&watched.release, Act::Meet(all_here));
    let tasks = (0..KEYS).map(|key| {
        let manager = manager.clone();
        let requirement = session().config(Config::new().with("key", key as u64)).build().unwrap();
        tokio::spawn(async move {
            let handle = manager.ensure(requirement).await.unwrap();
            manager.release(&handle).await.unwrap();
        })
    });
    // Were anything of the manager's held across a call, the barrier would never be full.
    let done = tokio::time::timeout(Duration::from_secs(60), join_all(tasks)).await;
    assert!(done.expect("one key waits for another").into_iter().all(|task| task.is_ok()));
    assert_eq!(watched.counts(), (KEYS, KEYS, 0));
}

pub(super) async fn until(events: &mut Subscription, name: &str) {
    let found = async {
        loop {
            match events.next().await {
                Some(Delivery::Event(event)) if event.occurrence.name() == name => break,
                Some(_) => {}
                None => panic!("the manager is gone"),
            }
        }
    };
    tokio::time::timeout(Duration::from_secs(60), found).await.expect("the event does not come");
}
