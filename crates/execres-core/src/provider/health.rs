//! The answer of a health check.

use crate::error_code::ErrorCode;

/// Whether a resource works.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Health {
    /// It works.
    Healthy,
    /// It does not; the manager releases it and makes a fresh one.
    Unhealthy {
        /// A stable code.
        code: ErrorCode,
        /// What is wrong, for people.
        reason: String,
    },
}

impl Health {
    /// It does not work, for this reason.
    pub fn unhealthy(code: ErrorCode, reason: impl Into<String>) -> Self {
        Health::Unhealthy { code, reason: reason.into() }
    }
}
