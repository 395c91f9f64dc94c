//! The provider.

use std::sync::Arc;

use async_trait::async_trait;
use execres_code::{KIND, SharedRunner};
use execres_core::{
    Capabilities, EnsureRequest, Health, HeldResource, Kind, NetworkMode, Policy, Probe, ProbeRequest,
    ProvidedResource, Provider, ProviderError, ProviderId, WorkspaceAccess,
};
use execres_isolation::{LaunchError, Profile, Sandbox};

use super::config::SandboxConfig;
use super::resource::SandboxRunner;
use crate::error::{CONFIG_INVALID, SANDBOX_UNAVAILABLE};
use crate::limits::PolicyLimits;
use crate::tools::{Toolbox, with_tools};

/// The provider's id.
pub(super) const ID: &str = "sandbox";

/// Runs programs in the native sandbox of this machine. The default provider of `code_execution`: it needs no daemon and no
/// root, and claims an axis only when a probe of the very profile proved it.
#[derive(Debug)]
pub struct SandboxProvider {
    id: ProviderId,
    kinds: Vec<Kind>,
    sandbox: Arc<Sandbox>,
    toolbox: Arc<Toolbox>,
}

impl SandboxProvider {
    /// A provider on this sandbox, with these tools.
    pub fn new(sandbox: Arc<Sandbox>, toolbox: Arc<Toolbox>) -> Self {
        SandboxProvider { id: ProviderId::from_static(ID), kinds: vec![Kind::from_static(KIND)], sandbox, toolbox }
    }
}

/// The network that a policy allows; none where it does not say.
pub(crate) fn network_of(policy: &Policy) -> NetworkMode {
    policy.network.unwrap_or(NetworkMode::None)
}

#[async_trait]
impl Provider for SandboxProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        request
            .parse_config::<SandboxConfig>()
            .map_err(|error| ProviderError::new(CONFIG_INVALID, error.to_string()))?;
        let shape = Profile::deny_all().with_network(network_of(request.policy()));
        let report = match self.sandbox.evidence(&shape).await {
            Ok(report) => report,
            Err(error) => return Ok(unavailable(&error)),
        };
        let offered = Capabilities::new()
            .with_network(NetworkMode::None)
            .with_network(NetworkMode::Loopback)
            .with_network(NetworkMode::Inherited)
            .with_workspace_access(WorkspaceAccess::Snapshot)
            .with_workspace_access(WorkspaceAccess::ReadOnly)
            .with_workspace_access(WorkspaceAccess::ReadWrite);
        let offered = with_tools(offered, request.requirement().required(), &self.toolbox).await;
        Ok(Probe::available(offered).with_isolation((*report).clone()))
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let report =
            request.probe().isolation().cloned().ok_or_else(|| {
                ProviderError::new(SANDBOX_UNAVAILABLE, "the probe of the sandbox brought no evidence")
            })?;
        let policy = request.policy();
        let runner = SandboxRunner {
            sandbox: Arc::clone(&self.sandbox),
            toolbox: Arc::clone(&self.toolbox),
            report: report.clone(),
            required: request.requirement().required().isolation,
            network: network_of(policy),
            limits: PolicyLimits::of(policy),
        };
        let runner: SharedRunner = Arc::new(runner);
        Ok(ProvidedResource::new(runner).with_isolation(report))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        // A runner holds nothing between jobs; each job gets a sandbox of its own, and its launcher is checked then.
        Health::Healthy
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}

fn unavailable(error: &LaunchError) -> Probe {
    let suggestion = match error {
        LaunchError::UserNamespaces { remedy, .. } => Some((*remedy).to_owned()),
        _ => None,
    };
    Probe::unavailable(SANDBOX_UNAVAILABLE, format!("{error} [{}]", error.code()), suggestion)
}
