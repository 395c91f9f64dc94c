//! The answer of a probe.

use std::sync::LazyLock;

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
///
/// The manager keeps one with each resource, so what is mostly empty takes no room there.
#[derive(Debug, Clone)]
pub struct Probe {
    /// `None` when a resource could be made.
    unavailable: Option<Box<Availability>>,
    /// `None` when there is no capability.
    capabilities: Option<Box<Capabilities>>,
    isolation: Option<Box<IsolationReport>>,
}

impl Probe {
    /// A resource could be made, with these capabilities.
    pub fn available(capabilities: Capabilities) -> Self {
        let capabilities = (capabilities != *nothing()).then(|| Box::new(capabilities));
        Probe { unavailable: None, capabilities, isolation: None }
    }

    /// No resource could be made. Say what is missing and how to get it.
    pub fn unavailable(code: ErrorCode, reason: impl Into<String>, suggestion: Option<String>) -> Self {
        let unavailable = Availability::Unavailable { code, reason: reason.into(), suggestion };
        Probe { unavailable: Some(Box::new(unavailable)), capabilities: None, isolation: None }
    }

    /// Adds the evidence of the isolation that the resource would have.
    #[must_use]
    pub fn with_isolation(mut self, report: IsolationReport) -> Self {
        self.isolation = Some(Box::new(report));
        self
    }

    /// Whether a resource could be made.
    pub fn availability(&self) -> &Availability {
        self.unavailable.as_deref().unwrap_or(&Availability::Available)
    }

    /// What it would offer.
    pub fn capabilities(&self) -> &Capabilities {
        self.capabilities.as_deref().unwrap_or_else(|| nothing())
    }

    /// The evidence of its isolation.
    pub fn isolation(&self) -> Option<&IsolationReport> {
        self.isolation.as_deref()
    }

    /// The axes that the evidence proves; without evidence, none.
    pub fn axes(&self) -> AxisSet {
        self.isolation.as_ref().map_or(AxisSet::EMPTY, |report| report.axes())
    }
}

/// No capability.
fn nothing() -> &'static Capabilities {
    static NOTHING: LazyLock<Capabilities> = LazyLock::new(Capabilities::new);
    &NOTHING
}
