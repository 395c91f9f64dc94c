//! The suite `tidy`.

use crate::libtest::Tally;
use crate::report::Report;
use crate::suite::Context;
use crate::tidy;

/// Each rule counts as one test.
pub(super) fn run(context: &Context) -> Report {
    let verdicts = match tidy::check(&context.checkout) {
        Ok(verdicts) => verdicts,
        Err(error) => return Report::broken(error.to_string()),
    };
    let mut tally = Tally::default();
    for verdict in verdicts {
        tidy::print(&verdict);
        if verdict.findings.is_empty() {
            tally.passed += 1;
        } else {
            tally.failed += 1;
            tally.failures.push(format!("{}: {} findings", verdict.rule, verdict.findings.len()));
        }
    }
    Report::Ran(tally)
}
