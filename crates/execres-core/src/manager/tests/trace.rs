//! What events tell, in which order.

use std::sync::Arc;

use futures_util::FutureExt;

use super::mock::*;
use crate::*;

/// The events so far, one a line, with ids, times and durations taken out.
fn trace(events: &mut Subscription) -> String {
    let mut ids: Vec<String> = Vec::new();
    let mut lines = Vec::new();
    while let Some(delivery) = events.try_next() {
        let event = match delivery {
            Delivery::Event(event) => event,
            Delivery::Missed(count) => {
                lines.push(format!("missed {count}"));
                continue;
            }
        };
        let mut json = serde_json::to_value(&*event).unwrap();
        let map = json.as_object_mut().unwrap();
        for key in ["at", "took", "requirement_id", "kind", "owner", "resource_key", "scope", "request_id"] {
            map.remove(key);
        }
        let name = map.remove("event").unwrap();
        let sequence = map.remove("sequence").unwrap();
        let handle = map.remove("handle_id").map_or_else(String::new, |id| {
            let id = id.as_str().unwrap().to_owned();
            let known = ids.iter().position(|other| *other == id).unwrap_or_else(|| {
                ids.push(id);
                ids.len() - 1
            });
            format!(" handle {}", known + 1)
        });
        let rest = if map.is_empty() { String::new() } else { format!(" {}", serde_json::to_string(map).unwrap()) };
        lines.push(format!("{sequence} {}{handle}{rest}", name.as_str().unwrap()));
    }
    lines.join("\n")
}

#[tokio::test]
async fn the_life_of_a_resource() {
    let (manager, watched) = manager();
    let mut events = manager.subscribe();
    let id = manager.declare(requirement()).unwrap();
    let first = manager.ensure(&id).await.unwrap();
    let second = manager.ensure(&id).await.unwrap();
    manager.release(&first).await.unwrap();
    Watched::act(&watched.health, Act::fail());
    let third = manager.ensure(&id).await.unwrap();
    manager.release(&second).await.unwrap();
    Watched::act(&watched.release, Act::fail());
    manager.release(&third).await.unwrap_err();
    insta::assert_snapshot!(trace(&mut events));
}

#[tokio::test]
async fn what_comes_to_nothing() {
    let (manager, watched) = manager();
    let mut events = manager.subscribe();
    let gated = || session().needs_approval().build().unwrap();
    manager.ensure(gated()).await.unwrap_err();
    manager.approval().set_default_handler(&HandlerName::new("auto_approve").unwrap()).unwrap();
    Watched::act(&watched.ensure, Act::fail());
    manager.ensure(gated()).await.unwrap_err();
    Watched::act(&watched.probe, Act::fail());
    manager.ensure(gated()).await.unwrap_err();
    let never = Policy::new().with_approval_mode(ApprovalMode::Never);
    manager.ensure(session().needs_approval().policy(never).build().unwrap()).await.unwrap_err();
    let other = Requirement::builder(Kind::new("other").unwrap()).build().unwrap();
    manager.ensure(other).await.unwrap_err();
    insta::assert_snapshot!(trace(&mut events));
}

#[tokio::test]
async fn a_slow_subscriber_learns_how_much_it_missed_and_blocks_nobody() {
    let (manager, _) = manager();
    let mut slow = manager.subscribe();
    for _ in 0..1100 {
        manager.declare(requirement()).unwrap();
    }
    assert_eq!(slow.try_next(), Some(Delivery::Missed(1100 - 1024)));
    let next = |events: &mut Subscription| match events.try_next() {
        Some(Delivery::Event(event)) => event.sequence,
        other => panic!("{other:?}"),
    };
    assert_eq!(next(&mut slow), 1100 - 1024 + 1);
}

#[tokio::test]
async fn a_subscription_ends_with_the_manager() {
    let (manager, _) = manager();
    let mut events = manager.subscribe();
    assert!(events.next().now_or_never().is_none(), "the control: it waits while the manager lives");
    drop(manager);
    assert_eq!(events.next().await, None);
}

#[tokio::test]
async fn progress_is_told_and_a_kept_reporter_does_not_keep_the_manager() {
    let (manager, _) = manager();
    let mut events = manager.subscribe();
    let handle = manager.ensure(requirement()).await.unwrap();
    assert!(trace(&mut events).contains(r#""stage":"making""#));
    manager.release(&handle).await.unwrap();
    let managed = Arc::clone(&handle.managed);
    drop((handle, manager));
    managed.request.progress().report(Progress { stage: "late", done: 1, total: None });
    while let Some(delivery) = events.next().await {
        let Delivery::Event(event) = delivery else { continue };
        assert!(!matches!(event.occurrence, Occurrence::Progress { .. }));
    }
}
