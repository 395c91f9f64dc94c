//! A provider that does nothing, and what drives a future that never waits.

#[path = "../../tests/support/plain.rs"]
mod provider;

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use execres_core::{Kind, Manager, OwnerId, ProviderId, Requirement, Scope};

use provider::Plain;

pub(crate) fn manager() -> Manager {
    let manager = Manager::builder().build();
    manager.register_provider(Plain(ProviderId::new("plain").unwrap(), [Kind::new("thing").unwrap()])).unwrap();
    manager
}

/// A requirement of its own for each number.
pub(crate) fn requirement(number: usize) -> Requirement {
    let owner = OwnerId::new(format!("owner-{number}")).unwrap();
    Requirement::builder(Kind::new("thing").unwrap()).scope(Scope::Session).owner(owner).build().unwrap()
}

/// Polls a future to its end on this thread. Nothing here waits, so nothing has to wake it.
pub(crate) fn drive<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            return value;
        }
    }
}
