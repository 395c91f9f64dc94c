//! A provider that does nothing, and what drives a future that never waits.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use async_trait::async_trait;
use execres_core::{
    Capabilities, EnsureRequest, Health, HeldResource, Kind, Manager, OwnerId, Probe, ProbeRequest, ProvidedResource,
    Provider, ProviderError, ProviderId, Requirement, Scope,
};

struct Plain(ProviderId, [Kind; 1]);

#[async_trait]
impl Provider for Plain {
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
        Ok(ProvidedResource::new(7_u8))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        Health::Healthy
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}

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
