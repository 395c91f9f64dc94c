//! Requirements: what an action or a flow needs.

mod builder;
mod candidate;
mod grant;
mod memo;
#[cfg(test)]
mod tests;

pub use builder::{RequirementBuilder, RequirementError};
pub use candidate::{Candidate, CandidateError};
pub use grant::Grant;
pub(crate) use memo::Memo;

use std::fmt;
use std::sync::Arc;

use crate::approval::{CallApproval, CallDigest};
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
/// A requirement is valid by construction; see [`Requirement::builder`] for its parts and their defaults. It is cheap to clone: clones
/// share their parts.
#[derive(Clone)]
pub struct Requirement(Arc<Parts>);

/// What a requirement says.
#[derive(Debug, Clone)]
struct Parts {
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
    call: Option<CallDigest>,
    covered_by: Option<CallApproval>,
    memo: Memo,
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
    pub fn id(&self) -> &RequirementId {
        &self.0.id
    }

    /// What sort of resource.
    pub fn kind(&self) -> &Kind {
        &self.0.kind
    }

    /// How far it is shared. [`Scope::ActionCall`] by default.
    pub fn scope(&self) -> Scope {
        self.0.scope
    }

    /// For whom. `None` stands for the manager's configured owner.
    pub fn owner(&self) -> Option<&OwnerId> {
        self.0.owner.as_ref()
    }

    /// Under which name the resource is handed over. The kind by default.
    pub fn resource_key(&self) -> &ResourceKey {
        &self.0.resource_key
    }

    /// The only provider that will do, where one is named.
    pub fn provider_id(&self) -> Option<&ProviderId> {
        self.0.provider_id.as_ref()
    }

    /// The providers to try, the preferred first. Empty means all of the kind.
    pub fn candidates(&self) -> &[Candidate] {
        &self.0.candidates
    }

    /// What a provider has to offer.
    pub fn required(&self) -> &CapabilityRequirements {
        &self.0.required
    }

    /// What a provider should offer.
    pub fn preferred(&self) -> &CapabilityRequirements {
        &self.0.preferred
    }

    /// The provider's configuration.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// What the resource may do; the host's policy tightens it further.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }

    /// Whether the requirement itself asks for approval.
    pub fn approval(&self) -> Approval {
        self.0.approval
    }

    /// The action call that it belongs to.
    pub fn action_call_id(&self) -> Option<&ActionCallId> {
        self.0.action_call_id.as_ref()
    }

    /// What stands for resource key and config when resources are told apart for reuse.
    pub fn reuse_key(&self) -> Option<&str> {
        self.0.reuse_key.as_deref()
    }

    /// The workspace access grant under which the resource works.
    pub fn grant(&self) -> Option<&Grant> {
        self.0.grant.as_ref()
    }

    /// The digest of the action call that it belongs to.
    pub fn call(&self) -> Option<&CallDigest> {
        self.0.call.as_ref()
    }

    /// The approval of the action call that it belongs to.
    pub fn covered_by(&self) -> Option<&CallApproval> {
        self.0.covered_by.as_ref()
    }

    /// The same requirement with its owner filled in where it names none.
    pub(crate) fn owned_by_default(mut self, owner: &OwnerId) -> Self {
        if self.0.owner.is_none() {
            Arc::make_mut(&mut self.0).owner = Some(owner.clone());
        }
        self
    }

    /// The same requirement with these candidates.
    pub(crate) fn with_candidates(mut self, candidates: Vec<Candidate>) -> Self {
        Arc::make_mut(&mut self.0).candidates = candidates;
        self
    }

    /// What a manager worked out of the requirement before.
    pub(crate) fn memo(&self) -> &Memo {
        &self.0.memo
    }
}

impl fmt::Debug for Requirement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
