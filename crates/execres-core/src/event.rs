//! What the manager tells of what it does.

mod bus;
mod occurrence;

pub(crate) use bus::EventBus;
pub use bus::{Delivery, Subscription};
pub use occurrence::{ApprovalGiver, Occurrence};

use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};

use crate::identity::{HandleId, Kind, OwnerId, ProviderId, RequirementId, ResourceKey};
use crate::scope::Scope;

/// One event. Its types hold ids, codes, counts and durations only: nothing of a configuration, an environment, a command or a
/// live object can be put into one.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Event {
    /// Counts the events of the manager that were told, from 1 and without gaps. What happens while nobody is subscribed is not
    /// told, and not counted.
    pub sequence: u64,
    /// When it happened; in JSON as milliseconds since 1970.
    #[serde(serialize_with = "milliseconds")]
    pub at: SystemTime,
    /// What it is about.
    #[serde(flatten)]
    pub subject: Subject,
    /// What happened.
    #[serde(flatten)]
    pub occurrence: Occurrence,
}

/// What an event is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Subject {
    /// The requirement.
    pub requirement_id: RequirementId,
    /// The handle, once there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle_id: Option<HandleId>,
    /// What sort of resource.
    pub kind: Kind,
    /// How far it is shared.
    pub scope: Scope,
    /// For whom it is.
    pub owner: OwnerId,
    /// Under which name it is handed over.
    pub resource_key: ResourceKey,
    /// The provider, once one is chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider_id: Option<ProviderId>,
}

fn milliseconds<S: Serializer>(at: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    // A clock before 1970 shows as 0; an event is not the place to fail over it.
    let since = at.duration_since(UNIX_EPOCH).unwrap_or_default();
    serializer.serialize_u64(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
