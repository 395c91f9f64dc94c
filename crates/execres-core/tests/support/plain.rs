//! A provider that does nothing, for tests and benchmarks that look at the manager alone.

use async_trait::async_trait;
use execres_core::{
    Capabilities, EnsureRequest, Health, HeldResource, Kind, Probe, ProbeRequest, ProvidedResource, Provider,
    ProviderError, ProviderId,
};

pub(crate) struct Plain(pub(crate) ProviderId, pub(crate) [Kind; 1]);

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
