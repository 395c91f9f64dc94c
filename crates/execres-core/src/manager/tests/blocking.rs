//! The blocking face.

use std::sync::Arc;
use std::time::Duration;

use tokio::runtime::Builder;
use tokio::sync::Semaphore;

use super::mock::*;
use crate::*;

#[test]
fn m14_the_whole_life_of_a_resource_without_a_runtime() {
    let (manager, watched) = manager();
    for act in [&watched.probe, &watched.ensure, &watched.health, &watched.release] {
        Watched::act(act, Act::Yield);
    }
    let first = manager.blocking().ensure(requirement()).unwrap();
    let second = manager.blocking().ensure(requirement()).unwrap();
    assert_eq!(second.id(), first.id());
    assert_eq!(manager.blocking().release(&first), Ok(ReleaseOutcome::StillLeased { leases: 1 }));
    assert_eq!(manager.blocking().release(&first).unwrap_err().code(), ErrorCode::HANDLE_UNKNOWN);
    assert_eq!(manager.blocking().release_by_id(second.id()), Ok(()));
    let third = manager.blocking().ensure(requirement()).unwrap();
    let owner = OwnerId::new("session-1").unwrap();
    assert_eq!(manager.blocking().release_scope(Scope::Session, &owner).unwrap(), [third.id().clone()]);
    let _fourth = manager.blocking().ensure(requirement()).unwrap();
    assert!(manager.blocking().shutdown(Duration::from_secs(60)).unwrap().is_clean());
    assert_eq!(watched.counts(), (3, 3, 0));
}

/// Every blocking call of a manager, with the code of its answer.
fn all_calls(manager: &Manager, handle: &Handle) -> Vec<ErrorCode> {
    let blocking = manager.blocking();
    let digest = CallDigest::of([b"what".as_slice()]);
    let call = ActionCall::new(ActionCallId::new("c").unwrap(), kind(), ResourceKey::new("s").unwrap(), digest);
    vec![
        blocking.ensure(requirement()).unwrap_err().code(),
        blocking.approve_call(call).unwrap_err().code(),
        blocking.release(handle).unwrap_err().code(),
        blocking.release_by_id(handle.id()).unwrap_err().code(),
        blocking.release_scope(Scope::Session, &OwnerId::new("session-1").unwrap()).unwrap_err().code(),
        blocking.shutdown(Duration::ZERO).unwrap_err().code(),
    ]
}

#[test]
fn m14_inside_a_runtime_every_blocking_call_is_a_typed_error_and_does_nothing() {
    let (manager, watched) = manager();
    let handle = manager.blocking().ensure(requirement()).unwrap();
    for mut builder in [Builder::new_current_thread(), Builder::new_multi_thread()] {
        let runtime = builder.build().unwrap();
        let inside = runtime.block_on(async { all_calls(&manager, &handle) });
        assert_eq!(inside, [ErrorCode::BLOCKING_IN_ASYNC; 6]);
        let _context = runtime.enter();
        assert_eq!(all_calls(&manager, &handle), [ErrorCode::BLOCKING_IN_ASYNC; 6]);
    }
    assert_eq!((handle.status(), watched.counts()), (Status::Ready, (1, 0, 1)));
    assert_eq!(manager.blocking().release(&handle), Ok(ReleaseOutcome::Released), "the control: outside it works");
}

#[test]
fn m14_on_the_threads_of_the_owner_runtime_a_blocking_call_is_a_typed_error() {
    let (manager, _) = manager();
    let handle = Arc::new(manager.blocking().ensure(requirement()).unwrap());
    let (sender, answers) = std::sync::mpsc::channel();
    let (here, held) = (manager.clone(), Arc::clone(&handle));
    manager.inner.executor().unwrap().spawn(Box::pin(async move {
        sender.send(all_calls(&here, &held)).unwrap();
    }));
    let answers = answers.recv_timeout(Duration::from_secs(60)).expect("the owner's thread is blocked");
    assert_eq!(answers, [ErrorCode::BLOCKING_IN_ASYNC; 6]);
}

#[test]
fn a_fork_is_refused_by_the_blocking_face_too() {
    let (mock, _) = mock("mock");
    let mut builder = Manager::builder();
    builder.process = std::process::id() + 1;
    let manager = builder.build();
    manager.register_provider(mock).unwrap();
    assert_eq!(manager.blocking().ensure(requirement()).unwrap_err().code(), ErrorCode::FORKED);
    assert_eq!(manager.blocking().shutdown(Duration::ZERO).unwrap_err().code(), ErrorCode::FORKED);
}

#[test]
fn threads_that_block_for_one_key_get_one_resource() {
    let (manager, watched) = manager();
    let gate = Arc::new(Semaphore::new(0));
    Watched::act(&watched.ensure, Act::Wait(Arc::clone(&gate)));
    let threads: Vec<_> = (0..8)
        .map(|_| {
            let manager = manager.clone();
            std::thread::spawn(move || manager.blocking().ensure(requirement()).unwrap())
        })
        .collect();
    Builder::new_current_thread().enable_time().build().unwrap().block_on(reach(&watched.ensures, 1));
    gate.add_permits(8);
    let handles: Vec<Handle> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    assert!(handles.iter().all(|handle| handle.id() == handles[0].id()));
    assert_eq!(watched.counts(), (1, 0, 1));
}
