//! The handlers of a manager, by name.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;

use super::input::{Input, Patience};
use super::{ApprovalHandler, ApprovalRequest, Decision};
use crate::identity::HandlerName;
use crate::settings::{Settings, SettingsError};

/// The names of the built-in handlers. Nothing replaces them.
pub(crate) const FAIL_CLOSED: &str = "fail_closed";
pub(crate) const INPUT_TIMEOUT_FAIL: &str = "input_timeout_fail";
const AUTO_APPROVE: &str = "auto_approve";
const INPUT: &str = "input";

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

/// What the policy of an approval can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HandlerTrust {
    /// Narrow the one in force.
    ToNarrow,
    /// Stand in the place of the requirement's.
    ToWiden,
}

#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) handler: Arc<dyn ApprovalHandler>,
    pub(crate) trust: HandlerTrust,
}

pub(crate) struct HandlerTable(Mutex<BTreeMap<HandlerName, Entry>>);

impl HandlerTable {
    pub(crate) fn new() -> Self {
        let built_in: [(&'static str, Arc<dyn ApprovalHandler>); 4] = [
            (FAIL_CLOSED, Arc::new(FailClosed)),
            (AUTO_APPROVE, Arc::new(AutoApprove)),
            (INPUT, Arc::new(Input::at_the_terminal(Patience::Unlimited))),
            (INPUT_TIMEOUT_FAIL, Arc::new(Input::at_the_terminal(Patience::Limited))),
        ];
        let entry =
            |(name, handler)| (HandlerName::from_static(name), Entry { handler, trust: HandlerTrust::ToNarrow });
        HandlerTable(Mutex::new(built_in.into_iter().map(entry).collect()))
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<HandlerName, Entry>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn get(&self, name: &HandlerName) -> Option<Entry> {
        self.lock().get(name).cloned()
    }

    fn add(&self, name: HandlerName, entry: Entry) -> Result<(), ApprovalSettingsError> {
        let mut handlers = self.lock();
        if handlers.contains_key(&name) {
            return Err(ApprovalSettingsError::NameTaken { name });
        }
        handlers.insert(name, entry);
        Ok(())
    }
}

/// The handlers, and which of them decides. Nothing that a requirement says reaches them.
///
/// | built in | what it does |
/// |---|---|
/// | `input_timeout_fail` | the default: asks at the terminal and denies when no answer comes in time, or at once where nobody could answer |
/// | `input` | the same with no time limit but the deadline of approval handlers |
/// | `fail_closed` | leaves every request pending, so that the ensure ends with `approval_required` |
/// | `auto_approve` | approves every request |
pub struct ApprovalSettings<'a>(pub(crate) &'a Settings);

impl ApprovalSettings<'_> {
    /// Adds a handler under a name. Where it approves under a policy of its own, that can only narrow the one in force.
    ///
    /// # Errors
    ///
    /// When the name is taken, the built-in handlers' included; or when this is a layer below the host's.
    pub fn register_handler(
        &self,
        name: HandlerName,
        handler: impl ApprovalHandler,
    ) -> Result<(), ApprovalSettingsError> {
        self.register(name, Arc::new(handler), HandlerTrust::ToNarrow)
    }

    /// Adds a handler that is trusted to widen: a policy under which it approves stands in the place of the requirement's. The host's own
    /// policy is in force all the same.
    ///
    /// # Errors
    ///
    /// As [`ApprovalSettings::register_handler`].
    pub fn register_handler_trusted_to_widen(
        &self,
        name: HandlerName,
        handler: impl ApprovalHandler,
    ) -> Result<(), ApprovalSettingsError> {
        self.register(name, Arc::new(handler), HandlerTrust::ToWiden)
    }

    fn register(
        &self,
        name: HandlerName,
        handler: Arc<dyn ApprovalHandler>,
        trust: HandlerTrust,
    ) -> Result<(), ApprovalSettingsError> {
        if !self.0.is_host() {
            return Err(ApprovalSettingsError::BelowTheHost);
        }
        self.0.handlers().add(name, Entry { handler, trust })
    }

    /// Sets which handler decides (the setting `policy_approval.handler`).
    ///
    /// # Errors
    ///
    /// As [`Settings::set_approval_handler`].
    pub fn set_default_handler(&self, name: &HandlerName) -> Result<(), SettingsError> {
        self.0.set_approval_handler(name)
    }

    /// The names of all handlers.
    pub fn handlers(&self) -> Vec<HandlerName> {
        self.0.handlers().lock().keys().cloned().collect()
    }
}

/// Why a handler was not registered.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApprovalSettingsError {
    /// The name is taken.
    #[error("an approval handler named {name} is there already: choose another name")]
    NameTaken {
        /// The name.
        name: HandlerName,
    },
    /// Somebody below the host tried to add a handler.
    #[error("only the host registers approval handlers: this is a layer below its settings")]
    BelowTheHost,
}
