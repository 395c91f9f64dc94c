//! What probing found, and who was selected.

use std::fmt;
use std::time::Duration;

use serde::Serialize;

use crate::capabilities::Unmet;
use crate::error_code::ErrorCode;
use crate::evidence::IsolationReport;
use crate::identity::ProviderId;

/// What became of one candidate's probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
#[non_exhaustive]
pub enum ProbeVerdict {
    /// It satisfies everything that is required.
    Suitable {
        /// What is preferred and not there; empty for a full match.
        preferred_unmet: Vec<Unmet>,
    },
    /// It is available and lacks something that is required.
    Unsuitable {
        /// What is required and not there.
        unmet: Vec<Unmet>,
    },
    /// It is not available.
    Unavailable {
        /// A stable code, where there is one.
        code: Option<ErrorCode>,
        /// What is missing.
        reason: String,
        /// What to do.
        suggestion: Option<String>,
    },
    /// Its answer was not waited for, because one before it is a full match.
    NotWaitedFor,
}

/// One candidate's probe.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProbeRecord {
    /// The candidate's position in the order of preference, from 0.
    pub candidate: usize,
    /// The provider.
    pub provider_id: ProviderId,
    /// What was found.
    pub verdict: ProbeVerdict,
    /// The evidence of the isolation, where the provider gave some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub isolation: Option<Box<IsolationReport>>,
    /// How long the probe took.
    #[serde(skip)]
    pub took: Duration,
}

impl ProbeRecord {
    /// Whether the candidate would do.
    pub const fn is_suitable(&self) -> bool {
        matches!(self.verdict, ProbeVerdict::Suitable { .. })
    }

    /// Whether the candidate is a full match, with everything that is preferred.
    pub fn is_full_match(&self) -> bool {
        matches!(&self.verdict, ProbeVerdict::Suitable { preferred_unmet } if preferred_unmet.is_empty())
    }
}

impl fmt::Display for ProbeRecord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.provider_id)?;
        let list = |f: &mut fmt::Formatter<'_>, unmet: &[Unmet]| {
            unmet.iter().enumerate().try_for_each(|(position, one)| {
                if position > 0 {
                    f.write_str("; ")?;
                }
                write!(f, "{one}")
            })
        };
        match &self.verdict {
            ProbeVerdict::Suitable { preferred_unmet } if preferred_unmet.is_empty() => f.write_str("suitable"),
            ProbeVerdict::Suitable { preferred_unmet } => {
                f.write_str("suitable, though ")?;
                list(f, preferred_unmet)
            }
            ProbeVerdict::NotWaitedFor => f.write_str("not waited for"),
            ProbeVerdict::Unsuitable { unmet } => list(f, unmet),
            ProbeVerdict::Unavailable { reason, suggestion, .. } => {
                f.write_str(reason)?;
                suggestion.iter().try_for_each(|suggestion| write!(f, " ({suggestion})"))
            }
        }
    }
}

/// Who was selected, out of what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Selection {
    /// The selected candidate's position in the order of preference, from 0.
    pub candidate: usize,
    /// The selected provider.
    pub provider_id: ProviderId,
    /// What is preferred and the selected one lacks. Empty unless it is a fallback.
    pub preferred_unmet: Vec<Unmet>,
    /// Every candidate's probe, in the order of preference.
    pub probes: Vec<ProbeRecord>,
    /// Candidates that were selected before and could not make the resource.
    pub failures: Vec<super::CandidateFailure>,
}

impl Selection {
    /// Whether the selected one lacks something that is preferred.
    pub fn is_fallback(&self) -> bool {
        !self.preferred_unmet.is_empty()
    }
}
