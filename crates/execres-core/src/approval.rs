//! Approval: the host's decision on a policy gate.

mod call;
mod handlers;
mod input;
mod prompt;
mod request;
mod terminal;
#[cfg(test)]
#[cfg(all(unix, not(feature = "shuttle")))]
mod tests;

pub(crate) use call::Covered;
pub use call::{ActionCall, CallApproval, CallDigest};
pub use handlers::{ApprovalSettings, ApprovalSettingsError};
pub(crate) use handlers::{FAIL_CLOSED, HandlerTable, HandlerTrust, INPUT_TIMEOUT_FAIL};
pub use request::{ApprovalHandler, ApprovalRequest, ApprovalSource, AutoAllow, Decision, QuestionDigest, Risk};
