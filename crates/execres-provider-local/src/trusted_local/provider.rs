//! The provider.

use std::sync::Arc;

use async_trait::async_trait;
use execres_code::{KIND, SharedRunner};
use execres_core::{
    Capabilities, EnsureRequest, Health, HeldResource, Kind, NetworkMode, OptIn, Probe, ProbeRequest, ProvidedResource,
    Provider, ProviderError, ProviderId, WorkspaceAccess,
};
use execres_isolation::Sandbox;

use super::config::TrustedLocalConfig;
use super::resource::TrustedLocalRunner;
use crate::error::{CONFIG_INVALID, TRUSTED_LOCAL_NOT_ALLOWED};
use crate::limits::PolicyLimits;
use crate::tools::{Toolbox, with_tools};

/// The provider's id.
pub(super) const ID: &str = "trusted_local";

/// The host's word on runs without isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostAuthorisation {
    /// They are refused.
    Refused,
    /// They are allowed: whatever runs has this process's identity, files and network.
    GrantedDangerously,
}

/// Runs programs as plain processes of the host. Never chosen unless a requirement names it, never without the host's
/// authorisation, never with more than copies of files, and never able to satisfy required isolation.
#[derive(Debug)]
pub struct TrustedLocalProvider {
    id: ProviderId,
    kinds: Vec<Kind>,
    authorisation: HostAuthorisation,
    sandbox: Arc<Sandbox>,
    toolbox: Arc<Toolbox>,
}

impl TrustedLocalProvider {
    /// A provider with the host's word. `sandbox` supervises; it isolates nothing here.
    pub fn new(authorisation: HostAuthorisation, sandbox: Arc<Sandbox>, toolbox: Arc<Toolbox>) -> Self {
        TrustedLocalProvider {
            id: ProviderId::from_static(ID),
            kinds: vec![Kind::from_static(KIND)],
            authorisation,
            sandbox,
            toolbox,
        }
    }
}

#[async_trait]
impl Provider for TrustedLocalProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn opt_in(&self) -> OptIn {
        OptIn::OnlyWhenNamed
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        request
            .parse_config::<TrustedLocalConfig>()
            .map_err(|error| ProviderError::new(CONFIG_INVALID, error.to_string()))?;
        if self.authorisation == HostAuthorisation::Refused {
            return Ok(Probe::unavailable(
                TRUSTED_LOCAL_NOT_ALLOWED,
                "running without isolation was not authorised by the host",
                Some(
                    "use the provider sandbox; a host that accepts the danger says so where it sets Execres up, and on the \
                     command line by --provider trusted_local --isolation none"
                        .to_owned(),
                ),
            ));
        }
        let offered =
            Capabilities::new().with_network(NetworkMode::Inherited).with_workspace_access(WorkspaceAccess::Snapshot);
        let offered = with_tools(offered, request.requirement().required(), &self.toolbox).await;
        Ok(Probe::available(offered).with_isolation(self.sandbox.unconfined_report()))
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        if self.authorisation == HostAuthorisation::Refused {
            return Err(ProviderError::new(
                TRUSTED_LOCAL_NOT_ALLOWED,
                "running without isolation was not authorised by the host",
            ));
        }
        let report = self.sandbox.unconfined_report();
        let runner = TrustedLocalRunner {
            sandbox: Arc::clone(&self.sandbox),
            toolbox: Arc::clone(&self.toolbox),
            report: report.clone(),
            limits: PolicyLimits::of(request.policy()),
        };
        let runner: SharedRunner = Arc::new(runner);
        Ok(ProvidedResource::new(runner).with_isolation(report))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        Health::Healthy
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}
