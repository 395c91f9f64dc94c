//! Whether the sandbox holds.

use execres_core::{AxisSet, IsolationReport};

use super::examination::Tried;
use super::report::{Check, Group, Remedy, Status};

const WHY: &str = "a program runs only where the isolation that it asks for was tried and held";

const BELOW: &str = "The checks below say which part of the host is the cause, and what to do.";

/// The verdict of the probe that every run relies on.
pub(super) fn axes(tried: &Tried) -> Check {
    let check = |found: String| Check::ok("sandbox.axes", Group::Isolation, WHY, found);
    match tried {
        Ok(standing) => {
            let report = &standing.report;
            let missing = AxisSet::ALL.missing_from(report.axes());
            if missing.is_empty() {
                let attempts: usize = report.evidence.iter().map(|one| one.attempts.len()).sum();
                return check(format!("all four axes proven by {attempts} attempts that failed"));
            }
            let cause = match &standing.why_not_better {
                Some(error) => {
                    format!(", because there is only the rung {}: {error} [{}]", standing.rung, error.code())
                }
                None => failures(report),
            };
            let remedy = match standing.why_not_better {
                Some(_) => Remedy::advice(BELOW),
                None => Remedy::commands("See every attempt with what the host saw:", ["execres probe"]),
            };
            check(format!("not proven: {missing}{cause}")).with_status(Status::Missing).with_remedy(remedy)
        }
        Err(error) => check(format!("no sandbox: {error} [{}]", error.code()))
            .with_status(Status::Missing)
            .with_remedy(Remedy::advice(BELOW)),
    }
}

/// The first attempts that got through, by name.
fn failures(report: &IsolationReport) -> String {
    let names: Vec<&str> =
        report.evidence.iter().flat_map(|one| one.failures()).map(|attempt| attempt.name.as_ref()).take(3).collect();
    if names.is_empty() { String::new() } else { format!(" (see {})", names.join(", ")) }
}
