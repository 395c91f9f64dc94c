//! What can happen.

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::error_code::ErrorCode;
use crate::identity::{ApprovalRequestId, HandlerName};
use crate::manager::Status;
use crate::provider::Progress;

/// What happened. In JSON the field `event` holds the name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "event")]
#[non_exhaustive]
pub enum Occurrence {
    /// A requirement was declared; nothing was started.
    #[serde(rename = "execution_resource.declared")]
    Declared,
    /// Approval is needed before anything is probed or started.
    #[serde(rename = "execution_resource.approval_required")]
    ApprovalRequired {
        /// The request that somebody decides.
        request_id: ApprovalRequestId,
    },
    /// Providers are about to be probed for a new resource.
    #[serde(rename = "execution_resource.ensuring")]
    Ensuring,
    /// A provider was selected.
    #[serde(rename = "execution_resource.probed")]
    Probed {
        /// How many candidates were probed.
        candidates: usize,
        /// How many of them would do.
        suitable: usize,
        /// Whether the selected one lacks something that is preferred.
        fallback: bool,
    },
    /// A provider's call goes on.
    #[serde(rename = "execution_resource.progress")]
    Progress {
        /// How far it is.
        #[serde(flatten)]
        progress: Progress,
    },
    /// The resource is there.
    #[serde(rename = "execution_resource.ready")]
    Ready {
        /// Since [`Occurrence::Ensuring`], in seconds.
        #[serde(serialize_with = "seconds")]
        took: Duration,
    },
    /// One more caller has a lease in a resource that was there already.
    #[serde(rename = "execution_resource.reused")]
    Reused {
        /// How many leases there are with this one.
        leases: usize,
    },
    /// A resource failed its health check.
    #[serde(rename = "execution_resource.unhealthy")]
    Unhealthy {
        /// Why.
        code: ErrorCode,
    },
    /// The resource is about to be released.
    #[serde(rename = "execution_resource.releasing")]
    Releasing,
    /// The resource is gone.
    #[serde(rename = "execution_resource.released")]
    Released {
        /// Since [`Occurrence::Releasing`], in seconds.
        #[serde(serialize_with = "seconds")]
        took: Duration,
    },
    /// An ensure came to nothing, or a release failed and the resource is quarantined.
    #[serde(rename = "execution_resource.failed")]
    Failed {
        /// Why.
        code: ErrorCode,
    },
    /// Somebody let go of a quarantined resource without releasing it.
    #[serde(rename = "execution_resource.abandoned")]
    Abandoned,
    /// A handler is asked for approval.
    #[serde(rename = "policy.approval.requested")]
    ApprovalAsked {
        /// The request.
        request_id: ApprovalRequestId,
        /// Who is asked.
        handler: HandlerName,
    },
    /// Approval was given.
    #[serde(rename = "policy.approval.approved")]
    Approved {
        /// The request.
        request_id: ApprovalRequestId,
        /// Who gave it.
        by: ApprovalGiver,
    },
    /// Approval was denied.
    #[serde(rename = "policy.approval.denied")]
    Denied {
        /// The request, where there was one.
        #[serde(skip_serializing_if = "Option::is_none")]
        request_id: Option<ApprovalRequestId>,
    },
    /// The decision is still to come.
    #[serde(rename = "policy.approval.pending")]
    Pending {
        /// The request.
        request_id: ApprovalRequestId,
    },
}

/// Who approved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalGiver {
    /// The host's setting `access_control_policy.auto_allow`.
    AutoAllow,
    /// A handler.
    Handler(HandlerName),
}

impl Occurrence {
    /// The stable name, as in JSON and in `tracing`.
    pub const fn name(&self) -> &'static str {
        match self {
            Occurrence::Declared => "execution_resource.declared",
            Occurrence::ApprovalRequired { .. } => "execution_resource.approval_required",
            Occurrence::Ensuring => "execution_resource.ensuring",
            Occurrence::Probed { .. } => "execution_resource.probed",
            Occurrence::Progress { .. } => "execution_resource.progress",
            Occurrence::Ready { .. } => "execution_resource.ready",
            Occurrence::Reused { .. } => "execution_resource.reused",
            Occurrence::Unhealthy { .. } => "execution_resource.unhealthy",
            Occurrence::Releasing => "execution_resource.releasing",
            Occurrence::Released { .. } => "execution_resource.released",
            Occurrence::Failed { .. } => "execution_resource.failed",
            Occurrence::Abandoned => "execution_resource.abandoned",
            Occurrence::ApprovalAsked { .. } => "policy.approval.requested",
            Occurrence::Approved { .. } => "policy.approval.approved",
            Occurrence::Denied { .. } => "policy.approval.denied",
            Occurrence::Pending { .. } => "policy.approval.pending",
        }
    }

    /// The status that follows from it, where one does.
    pub const fn status(&self) -> Option<Status> {
        match self {
            Occurrence::Declared => Some(Status::Declared),
            Occurrence::ApprovalRequired { .. } | Occurrence::ApprovalAsked { .. } | Occurrence::Pending { .. } => {
                Some(Status::PendingApproval)
            }
            Occurrence::Ensuring | Occurrence::Probed { .. } => Some(Status::Ensuring),
            Occurrence::Ready { .. } | Occurrence::Reused { .. } => Some(Status::Ready),
            Occurrence::Unhealthy { .. } => Some(Status::Unhealthy),
            Occurrence::Releasing => Some(Status::Releasing),
            Occurrence::Released { .. } => Some(Status::Released),
            Occurrence::Failed { .. } | Occurrence::Abandoned | Occurrence::Denied { .. } => Some(Status::Failed),
            Occurrence::Progress { .. } | Occurrence::Approved { .. } => None,
        }
    }

    /// The error code that it carries, if any.
    pub const fn code(&self) -> Option<ErrorCode> {
        match self {
            Occurrence::Unhealthy { code } | Occurrence::Failed { code } => Some(*code),
            Occurrence::Denied { .. } => Some(ErrorCode::APPROVAL_DENIED),
            _ => None,
        }
    }
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_in_json() {
        let id = ApprovalRequestId::generate;
        let handler = || HandlerName::new("ask").unwrap();
        let all = [
            Occurrence::Declared,
            Occurrence::ApprovalRequired { request_id: id() },
            Occurrence::Ensuring,
            Occurrence::Probed { candidates: 2, suitable: 1, fallback: true },
            Occurrence::Progress { progress: Progress { stage: "pulling", done: 1, total: None } },
            Occurrence::Ready { took: Duration::ZERO },
            Occurrence::Reused { leases: 2 },
            Occurrence::Unhealthy { code: ErrorCode::ENSURE_FAILED },
            Occurrence::Releasing,
            Occurrence::Released { took: Duration::ZERO },
            Occurrence::Failed { code: ErrorCode::ENSURE_FAILED },
            Occurrence::Abandoned,
            Occurrence::ApprovalAsked { request_id: id(), handler: handler() },
            Occurrence::Approved { request_id: id(), by: ApprovalGiver::Handler(handler()) },
            Occurrence::Denied { request_id: None },
            Occurrence::Pending { request_id: id() },
        ];
        for occurrence in all {
            assert_eq!(serde_json::to_value(&occurrence).unwrap()["event"], occurrence.name());
        }
    }
}
