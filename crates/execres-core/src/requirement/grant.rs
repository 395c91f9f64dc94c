//! The workspace access grant that a requirement carries.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use crate::identity::GrantId;

/// A workspace access grant: its id, which tells resources apart, and the live grant, whose type the core does not know.
#[derive(Clone)]
pub struct Grant {
    id: GrantId,
    live: Arc<dyn Any + Send + Sync>,
}

impl Grant {
    pub(super) fn new<T: Any + Send + Sync>(id: GrantId, live: Arc<T>) -> Self {
        Grant { id, live }
    }

    /// The id.
    pub const fn id(&self) -> &GrantId {
        &self.id
    }

    /// The live grant, if it is of this type.
    pub fn live<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.live).downcast().ok()
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Grant").field("id", &self.id).finish_non_exhaustive()
    }
}
