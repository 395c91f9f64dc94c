//! What every provider can do here, with the evidence.

use execres_code::KIND;
use execres_core::{
    AxisSet, CapabilityRequirements, EnsureError, IsolationReport, Kind, NetworkMode, Policy, ProviderId, Requirement,
    Scope,
};
use serde::Serialize;

use crate::builder::Execres;

/// One provider's answer.
#[derive(Debug, Serialize)]
#[non_exhaustive]
pub struct ProviderProbe {
    /// The provider.
    pub provider: ProviderId,
    /// The kind that was asked for.
    pub kind: Kind,
    /// Whether it could be used now.
    pub available: bool,
    /// Why not, and what to do, where it could not.
    pub reason: Option<String>,
    /// How well it isolates, with the evidence.
    pub isolation: Option<IsolationReport>,
}

impl Execres {
    /// Asks every provider of code execution, in the order of registration, for a run with this network.
    ///
    /// # Errors
    /// [`EnsureError`] when the manager itself cannot work. A provider that cannot is in the answer.
    ///
    /// # Cancel safety
    /// Dropping the future leaves nothing behind.
    pub async fn probe(&self, network: NetworkMode) -> Result<Vec<ProviderProbe>, EnsureError> {
        let mut answers = Vec::new();
        for provider in self.manager.providers() {
            let requirement = Requirement::builder(Kind::from_static(KIND))
                .scope(Scope::Request)
                .provider_id(provider.clone())
                .required(CapabilityRequirements::new().with_isolation(AxisSet::EMPTY))
                .policy(Policy::new().with_network(network))
                .build();
            let Ok(requirement) = requirement else { continue };
            let kind = requirement.kind().clone();
            // A probe is what selection does before it ensures; a runner holds nothing, so ensuring one is as cheap.
            answers.push(match self.manager.ensure(requirement).await {
                Ok(handle) => {
                    let isolation = handle.isolation().cloned();
                    if let Err(error) = self.manager.release(&handle).await {
                        tracing::warn!(%error, "a probed runner could not be released");
                    }
                    ProviderProbe { provider, kind, available: true, reason: None, isolation }
                }
                Err(EnsureError::ProviderUnavailable(unavailable)) => {
                    let reasons: Vec<String> = unavailable.probes.iter().map(ToString::to_string).collect();
                    ProviderProbe {
                        provider,
                        kind,
                        available: false,
                        reason: Some(reasons.join("; ")),
                        isolation: None,
                    }
                }
                Err(error) => return Err(error),
            });
        }
        Ok(answers)
    }
}
