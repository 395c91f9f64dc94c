//! What is decided on, and how.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use crate::identity::{ActionCallId, ApprovalRequestId, Kind, OwnerId, RequirementId, ResourceKey};
use crate::policy::Policy;
use crate::scope::Scope;

/// The host's setting `access_control_policy.auto_allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoAllow {
    /// Ask the handler where approval is needed.
    #[default]
    Off,
    /// Approve without asking. Nothing else is loosened: policy, provider, sandbox and limits stay as they are,
    /// [`ApprovalMode::Never`](crate::ApprovalMode::Never) still denies, and [`Risk::IsolationOff`] is still asked for.
    On,
}

/// Who asks for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ApprovalSource {
    /// An ensure, for a resource.
    ExecutionResource,
    /// A call of an action, for everything that it will do.
    Action,
}

/// What is at stake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Risk {
    /// What the policy allows, inside the provider's isolation.
    #[default]
    Resource,
    /// A provider that isolates nothing is named. A permission of its own, which auto-allow never includes.
    IsolationOff,
}

/// Tells questions apart: a keyed digest of everything that was asked about, of which it shows nothing.
///
/// Equal for one question however often it is asked, and different as soon as the configuration, the policy in force, the risk, the
/// owner or what a call will do differs. Its key is random and the manager's, so it means nothing to another manager or after a restart.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct QuestionDigest([u8; 32]);

impl QuestionDigest {
    pub(crate) fn of(bytes: [u8; 32]) -> Self {
        QuestionDigest(bytes)
    }
}

impl fmt::Display for QuestionDigest {
    /// 64 hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for QuestionDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

/// What a handler decides on.
#[derive(Clone)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The request's id. Every time that something is asked it has a new one.
    pub id: ApprovalRequestId,
    /// What is asked. A handler whose answer comes later keeps it under this, so that it holds for that question and no other.
    pub digest: QuestionDigest,
    /// Who asks.
    pub source: ApprovalSource,
    /// What is at stake.
    pub risk: Risk,
    /// What sort of resource, or of action.
    pub kind: Kind,
    /// The name under which the resource is handed over, or that of the action.
    pub subject: ResourceKey,
    /// Why it is asked for, where the caller said so. It can hold anything, control characters included.
    pub reason: Option<String>,
    /// The requirement; for a call of an action, `action_call:` and its id.
    pub requirement_id: RequirementId,
    /// What the resource could do.
    pub policy: Arc<Policy>,
    /// How far the resource is shared.
    pub scope: Scope,
    /// For whom it is.
    pub owner: OwnerId,
    /// The action call that needs it.
    pub action_call_id: Option<ActionCallId>,
    /// How long a handler that asks a person waits for the answer (the setting `policy_approval.input_timeout_seconds`).
    pub input_timeout: Duration,
}

impl fmt::Debug for ApprovalRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The reason can hold anything, and `Debug` goes into logs.
        f.debug_struct("ApprovalRequest")
            .field("id", &self.id)
            .field("digest", &self.digest)
            .field("source", &self.source)
            .field("risk", &self.risk)
            .field("kind", &self.kind)
            .field("requirement_id", &self.requirement_id)
            .field("policy", &self.policy)
            .field("scope", &self.scope)
            .field("owner", &self.owner)
            .finish_non_exhaustive()
    }
}

/// A decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// Go ahead.
    Approved,
    /// Go ahead under the policy in force *and* this one. From a handler that the host registered as trusted to widen, this one stands
    /// in the place of the requirement's; the host's own policy is in force all the same.
    ApprovedUnder(Box<Policy>),
    /// Do not, for this reason.
    Denied {
        /// The reason, for people.
        reason: String,
    },
    /// Somebody decides later; the ensure ends with `approval_required`, and nothing is started.
    Pending,
}

/// Decides on requests for approval. A handler that panics or exceeds its deadline denies.
#[async_trait]
pub trait ApprovalHandler: Send + Sync + 'static {
    /// Decides.
    ///
    /// # Cancel safety
    ///
    /// The future is dropped when nobody waits for the decision any more.
    async fn decide(&self, request: &ApprovalRequest) -> Decision;
}

#[async_trait]
impl<H: ApprovalHandler + ?Sized> ApprovalHandler for Arc<H> {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        (**self).decide(request).await
    }
}
