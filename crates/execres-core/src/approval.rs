//! Approval: the host's decision on a policy gate.

mod handlers;

pub(crate) use handlers::HandlerTable;
pub use handlers::{ApprovalSettings, ApprovalSettingsError};

use std::sync::Arc;

use async_trait::async_trait;

use crate::identity::{ActionCallId, ApprovalRequestId, Kind, OwnerId, RequirementId, ResourceKey};
use crate::policy::Policy;
use crate::scope::Scope;

/// The host's setting `access_control_policy.auto_allow`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AutoAllow {
    /// Ask the handler where approval is needed.
    #[default]
    Off,
    /// Approve without asking. Nothing else is loosened: policy, provider, sandbox and limits stay as they are, and
    /// [`ApprovalMode::Never`](crate::ApprovalMode::Never) still denies.
    On,
}

/// What a handler decides on.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct ApprovalRequest {
    /// The request's id, for a decision that comes later.
    pub id: ApprovalRequestId,
    /// What sort of resource.
    pub kind: Kind,
    /// The name under which the resource is handed over.
    pub subject: ResourceKey,
    /// The requirement.
    pub requirement_id: RequirementId,
    /// What the resource could do.
    pub policy: Arc<Policy>,
    /// How far the resource is shared.
    pub scope: Scope,
    /// For whom it is.
    pub owner: OwnerId,
    /// The action call that needs it.
    pub action_call_id: Option<ActionCallId>,
}

/// A decision.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Decision {
    /// Go ahead.
    Approved,
    /// Go ahead under the policy in force *and* this one: an approval can only narrow.
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
