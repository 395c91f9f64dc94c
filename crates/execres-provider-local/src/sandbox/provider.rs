//! The provider.

use std::sync::Arc;

use async_trait::async_trait;
use execres_code::{KIND, SharedRunner};
use execres_core::{
    AxisSet, Capabilities, EnsureRequest, Health, HeldResource, Kind, NetworkMode, Policy, Probe, ProbeRequest,
    ProvidedResource, Provider, ProviderError, ProviderId, WorkspaceAccess,
};
use execres_isolation::{LaunchError, Profile, Rung, Sandbox, Standing};

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
        let standing = match self.sandbox.best_rung(&shape).await {
            Ok(standing) => standing,
            Err(error) => return Ok(unavailable(&error)),
        };
        if let Some(refused) = self.refused(&standing, request.requirement().required().isolation) {
            return Ok(refused.with_isolation((*standing.report).clone()));
        }
        let report = standing.report;
        let offered = with_tools(offered(standing.rung), request.requirement().required(), &self.toolbox).await;
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
            rung: Rung::of(&report).unwrap_or(Rung::Full),
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

impl SandboxProvider {
    /// Why a host on a lower rung cannot do what is required; `None` where it can.
    fn refused(&self, standing: &Standing, required: AxisSet) -> Option<Probe> {
        let cause = standing.why_not_better.as_ref()?;
        let unproven = required.missing_from(standing.report.axes());
        let reason = if !unproven.is_empty() {
            format!("on this host the sandbox does not prove {unproven}: {cause} [{}]", cause.code())
        } else if standing.rung == Rung::NoNamespaces && self.sandbox.guests_have_a_user_of_their_own() {
            format!(
                "on this host the sandbox has no mounts, and the programs of a root host have a user that cannot enter the \
                 directories of a call; run as an ordinary user: {cause} [{}]",
                cause.code()
            )
        } else {
            return None;
        };
        Some(Probe::unavailable(SANDBOX_UNAVAILABLE, reason, cause.remedy().map(ToOwned::to_owned)))
    }
}

/// What a run on this rung can have.
fn offered(rung: Rung) -> Capabilities {
    let everywhere = Capabilities::new()
        .with_network(NetworkMode::None)
        .with_network(NetworkMode::Inherited)
        .with_workspace_access(WorkspaceAccess::Snapshot);
    match rung {
        // Without mounts nothing can be hidden in a workspace, and there is no loopback of a run's own.
        Rung::NoNamespaces => everywhere,
        _ => everywhere
            .with_network(NetworkMode::Loopback)
            .with_workspace_access(WorkspaceAccess::ReadOnly)
            .with_workspace_access(WorkspaceAccess::ReadWrite),
    }
}

fn unavailable(error: &LaunchError) -> Probe {
    let suggestion = error.remedy().map(ToOwned::to_owned);
    Probe::unavailable(SANDBOX_UNAVAILABLE, format!("{error} [{}]", error.code()), suggestion)
}
