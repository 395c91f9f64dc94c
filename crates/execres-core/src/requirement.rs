//! Requirements: what an action or a flow needs.

mod builder;
mod candidate;
mod grant;
#[cfg(test)]
mod tests;

pub use builder::{RequirementBuilder, RequirementError};
pub use candidate::{Candidate, CandidateError};
pub use grant::Grant;

use crate::capabilities::CapabilityRequirements;
use crate::config::Config;
use crate::identity::{ActionCallId, Kind, OwnerId, ProviderId, RequirementId, ResourceKey};
use crate::policy::Policy;
use crate::scope::Scope;

/// Whether the requirement itself asks for approval. It can ask for it and never give it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Approval {
    /// Policy alone decides whether to ask.
    #[default]
    ByPolicy,
    /// Approval is needed.
    Needed,
}

/// What an action or a flow needs: a resource of a kind, for whom, from whom, how, and under which policy.
///
/// A requirement is valid by construction; see [`Requirement::builder`] for its parts and their defaults.
#[derive(Debug, Clone)]
pub struct Requirement {
    id: RequirementId,
    kind: Kind,
    scope: Scope,
    owner: Option<OwnerId>,
    resource_key: ResourceKey,
    provider_id: Option<ProviderId>,
    candidates: Vec<Candidate>,
    required: CapabilityRequirements,
    preferred: CapabilityRequirements,
    config: Config,
    policy: Policy,
    approval: Approval,
    action_call_id: Option<ActionCallId>,
    reuse_key: Option<String>,
    grant: Option<Grant>,
}

impl Requirement {
    /// Starts a requirement of a kind. Everything else has a default.
    pub fn builder(kind: impl Into<Kind>) -> RequirementBuilder {
        RequirementBuilder::new(kind.into())
    }

    /// The requirement again under construction, with its id: for whoever has to set its scope, owner or call.
    pub fn into_builder(self) -> RequirementBuilder {
        RequirementBuilder::from(self)
    }

    /// Its id; generated where none was given.
    pub const fn id(&self) -> &RequirementId {
        &self.id
    }

    /// What sort of resource.
    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// How far it is shared. [`Scope::ActionCall`] by default.
    pub const fn scope(&self) -> Scope {
        self.scope
    }

    /// For whom. `None` stands for the manager's configured owner.
    pub const fn owner(&self) -> Option<&OwnerId> {
        self.owner.as_ref()
    }

    /// Under which name the resource is handed over. The kind by default.
    pub const fn resource_key(&self) -> &ResourceKey {
        &self.resource_key
    }

    /// The only provider that will do, where one is named.
    pub const fn provider_id(&self) -> Option<&ProviderId> {
        self.provider_id.as_ref()
    }

    /// The providers to try, the preferred first. Empty means all of the kind.
    pub fn candidates(&self) -> &[Candidate] {
        &self.candidates
    }

    /// What a provider has to offer.
    pub const fn required(&self) -> &CapabilityRequirements {
        &self.required
    }

    /// What a provider should offer.
    pub const fn preferred(&self) -> &CapabilityRequirements {
        &self.preferred
    }

    /// The provider's configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// What the resource may do; the host's policy tightens it further.
    pub const fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Whether the requirement itself asks for approval.
    pub const fn approval(&self) -> Approval {
        self.approval
    }

    /// The action call that it belongs to.
    pub const fn action_call_id(&self) -> Option<&ActionCallId> {
        self.action_call_id.as_ref()
    }

    /// What stands for resource key and config when resources are told apart for reuse.
    pub fn reuse_key(&self) -> Option<&str> {
        self.reuse_key.as_deref()
    }

    /// The workspace access grant under which the resource works.
    pub const fn grant(&self) -> Option<&Grant> {
        self.grant.as_ref()
    }

    /// The same requirement with its owner filled in where it names none.
    pub(crate) fn owned_by_default(mut self, owner: &OwnerId) -> Self {
        self.owner.get_or_insert_with(|| owner.clone());
        self
    }
}
