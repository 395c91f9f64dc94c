//! One approval for a whole action call: what it does itself, and the resources that it requires.

use std::fmt;
use std::sync::Arc;

use sha2::{Digest, Sha256};

use super::Risk;
use crate::identity::{ActionCallId, Kind, OwnerId, ResourceKey};
use crate::policy::Policy;
use crate::requirement::Approval;
use crate::scope::Scope;

/// What an action call does, as a digest: of its input, its code, its requirements, and whatever else an approval is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallDigest([u8; 32]);

impl CallDigest {
    /// The digest of these parts. The same bytes parted otherwise are another digest.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut digest = Sha256::new();
        for part in parts {
            digest.update((part.len() as u64).to_le_bytes());
            digest.update(part);
        }
        CallDigest(digest.finalize().into())
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for CallDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // An input with few possible values could be guessed from its digest.
        f.write_str("CallDigest")
    }
}

/// A call of an action for which approval is asked before any of its resources is.
#[derive(Clone)]
#[must_use]
pub struct ActionCall {
    pub(crate) id: ActionCallId,
    pub(crate) digest: CallDigest,
    pub(crate) kind: Kind,
    pub(crate) subject: ResourceKey,
    pub(crate) reason: Option<String>,
    pub(crate) scope: Scope,
    pub(crate) owner: Option<OwnerId>,
    pub(crate) policy: Policy,
    pub(crate) approval: Approval,
    pub(crate) risk: Risk,
}

impl fmt::Debug for ActionCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Subject and reason can hold anything, and `Debug` goes into logs.
        f.debug_struct("ActionCall")
            .field("id", &self.id)
            .field("digest", &self.digest)
            .field("kind", &self.kind)
            .field("scope", &self.scope)
            .field("owner", &self.owner)
            .field("policy", &self.policy)
            .field("approval", &self.approval)
            .field("risk", &self.risk)
            .finish_non_exhaustive()
    }
}

impl ActionCall {
    /// A call of an action: of which sort it is, under which name people know it, and what it does.
    pub fn new(id: ActionCallId, kind: Kind, subject: ResourceKey, digest: CallDigest) -> Self {
        ActionCall {
            id,
            digest,
            kind,
            subject,
            reason: None,
            scope: Scope::ActionCall,
            owner: None,
            policy: Policy::new(),
            approval: Approval::ByPolicy,
            risk: Risk::Resource,
        }
    }

    /// Sets why the call is made, for whoever decides.
    pub fn reason(mut self, reason: impl Into<String>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Sets for how long an approval that is asked for once is remembered. [`Scope::ActionCall`] by default: for this call.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = scope;
        self
    }

    /// Sets for whom the call is made. The configured owner by default.
    pub fn owner(mut self, owner: OwnerId) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Sets what the call may do.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Asks for approval whatever the mode of the policy.
    pub fn needs_approval(mut self) -> Self {
        self.approval = Approval::Needed;
        self
    }

    /// Says that the call uses a provider that isolates nothing. It needs approval then, and auto-allow does not give it.
    pub fn isolation_off(mut self) -> Self {
        self.risk = Risk::IsolationOff;
        self.approval = Approval::Needed;
        self
    }
}

/// That a call may go ahead, for [`RequirementBuilder::covered_by`](crate::RequirementBuilder::covered_by). Only a manager makes one.
#[derive(Debug, Clone)]
pub struct CallApproval(pub(crate) Arc<Covered>);

#[derive(Debug)]
pub(crate) struct Covered {
    /// The manager that gave the approval.
    pub(crate) manager: Arc<str>,
    pub(crate) call_id: ActionCallId,
    pub(crate) digest: CallDigest,
    pub(crate) owner: OwnerId,
    pub(crate) risk: Risk,
    pub(crate) policy: Policy,
    /// Whether somebody approved it. Where the call needed no approval nobody did, and it stands for none.
    pub(crate) approved: bool,
}

impl CallApproval {
    /// The call.
    pub fn action_call_id(&self) -> &ActionCallId {
        &self.0.call_id
    }

    /// The policy under which the call was approved.
    pub fn policy(&self) -> &Policy {
        &self.0.policy
    }
}
