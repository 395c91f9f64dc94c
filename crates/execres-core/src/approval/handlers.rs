//! The handlers of a manager, by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::{ApprovalHandler, ApprovalRequest, Decision};
use crate::identity::HandlerName;

struct FailClosed;

#[async_trait]
impl ApprovalHandler for FailClosed {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        Decision::Pending
    }
}

struct AutoApprove;

#[async_trait]
impl ApprovalHandler for AutoApprove {
    async fn decide(&self, _request: &ApprovalRequest) -> Decision {
        Decision::Approved
    }
}

pub(crate) struct HandlerTable(Mutex<Handlers>);

struct Handlers {
    by_name: BTreeMap<HandlerName, Arc<dyn ApprovalHandler>>,
    default: HandlerName,
}

impl HandlerTable {
    pub(crate) fn new() -> Self {
        let [fail_closed, auto_approve] = ["fail_closed", "auto_approve"].map(HandlerName::from_static);
        let by_name = BTreeMap::from([
            (fail_closed.clone(), Arc::new(FailClosed) as Arc<dyn ApprovalHandler>),
            (auto_approve, Arc::new(AutoApprove)),
        ]);
        HandlerTable(Mutex::new(Handlers { by_name, default: fail_closed }))
    }

    fn lock(&self) -> MutexGuard<'_, Handlers> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn default_handler(&self) -> (HandlerName, Arc<dyn ApprovalHandler>) {
        let handlers = self.lock();
        // The default is always one of the table: it is checked when it is set, and nothing is taken out of the table.
        let handler = handlers.by_name.get(&handlers.default).cloned().unwrap_or_else(|| Arc::new(FailClosed));
        (handlers.default.clone(), handler)
    }
}

/// The host's settings of approval. Nothing that a requirement says reaches them.
///
/// Built in are `fail_closed`, the default, which leaves every request pending, so that an ensure that needs approval ends with
/// `approval_required`, and `auto_approve`, which approves every request.
pub struct ApprovalSettings<'a>(pub(crate) &'a HandlerTable);

impl ApprovalSettings<'_> {
    /// Adds a handler under a name.
    ///
    /// # Errors
    ///
    /// When the name is taken; the built-in handlers cannot be replaced.
    pub fn register_handler(
        &self,
        name: HandlerName,
        handler: impl ApprovalHandler,
    ) -> Result<(), ApprovalSettingsError> {
        let mut handlers = self.0.lock();
        if handlers.by_name.contains_key(&name) {
            return Err(ApprovalSettingsError::NameTaken { name });
        }
        handlers.by_name.insert(name, Arc::new(handler));
        Ok(())
    }

    /// Sets which handler decides (the setting `policy_approval.handler`).
    ///
    /// # Errors
    ///
    /// When no handler has the name.
    pub fn set_default_handler(&self, name: &HandlerName) -> Result<(), ApprovalSettingsError> {
        let mut handlers = self.0.lock();
        if !handlers.by_name.contains_key(name) {
            return Err(ApprovalSettingsError::NoSuchHandler { name: name.clone() });
        }
        handlers.default = name.clone();
        Ok(())
    }

    /// The names of all handlers.
    pub fn handlers(&self) -> Vec<HandlerName> {
        self.0.lock().by_name.keys().cloned().collect()
    }
}

/// Why a setting of approval was not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalSettingsError {
    /// The name is taken.
    #[error("an approval handler named {name} is there already: choose another name")]
    NameTaken {
        /// The name.
        name: HandlerName,
    },
    /// No handler has the name.
    #[error("no approval handler is named {name}: register it first")]
    NoSuchHandler {
        /// The name.
        name: HandlerName,
    },
}
