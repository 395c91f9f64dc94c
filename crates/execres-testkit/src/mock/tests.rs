use execres_core::{Manager, OwnerId, Requirement, Scope};

use super::*;

fn setting() -> (Manager, Mock, Requirement) {
    let mock = Mock::new("mock", "thing");
    let manager = Manager::builder().build();
    manager.register_provider(mock.provider()).unwrap();
    let requirement =
        Requirement::builder(mock.kind()).scope(Scope::Session).owner(OwnerId::new("s").unwrap()).build().unwrap();
    (manager, mock, requirement)
}

#[tokio::test]
async fn it_records_the_order_of_calls() {
    let (manager, mock, requirement) = setting();
    let first = manager.ensure(&requirement).await.unwrap();
    let second = manager.ensure(&requirement).await.unwrap();
    manager.release(&first).await.unwrap();
    manager.release(&second).await.unwrap();
    mock.assert()
        .in_order([Call::Probe, Call::Probe, Call::Ensure, Call::HealthCheck, Call::Release])
        .nothing_live()
        .nothing_leaked()
        .nothing_overlapped();
}

#[tokio::test]
async fn it_fails_as_often_as_it_is_told_and_then_works() {
    let (manager, mock, requirement) = setting();
    mock.next(Call::Ensure, [Act::fail("one"), Act::Panic]);
    assert!(manager.ensure(&requirement).await.unwrap_err().to_string().contains("one"));
    assert!(manager.ensure(&requirement).await.is_err());
    let handle = manager.ensure(&requirement).await.unwrap();
    assert_eq!(handle.resource::<MockResource>().unwrap().number(), 3);
    manager.release(&handle).await.unwrap();
    mock.assert().ensured(3).released(1).nothing_live();
}

#[tokio::test]
async fn a_gate_holds_a_call_until_the_test_lets_it_through() {
    let (manager, mock, requirement) = setting();
    let gate = Gate::closed();
    mock.next(Call::Ensure, [Act::Wait(gate.clone())]);
    let ensuring = tokio::spawn({
        let manager = manager.clone();
        async move { manager.ensure(&requirement).await }
    });
    gate.reached_by(1).await;
    mock.assert().ensured(1).live(0);
    gate.let_through(1);
    let handle = ensuring.await.unwrap().unwrap();
    mock.assert().live(1);
    manager.release(&handle).await.unwrap();
    mock.until(|counts| counts.live == 0).await;
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_takes_virtual_time() {
    let started = tokio::time::Instant::now();
    Act::Take(std::time::Duration::from_secs(3600)).play().await.unwrap();
    assert_eq!(started.elapsed().as_secs(), 3600);
}

#[tokio::test]
async fn a_broken_resource_is_replaced() {
    let (manager, mock, requirement) = setting();
    let handle = manager.ensure(&requirement).await.unwrap();
    handle.resource::<MockResource>().unwrap().break_it();
    let fresh = manager.ensure(&requirement).await.unwrap();
    assert_eq!(fresh.resource::<MockResource>().unwrap().number(), 2);
    mock.assert().ensured(2).released(1).live(1);
}

#[test]
#[should_panic(expected = "1 leaked resources, expected 0")]
fn a_resource_that_is_dropped_without_a_release_is_noticed() {
    let mock = Mock::new("mock", "thing");
    let held = futures_util::FutureExt::now_or_never(async {
        let record = std::sync::Arc::new(record::Record::new(execres_core::Probe::available(Default::default())));
        drop(MockResource::new(1, std::sync::Arc::clone(&record)));
        *record.counts.borrow()
    });
    Assertion { counts: held.unwrap(), ..mock.assert() }.nothing_leaked();
}

#[test]
#[should_panic(expected = "0 ensures, expected 1")]
fn a_wrong_count_is_noticed() {
    let _assertion = Mock::new("mock", "thing").assert().ensured(1);
}
