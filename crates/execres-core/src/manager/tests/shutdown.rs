//! M10: the end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{join, poll_immediate};
use tokio::sync::Semaphore;

use super::mock::*;
use crate::*;

const LONG: Duration = Duration::from_secs(60);

fn keyed(key: &str) -> Requirement {
    session().resource_key(ResourceKey::new(key).unwrap()).build().unwrap()
}

#[tokio::test]
async fn m10_shutdown_releases_everything_newest_first_and_refuses_what_comes_later() {
    let (manager, watched) = manager();
    let older = manager.ensure(keyed("a")).await.unwrap();
    let newer = manager.ensure(keyed("b")).await.unwrap();
    let report = manager.shutdown(LONG).await;
    assert!(report.is_clean());
    assert_eq!(report.released, [newer.id().clone(), older.id().clone()]);
    assert_eq!(watched.counts(), (2, 2, 0));
    assert_eq!(manager.ensure(keyed("a")).await.unwrap_err().code(), ErrorCode::SHUTDOWN);
    assert_eq!(manager.release(&older).await, Ok(ReleaseOutcome::Released));
}

#[tokio::test]
async fn m10_shutdown_while_ensuring_leaves_no_handle_and_no_task() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut ensure = Box::pin(manager.ensure(keyed("a")));
    assert!(poll_immediate(&mut ensure).await.is_none());
    let mut shutdown = Box::pin(manager.shutdown(LONG));
    assert!(poll_immediate(&mut shutdown).await.is_none(), "it waits for the ensure that goes on");
    gate.add_permits(1);
    let (ensured, report) = join(ensure, shutdown).await;
    assert_eq!(ensured.unwrap_err().code(), ErrorCode::SHUTDOWN);
    assert!(report.is_clean());
    assert_eq!(watched.counts(), (1, 1, 0));
    assert!(manager.list(&Filter::all()).is_empty());
    let shared = Arc::downgrade(&manager.inner);
    drop(manager);
    assert!(shared.upgrade().is_none(), "a task or a flight still holds the manager");
}

#[tokio::test]
async fn m10_shutdown_drives_an_ensure_whose_caller_does_not_poll() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let mut idle = pin!(manager.ensure(keyed("a")));
    assert!(poll_immediate(&mut idle).await.is_none());
    gate.add_permits(1);
    assert!(manager.shutdown(LONG).await.is_clean());
    assert_eq!(watched.counts(), (1, 1, 0));
    assert_eq!(idle.await.unwrap_err().code(), ErrorCode::SHUTDOWN);
}

#[tokio::test]
async fn m10_an_ensure_that_waits_for_approval_is_refused_after_the_shutdown() {
    struct Slow(Arc<Semaphore>);

    #[async_trait::async_trait]
    impl ApprovalHandler for Slow {
        async fn decide(&self, _request: &ApprovalRequest) -> Decision {
            self.0.acquire().await.unwrap().forget();
            Decision::Approved
        }
    }

    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    let name = HandlerName::new("slow").unwrap();
    manager.approval().register_handler(name.clone(), Slow(Arc::clone(&gate))).unwrap();
    manager.approval().set_default_handler(&name).unwrap();
    let mut ensure = pin!(manager.ensure(session().needs_approval().build().unwrap()));
    assert!(poll_immediate(&mut ensure).await.is_none());
    assert!(manager.shutdown(LONG).await.is_clean());
    gate.add_permits(1);
    assert_eq!(ensure.await.unwrap_err().code(), ErrorCode::SHUTDOWN);
    assert_eq!(watched.probes.load(std::sync::atomic::Ordering::SeqCst), 0, "nobody is asked any more");
}

#[tokio::test(start_paused = true)]
async fn m10_shutdown_reports_what_could_not_be_released_or_did_not_end() {
    let (manager, watched) = manager_here();
    let _stuck = manager.ensure(keyed("stuck")).await.unwrap();
    let failing = manager.ensure(keyed("failing")).await.unwrap();
    Watched::act(&watched.release, Act::fail());
    assert!(manager.release(&failing).await.is_err());
    Watched::act(&watched.release, Act::Hang);
    Watched::act(&watched.ensure, Act::Hang);
    let mut hanging = pin!(manager.ensure(keyed("hanging")));
    assert!(poll_immediate(&mut hanging).await.is_none());
    let report = manager.shutdown(Duration::from_secs(1)).await;
    assert!(!report.is_clean());
    assert_eq!((report.unfinished.len(), report.unfinished_ensures), (2, 1));
    // What did not end has deadlines of its own.
    assert_eq!(hanging.await.unwrap_err().code(), ErrorCode::SHUTDOWN);
    Watched::act(&watched.release, Act::Succeed);
    assert_eq!(manager.list(&Filter::all().status(Status::Failed)).len(), 2);
    let report = manager.shutdown(LONG).await;
    assert!(report.is_clean(), "what is quarantined is tried again: {report:?}");
    assert_eq!(report.released.len(), 2);
    assert_eq!(watched.counts().2, 0);
}
