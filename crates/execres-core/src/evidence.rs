//! Evidence: what was tried against an isolation, what the host saw, and the axes that follow from it.
//!
//! An axis is never set; it is derived from attempts. See `docs/isolation.md` for how attempts are made.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer, Serialize};

use crate::axis::{Axis, AxisSet};
use crate::network::NetworkMode;

/// What became of one forbidden thing that a probe tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "verdict")]
#[non_exhaustive]
pub enum Verdict {
    /// The host saw that the attempt had no effect, and a control shows that it would have been seen.
    Verified,
    /// The host's kernel refuses the same attempt outside the isolation too, for the reason given.
    HostDeniesToo {
        /// What the kernel answers outside, for example `ENOSYS`.
        errno: Cow<'static, str>,
        /// The setting that is responsible, if one is known.
        setting: Option<Cow<'static, str>>,
    },
    /// The attempt succeeded: the isolation does not hold.
    NotEnforced,
    /// Nothing can be concluded, for the reason given. Never counts as proof.
    Inconclusive {
        /// Why the attempt proves nothing.
        why: String,
    },
}

impl Verdict {
    /// Whether this verdict lets an axis hold.
    pub const fn proves(&self) -> bool {
        matches!(self, Verdict::Verified | Verdict::HostDeniesToo { .. })
    }
}

/// One forbidden thing that was tried in the very profile that will be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// Stable name of the attempt, for example `signal_host_process`.
    pub name: Cow<'static, str>,
    /// The verdict.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// What was observed, and by whom, in words.
    pub observed: String,
}

impl Attempt {
    /// An attempt with its verdict and what was observed.
    pub fn new(name: &'static str, verdict: Verdict, observed: impl Into<String>) -> Self {
        Attempt { name: Cow::Borrowed(name), verdict, observed: observed.into() }
    }
}

/// Everything that was tried against one axis.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AxisEvidence {
    /// The axis.
    pub axis: Axis,
    /// The attempts, in the order in which they were made.
    pub attempts: Vec<Attempt>,
}

impl AxisEvidence {
    /// Whether the axis holds: something was tried, every attempt proves it, and at least one was verified.
    ///
    /// One leak beats any number of proofs, and so does one attempt that proves nothing.
    pub fn holds(&self) -> bool {
        self.attempts.iter().all(|attempt| attempt.verdict.proves())
            && self.attempts.iter().any(|attempt| attempt.verdict == Verdict::Verified)
    }

    /// The attempts that keep the axis from holding.
    pub fn failures(&self) -> impl Iterator<Item = &Attempt> {
        self.attempts.iter().filter(|attempt| !attempt.verdict.proves())
    }
}

/// What enforces a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Enforcement {
    /// The kernel stops the run at the limit.
    Enforced,
    /// We look from time to time and end the run; short bursts can pass.
    Polled,
    /// Nothing enforces it on this host.
    None,
}

/// One limit with what enforces it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitReport {
    /// The limit's name, for example `memory`.
    pub limit: Cow<'static, str>,
    /// What enforces it.
    pub enforcement: Enforcement,
    /// By which mechanism, for example `cgroup v1 memory`.
    pub mechanism: Cow<'static, str>,
}

/// One layer of the isolation: its name, and its version or state on this host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mechanism {
    /// For example `landlock`.
    pub name: Cow<'static, str>,
    /// For example `ABI 7`.
    pub state: String,
}

/// The evidence of one isolation: what `execres probe` prints and what a result carries.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct IsolationReport {
    /// Identifies the probe run that the evidence comes from.
    pub evidence_id: String,
    /// The axes that hold. Derived from `evidence`.
    axes: AxisSet,
    /// Per axis, everything that was tried.
    pub evidence: Vec<AxisEvidence>,
    /// Facts that do not decide an axis but qualify it (reading and writing of the file system are reported apart, for one).
    pub facts: Vec<Attempt>,
    /// The network that the run has.
    pub network: NetworkMode,
    /// Each limit with what enforces it.
    pub limits: Vec<LimitReport>,
    /// The layers in force.
    pub mechanisms: Vec<Mechanism>,
}

impl IsolationReport {
    /// The report with every text of it rewritten. What is proven stays as it is.
    pub(crate) fn with_texts(mut self, rewrite: impl Fn(&str) -> String) -> Self {
        self.evidence_id = rewrite(&self.evidence_id);
        let attempts = self.evidence.iter_mut().flat_map(|axis| &mut axis.attempts).chain(&mut self.facts);
        for attempt in attempts {
            attempt.observed = rewrite(&attempt.observed);
            if let Verdict::Inconclusive { why } = &mut attempt.verdict {
                *why = rewrite(why);
            }
        }
        for mechanism in &mut self.mechanisms {
            mechanism.state = rewrite(&mechanism.state);
        }
        self
    }

    /// A report whose axes follow from `evidence`.
    pub fn new(evidence_id: impl Into<String>, network: NetworkMode, evidence: Vec<AxisEvidence>) -> Self {
        let axes = evidence.iter().filter(|one| one.holds()).map(|one| one.axis).collect();
        IsolationReport {
            evidence_id: evidence_id.into(),
            axes,
            evidence,
            facts: Vec::new(),
            network,
            limits: Vec::new(),
            mechanisms: Vec::new(),
        }
    }

    /// The report of something that isolates nothing.
    pub fn none(network: NetworkMode) -> Self {
        IsolationReport::new("none", network, Vec::new())
    }

    /// The axes that hold.
    pub const fn axes(&self) -> AxisSet {
        self.axes
    }
}

impl<'de> Deserialize<'de> for IsolationReport {
    /// The axes follow from the evidence here too: what a text says about them is not looked at.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Fields {
            evidence_id: String,
            evidence: Vec<AxisEvidence>,
            facts: Vec<Attempt>,
            network: NetworkMode,
            limits: Vec<LimitReport>,
            mechanisms: Vec<Mechanism>,
        }

        let Fields { evidence_id, evidence, facts, network, limits, mechanisms } = Fields::deserialize(deserializer)?;
        let derived = IsolationReport::new(evidence_id, network, evidence);
        Ok(IsolationReport { facts, limits, mechanisms, ..derived })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(verdicts: &[Verdict]) -> AxisEvidence {
        let attempts = verdicts.iter().map(|verdict| Attempt::new("try", verdict.clone(), "seen")).collect();
        AxisEvidence { axis: Axis::ProcessContained, attempts }
    }

    #[test]
    fn axes_cannot_be_forged_in_a_text() {
        let report = IsolationReport::new("e", NetworkMode::None, vec![evidence(&[Verdict::Verified])]);
        let mut json = serde_json::to_value(&report).unwrap();
        assert_eq!(serde_json::from_value::<IsolationReport>(json.clone()).unwrap(), report);
        json["evidence"] = serde_json::json!([]);
        assert_eq!(json["axes"], serde_json::json!(["process_contained"]), "the control: the text claims an axis");
        assert!(serde_json::from_value::<IsolationReport>(json).unwrap().axes().is_empty());
    }

    #[test]
    fn nothing_tried_proves_nothing() {
        assert!(!evidence(&[]).holds());
    }

    #[test]
    fn a_leak_beats_any_proof() {
        assert!(evidence(&[Verdict::Verified]).holds());
        assert!(!evidence(&[Verdict::Verified, Verdict::NotEnforced, Verdict::Verified]).holds());
        assert!(!evidence(&[Verdict::Verified, Verdict::Inconclusive { why: "the control failed".into() }]).holds());
    }

    #[test]
    fn what_the_host_denies_anyway_is_not_proof_by_itself() {
        let denies = Verdict::HostDeniesToo { errno: "ENOSYS".into(), setting: None };
        assert!(!evidence(std::slice::from_ref(&denies)).holds());
        assert!(evidence(&[denies, Verdict::Verified]).holds());
    }
}
