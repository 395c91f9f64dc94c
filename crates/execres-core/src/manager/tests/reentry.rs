//! M7: a provider that waits for itself ends at its deadline, and holds up nobody else.
//!
//! The owner's timers are all managers' alike, so in every test another manager has to see its own deadline too.

use std::future::Future;
use std::sync::{Arc, OnceLock, mpsc};
use std::time::Duration;

use async_trait::async_trait;

use super::mock::*;
use crate::*;

/// What the provider does to the manager that calls it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Back {
    EnsureTheSame,
    EnsureTheOther,
    ShutDown,
    ReleaseTheSame,
    EnsureWhileReleasing,
}

struct Caller {
    id: ProviderId,
    kinds: [Kind; 2],
    back: Back,
    manager: Arc<OnceLock<Manager>>,
}

fn of_kind(name: &str) -> Requirement {
    let kind = Kind::new(name).unwrap();
    Requirement::builder(kind).scope(Scope::Session).owner(OwnerId::new("session-1").unwrap()).build().unwrap()
}

#[async_trait]
impl Provider for Caller {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        Ok(Probe::available(Capabilities::new()))
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let manager = self.manager.get().unwrap();
        let kind = request.requirement().kind().as_str();
        match self.back {
            Back::EnsureTheSame => drop(manager.ensure(of_kind(kind)).await),
            Back::EnsureTheOther => drop(manager.ensure(of_kind(if kind == "a" { "b" } else { "a" })).await),
            Back::ShutDown => drop(manager.shutdown(Duration::from_millis(50)).await),
            Back::ReleaseTheSame | Back::EnsureWhileReleasing => {}
        }
        Ok(ProvidedResource::new(()))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        Health::Healthy
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        let (manager, request) = (self.manager.get().unwrap(), resource.request());
        match self.back {
            Back::ReleaseTheSame => drop(manager.release_by_id(request.handle_id()).await),
            Back::EnsureWhileReleasing => drop(manager.ensure(of_kind(request.requirement().kind().as_str())).await),
            _ => {}
        }
        Ok(())
    }
}

fn deadlines() -> Deadlines {
    let soon = Duration::from_millis(150);
    Deadlines::STANDARD.with_ensure(soon).with_release(soon)
}

fn calling(back: Back) -> Manager {
    let manager = Manager::builder().deadlines(deadlines()).build();
    let cell = Arc::new(OnceLock::new());
    let kinds = ["a", "b"].map(|name| Kind::new(name).unwrap());
    manager.register_provider(Caller { id: provider_id("caller"), kinds, back, manager: Arc::clone(&cell) }).unwrap();
    cell.set(manager.clone()).unwrap_or_else(|_| unreachable!());
    manager
}

/// What a future answers on a thread of its own. A thread that never comes back would keep a test from failing.
fn in_time<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> impl FnOnce() -> T {
    let (done, ended) = mpsc::channel();
    let _thread = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        done.send(runtime.block_on(future)).unwrap_or_default();
    });
    move || ended.recv_timeout(Duration::from_secs(20)).expect("it ends at its deadline")
}

/// A deadline of somebody who has nothing to do with it.
fn others_deadlines_pass() {
    let manager = Manager::builder().deadlines(deadlines()).build();
    let (mock, watched) = mock("mock");
    Watched::act(&watched.ensure, Act::Hang);
    manager.register_provider(mock).unwrap();
    let error = in_time(async move { manager.ensure(requirement()).await.unwrap_err() })();
    assert!(error.to_string().contains("was not there in 150ms"), "{error}");
}

#[test]
fn m7_an_ensure_that_waits_for_itself_is_too_late() {
    let manager = calling(Back::EnsureTheSame);
    let error = in_time(async move { manager.ensure(of_kind("a")).await.unwrap_err() })();
    assert!(error.to_string().contains("was not there in 150ms"), "{error}");
    others_deadlines_pass();
}

#[test]
fn m7_two_ensures_that_wait_for_each_other_both_end() {
    let manager = calling(Back::EnsureTheOther);
    let both = ["a", "b"].map(|name| {
        let manager = manager.clone();
        in_time(async move { manager.ensure(of_kind(name)).await.map(drop).map_err(|error| error.to_string()) })
    });
    let ended = both.map(|end| end());
    assert!(ended.iter().any(Result::is_err), "they cannot both have waited in vain and been served: {ended:?}");
    others_deadlines_pass();
}

#[test]
fn m7_a_shutdown_from_inside_an_ensure_ends() {
    let manager = calling(Back::ShutDown);
    let error = in_time(async move { manager.ensure(of_kind("a")).await.unwrap_err() })();
    assert_eq!(error.code(), ErrorCode::SHUTDOWN);
    others_deadlines_pass();
}

#[test]
fn m7_a_release_that_waits_for_itself_is_too_late_and_quarantined() {
    for back in [Back::ReleaseTheSame, Back::EnsureWhileReleasing] {
        let manager = calling(back);
        let (code, left) = in_time(async move {
            let handle = manager.ensure(of_kind("a")).await.unwrap();
            let error = manager.release(&handle).await.unwrap_err();
            (error.code(), manager.inspect(handle.id()).map(|snapshot| snapshot.status))
        })();
        assert_eq!((code, left), (ErrorCode::RELEASE_TIMEOUT, Some(Status::Failed)), "{back:?}");
        others_deadlines_pass();
    }
}
