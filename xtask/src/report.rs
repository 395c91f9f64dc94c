//! What a suite reports.

use std::time::Duration;

use crate::libtest::{Skip, Tally};
use crate::suite::Strictness;

/// The result of one suite.
#[derive(Debug)]
pub(crate) enum Report {
    /// It ran; the tally says with what result.
    Ran(Tally),
    /// It did not run.
    NotRun {
        /// Why, and what to do about it.
        reason: String,
        excuse: Excuse,
    },
}

/// Whether a complete run may do without a suite that did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excuse {
    /// It may not.
    None,
    /// The suite is listed as optional.
    Optional,
    /// What it would show is shown by the other suites of this same run.
    Covered,
}

/// One row of the table.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) suite: &'static str,
    pub(crate) report: Report,
    pub(crate) elapsed: Duration,
}

/// The last line of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Report {
    pub(crate) fn not_run(reason: impl Into<String>) -> Self {
        Report::NotRun { reason: reason.into(), excuse: Excuse::None }
    }

    /// Both as one suite. What did not run of either is told for both.
    pub(crate) fn and(self, other: Report) -> Self {
        match (self, other) {
            (Report::Ran(mut tally), Report::Ran(more)) => {
                tally.add(more);
                Report::Ran(tally)
            }
            (not_run @ Report::NotRun { .. }, _) | (_, not_run) => not_run,
        }
    }

    /// One failure of the suite itself, such as a build that does not succeed.
    pub(crate) fn broken(what: impl Into<String>) -> Self {
        Report::Ran(Tally { failed: 1, failures: vec![what.into()], ..Tally::default() })
    }
}

impl Row {
    /// What counts against the run: failed tests, and under `Strictness::Ci` whatever should have run and did not.
    pub(crate) fn failed(&self, strictness: Strictness) -> usize {
        match &self.report {
            Report::Ran(tally) => {
                let missing = tally.skips.iter().filter(|skip| !skip.is_excused()).count();
                tally.failed + if strictness == Strictness::Ci { missing } else { 0 }
            }
            Report::NotRun { excuse: Excuse::None, .. } => usize::from(strictness == Strictness::Ci),
            Report::NotRun { .. } => 0,
        }
    }

    pub(crate) fn passed(&self) -> usize {
        match &self.report {
            Report::Ran(tally) => tally.passed,
            Report::NotRun { .. } => 0,
        }
    }

    /// What did not run and does not count as failed.
    pub(crate) fn skipped(&self, strictness: Strictness) -> usize {
        match &self.report {
            Report::Ran(tally) => tally.total() - tally.passed - self.failed(strictness),
            Report::NotRun { .. } => 1 - self.failed(strictness),
        }
    }

    pub(crate) fn skips(&self) -> &[Skip] {
        match &self.report {
            Report::Ran(tally) => &tally.skips,
            Report::NotRun { .. } => &[],
        }
    }
}

impl Totals {
    pub(crate) fn of(rows: &[Row], strictness: Strictness) -> Self {
        rows.iter().fold(Self::default(), |sum, row| Self {
            passed: sum.passed + row.passed(),
            failed: sum.failed + row.failed(strictness),
            skipped: sum.skipped + row.skipped(strictness),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::libtest::parse;

    fn row(report: Report) -> Row {
        Row { suite: "s", report, elapsed: Duration::ZERO }
    }

    #[test]
    fn an_unmet_need_fails_a_complete_run_only() {
        let output = "running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored;\n";
        let rows = [row(Report::Ran(parse(output, "EXECRES-SKIP: t: no python3\n")))];
        assert_eq!(Totals::of(&rows, Strictness::Local), Totals { passed: 1, failed: 0, skipped: 1 });
        assert_eq!(Totals::of(&rows, Strictness::Ci), Totals { passed: 1, failed: 1, skipped: 0 });
    }

    #[test]
    fn a_suite_that_did_not_run_fails_a_complete_run_unless_excused() {
        let optional = Report::NotRun { reason: "r".into(), excuse: Excuse::Optional };
        let rows = [row(Report::not_run("r")), row(optional)];
        assert_eq!(Totals::of(&rows, Strictness::Local), Totals { passed: 0, failed: 0, skipped: 2 });
        assert_eq!(Totals::of(&rows, Strictness::Ci), Totals { passed: 0, failed: 1, skipped: 1 });
    }
}
