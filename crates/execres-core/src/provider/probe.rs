//! The answer of a probe.

use crate::axis::AxisSet;
use crate::capabilities::Capabilities;
use crate::error_code::ErrorCode;
use crate::evidence::IsolationReport;

/// Whether a resource could be made now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Availability {
    /// It could.
    Available,
    /// It could not.
    Unavailable {
        /// A stable code.
        code: ErrorCode,
        /// What is missing.
        reason: String,
        /// How to get it.
        suggestion: Option<String>,
    },
}

/// What a provider found when it was asked whether it could make a resource.
#[derive(Debug, Clone)]
pub struct Probe {
    availability: Availability,
    capabilities: Capabilities,
    isolation: Option<IsolationReport>,
}

impl Probe {
    /// A resource could be made, with these capabilities.
    pub fn available(capabilities: Capabilities) -> Self {
        Probe { availability: Availability::Available, capabilities, isolation: None }
    }

    /// No resource could be made. Say what is missing and how to get it.
    pub fn unavailable(code: ErrorCode, reason: impl Into<String>, suggestion: Option<String>) -> Self {
        Probe {
            availability: Availability::Unavailable { code, reason: reason.into(), suggestion },
            capabilities: Capabilities::new(),
            isolation: None,
        }
    }

    /// Adds the evidence of the isolation that the resource would have.
    #[must_use]
    pub fn with_isolation(mut self, report: IsolationReport) -> Self {
        self.isolation = Some(report);
        self
    }

    /// Whether a resource could be made.
    pub const fn availability(&self) -> &Availability {
        &self.availability
    }

    /// What it would offer.
    pub const fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    /// The evidence of its isolation.
    pub const fn isolation(&self) -> Option<&IsolationReport> {
        self.isolation.as_ref()
    }

    /// The axes that the evidence proves; without evidence, none.
    pub fn axes(&self) -> AxisSet {
        self.isolation.as_ref().map_or(AxisSet::EMPTY, IsolationReport::axes)
    }
}
