//! Looking at what the manager holds: snapshots, never references into it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::managed::Managed;
use super::status::Status;
use crate::error_code::ErrorCode;
use crate::identity::{ActionCallId, HandleId, Kind, OwnerId, ProviderId, RequirementId, ResourceKey};
use crate::scope::Scope;

/// A handle as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HandleSnapshot {
    /// The handle.
    pub id: HandleId,
    /// Counts the resources that the manager made.
    pub generation: u64,
    /// The requirement that it was made for.
    pub requirement_id: RequirementId,
    /// What sort of resource.
    pub kind: Kind,
    /// How far it is shared.
    pub scope: Scope,
    /// For whom it is.
    pub owner: OwnerId,
    /// Under which name it is handed over.
    pub resource_key: ResourceKey,
    /// The action call that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action_call_id: Option<ActionCallId>,
    /// Who made it.
    pub provider_id: ProviderId,
    /// Whether its provider lacks something that is preferred.
    pub fallback: bool,
    /// Where it is in its life.
    pub status: Status,
    /// How many leases there are.
    pub leases: usize,
    /// Why its release failed, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release_error: Option<ErrorCode>,
    /// When it was made.
    #[serde(skip)]
    pub made_at: SystemTime,
}

impl HandleSnapshot {
    pub(super) fn of(managed: &Managed) -> Self {
        let requirement = &managed.order.requirement;
        HandleSnapshot {
            id: managed.id().clone(),
            generation: managed.generation,
            requirement_id: requirement.id().clone(),
            kind: requirement.kind().clone(),
            scope: requirement.scope(),
            owner: managed.order.owner.clone(),
            resource_key: requirement.resource_key().clone(),
            action_call_id: requirement.action_call_id().cloned(),
            provider_id: managed.selection.provider_id.clone(),
            fallback: managed.selection.is_fallback(),
            status: managed.status(),
            leases: managed.leases(),
            release_error: managed.quarantine().map(|error| error.code()),
            made_at: UNIX_EPOCH + Duration::from_nanos(managed.made_at),
        }
    }
}

/// Which handles to list: those that have everything that is set.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[must_use]
pub struct Filter {
    scope: Option<Scope>,
    owner: Option<OwnerId>,
    status: Option<Status>,
    kind: Option<Kind>,
}

impl Filter {
    /// All handles.
    pub fn all() -> Self {
        Filter::default()
    }

    /// Those of a scope.
    pub fn scope(mut self, scope: Scope) -> Self {
        self.scope = Some(scope);
        self
    }

    /// Those of an owner.
    pub fn owner(mut self, owner: OwnerId) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Those in a state.
    pub fn status(mut self, status: Status) -> Self {
        self.status = Some(status);
        self
    }

    /// Those of a kind.
    pub fn kind(mut self, kind: Kind) -> Self {
        self.kind = Some(kind);
        self
    }

    pub(super) fn accepts(&self, snapshot: &HandleSnapshot) -> bool {
        self.scope.is_none_or(|scope| scope == snapshot.scope)
            && self.owner.as_ref().is_none_or(|owner| *owner == snapshot.owner)
            && self.status.is_none_or(|status| status == snapshot.status)
            && self.kind.as_ref().is_none_or(|kind| *kind == snapshot.kind)
    }
}
