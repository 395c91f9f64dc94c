//! The best that runs can get on this host.

use execres_core::{AxisSet, Enforcement, IsolationReport, LimitReport};
use execres_isolation::Rung;
use serde::{Serialize, Serializer};

use super::examination::Tried;

/// The best that runs can get.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct BestProfile {
    /// The rung of the ladder that runs stand on; `None` where nothing isolates.
    #[serde(serialize_with = "name_of")]
    pub rung: Option<Rung>,
    /// What programs do without on this rung, in words.
    pub degraded: Option<&'static str>,
    /// The axes that were proven just now.
    pub axes: AxisSet,
    /// The axes that were not.
    pub missing_axes: AxisSet,
    /// Each limit with what enforces it.
    pub limits: Vec<LimitReport>,
    /// All of this in one sentence.
    pub sentence: String,
    /// The stable code of the error that keeps the sandbox from starting.
    pub error_code: Option<&'static str>,
}

impl BestProfile {
    pub(super) fn of(tried: &Tried) -> Self {
        match tried {
            Ok(standing) => BestProfile::proven(standing.rung, &standing.report),
            Err(error) => BestProfile {
                rung: None,
                degraded: None,
                axes: AxisSet::EMPTY,
                missing_axes: AxisSet::ALL,
                limits: Vec::new(),
                sentence:
                    "Nothing is isolated here: `execres run` refuses every program. What is missing says what to \
                           do; `--provider trusted_local --isolation none` runs a program without isolation."
                        .to_owned(),
                error_code: Some(error.code()),
            },
        }
    }

    fn proven(rung: Rung, report: &IsolationReport) -> Self {
        let axes = report.axes();
        let missing_axes = AxisSet::ALL.missing_from(axes);
        let rung = Some(rung).filter(|_| !axes.is_empty());
        let sandbox = match rung {
            Some(Rung::Full) => "the full sandbox",
            Some(Rung::EmptyProc) => "the sandbox with an empty /proc",
            Some(Rung::NoNamespaces) => "a sandbox of Landlock and a system-call filter, without namespaces",
            Some(_) => "a sandbox",
            None => "no sandbox that holds",
        };
        let axes_in_words = if missing_axes.is_empty() {
            "all four axes are proven".to_owned()
        } else {
            format!("not proven: {missing_axes}, and a program that needs that is refused")
        };
        BestProfile {
            rung,
            degraded: rung.and_then(Rung::degraded),
            axes,
            missing_axes,
            limits: report.limits.clone(),
            sentence: format!("Programs get {sandbox}: {axes_in_words}, {}.", limits_in_words(&report.limits)),
            error_code: None,
        }
    }
}

/// In texts the place below the last rung has a name as well.
#[allow(clippy::ref_option, reason = "serde gives it so")]
fn name_of<S: Serializer>(rung: &Option<Rung>, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(rung.map_or("none", Rung::as_str))
}

fn limits_in_words(limits: &[LimitReport]) -> String {
    let names = |wanted: Enforcement| {
        let names =
            limits.iter().filter(|limit| limit.enforcement == wanted).map(|limit| limit.limit.replace('_', " "));
        names.collect::<Vec<_>>().join(", ")
    };
    let (polled, none) = (names(Enforcement::Polled), names(Enforcement::None));
    match (polled.is_empty(), none.is_empty()) {
        (true, true) => "every limit is enforced".to_owned(),
        (false, true) => format!("every limit is enforced but {polled}, which is looked at from time to time"),
        (true, false) => format!("nothing limits {none}"),
        (false, false) => format!("{polled} is looked at from time to time, and nothing limits {none}"),
    }
}

#[cfg(test)]
mod tests {
    use execres_core::{Attempt, Axis, AxisEvidence, NetworkMode, Verdict};
    use execres_isolation::LaunchError;

    use super::*;

    fn report(axes: &[Axis], memory: Enforcement) -> IsolationReport {
        let attempt = || vec![Attempt::new("try", Verdict::Verified, "seen")];
        let evidence = axes.iter().map(|axis| AxisEvidence { axis: *axis, attempts: attempt() }).collect();
        let mut report = IsolationReport::new("e", NetworkMode::None, evidence);
        report.limits = vec![LimitReport { limit: "memory".into(), enforcement: memory, mechanism: "x".into() }];
        report
    }

    #[test]
    fn each_rung_is_said_in_one_sentence() {
        let of = |rung, axes: &[Axis]| BestProfile::proven(rung, &report(axes, Enforcement::Polled));
        let full = of(Rung::Full, &Axis::ALL);
        assert_eq!((full.rung, full.missing_axes.is_empty()), (Some(Rung::Full), true));
        assert_eq!(
            full.sentence,
            "Programs get the full sandbox: all four axes are proven, every limit is enforced but memory, which is looked \
             at from time to time."
        );
        assert!(of(Rung::EmptyProc, &Axis::ALL).degraded.is_some_and(|what| what.contains("/proc")));
        let less = of(Rung::NoNamespaces, &Axis::ALL[1..]);
        assert!(less.sentence.contains("not proven: process_contained"), "{}", less.sentence);
        assert_eq!(of(Rung::Full, &[]).rung, None, "layers alone prove nothing");
    }

    #[test]
    fn an_error_is_no_profile() {
        let best = BestProfile::of(&Err(LaunchError::RootIdentity));
        assert_eq!((best.rung, best.error_code), (None, Some("isolation.root_identity")));
        assert_eq!(best.missing_axes, AxisSet::ALL);
        assert_eq!(serde_json::to_value(&best).unwrap()["rung"], "none");
    }
}
