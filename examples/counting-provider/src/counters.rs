//! The provider.

use std::sync::atomic::AtomicU64;

use async_trait::async_trait;
use execres_core::{
    Capabilities, EnsureRequest, Health, HeldResource, InvalidName, Kind, Probe, ProbeRequest, ProvidedResource,
    Provider, ProviderError, ProviderId,
};

/// The provider.
pub struct Counters {
    id: ProviderId,
    kinds: [Kind; 1],
}

impl Counters {
    /// A provider with the id `counters`.
    ///
    /// # Errors
    ///
    /// Never in fact: the names are good.
    pub fn new() -> Result<Self, InvalidName> {
        Ok(Counters { id: ProviderId::new("counters")?, kinds: [Kind::new("counter")?] })
    }
}

#[async_trait]
impl Provider for Counters {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        Ok(Probe::available(Capabilities::new()))
    }

    async fn ensure(&self, _request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        Ok(ProvidedResource::new(AtomicU64::new(0)))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        Health::Healthy
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}
