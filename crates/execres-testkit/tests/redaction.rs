//! What a manager tells of two like runs is the same text once it is redacted.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use execres_core::{Delivery, Manager, Requirement};
use execres_testkit::{Act, Call, Mock, Redactor};

/// The events and the error of one run, as text.
async fn told(redactor: Option<Redactor>) -> String {
    let mock = Mock::new("mock", "thing");
    let manager = Manager::builder().build();
    manager.register_provider(mock.provider()).unwrap();
    let mut events = manager.subscribe();
    mock.next(Call::Ensure, [Act::fail(format!("no room in {}", tempfile::tempdir().unwrap().path().display()))]);
    let requirement = Requirement::builder(mock.kind()).build().unwrap();
    let mut told = vec![manager.ensure(&requirement).await.unwrap_err().to_string()];
    let handle = manager.ensure(&requirement).await.unwrap();
    manager.release(&handle).await.unwrap();

    let mut redactor = redactor;
    while let Some(delivery) = events.try_next() {
        let Delivery::Event(event) = delivery else { panic!("events were missed") };
        let json = serde_json::to_value(&*event).unwrap();
        told.push(redactor.as_mut().map_or_else(|| json.to_string(), |redactor| redactor.json(&json).to_string()));
    }
    let text = told.join("\n");
    redactor.map_or(text.clone(), |mut redactor| redactor.text(&text))
}

#[tokio::test]
async fn two_like_runs_are_one_text() {
    assert_ne!(told(None).await, told(None).await, "the control: what is told differs from run to run");
    let owner = || Redactor::new().naming(std::process::id().to_string(), "this process");
    let one = told(Some(owner())).await;
    assert_eq!(one, told(Some(owner())).await);
    assert!(one.contains("execution_resource.ready") && one.contains("<path-1>"), "{one}");
}
