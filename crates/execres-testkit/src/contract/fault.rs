//! What a check found.

use std::fmt;

/// What a provider does otherwise than the contract says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault(String);

impl Fault {
    /// A fault in words.
    pub fn new(what: impl Into<String>) -> Self {
        Fault(what.into())
    }

    /// The fault, in this circumstance.
    #[must_use]
    pub(super) fn when(self, circumstance: &str) -> Self {
        Fault(format!("{circumstance}: {}", self.0))
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Fault {}

impl From<crate::CanaryFound> for Fault {
    fn from(found: crate::CanaryFound) -> Self {
        Fault(found.to_string())
    }
}

/// A fault, unless this holds.
pub(super) fn holds(condition: bool, what: impl FnOnce() -> String) -> Result<(), Fault> {
    if condition { Ok(()) } else { Err(Fault(what())) }
}

/// A failure of a call as a fault.
pub(super) fn failed<E: fmt::Display>(call: &str) -> impl Fn(E) -> Fault {
    move |error| Fault(format!("{call} failed: {error}"))
}
