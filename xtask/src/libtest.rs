//! Reading what a test binary says: how many tests passed, failed, were ignored, or could not run.

use std::collections::BTreeSet;

/// A line that a test prints before it returns without having tested: `EXECRES-SKIP: <test>: <reason>`.
const SKIP: &str = "EXECRES-SKIP:";

/// A test that did not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skip {
    pub(crate) test: String,
    pub(crate) reason: String,
    pub(crate) kind: SkipKind,
}

/// Who decided that a test does not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SkipKind {
    /// `#[ignore = "…"]` in the source.
    Ignored,
    /// The test itself, because this machine does not have what it needs.
    Unmet,
}

impl Skip {
    /// Whether a run that must be complete may do without this test.
    pub(crate) fn is_excused(&self) -> bool {
        self.kind == SkipKind::Ignored || self.reason.starts_with("optional:")
    }
}

/// What one or more test binaries said.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skips: Vec<Skip>,
    /// The names of the failed tests.
    pub(crate) failures: Vec<String>,
}

impl Tally {
    /// Every test that was there, run or not.
    pub(crate) fn total(&self) -> usize {
        self.passed + self.failed + self.skips.len()
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skips.extend(other.skips);
        self.failures.extend(other.failures);
    }
}

/// Counts the tests in the output of test binaries that ran with `--show-output`.
///
/// A test that announced a skip returned normally and libtest counts it as passed; here it is not.
pub(crate) fn parse(stdout: &str, stderr: &str) -> Tally {
    let mut tally = Tally::default();
    let mut announced = BTreeSet::new();
    let mut ignored_lines = 0;
    let mut ignored_total = 0;
    for line in stdout.lines() {
        if let Some(counts) = line.strip_prefix("test result: ") {
            tally.passed += count(counts, "passed");
            tally.failed += count(counts, "failed");
            ignored_total += count(counts, "ignored");
        } else if line.starts_with("running ") && line.trim_end().ends_with(['t', 's']) {
            announced.clear();
        } else if let Some(rest) = line.strip_prefix("test ") {
            if let Some(name) = rest.strip_suffix(" ... FAILED") {
                tally.failures.push(name.to_owned());
            } else if let Some((name, reason)) = rest.split_once(" ... ignored") {
                ignored_lines += 1;
                let reason = reason.trim_start_matches([',', ' ']);
                let reason = if reason.is_empty() { "ignored" } else { reason };
                tally.skips.push(Skip { test: name.into(), reason: reason.into(), kind: SkipKind::Ignored });
            }
        }
        take_skip(line, &mut announced, &mut tally);
    }
    announced.clear();
    for line in stderr.lines() {
        take_skip(line, &mut announced, &mut tally);
    }
    let unmet = tally.skips.iter().filter(|skip| skip.kind == SkipKind::Unmet).count();
    tally.passed = tally.passed.saturating_sub(unmet);
    for _ in ignored_lines..ignored_total {
        tally.skips.push(Skip { test: "(unnamed)".into(), reason: "ignored".into(), kind: SkipKind::Ignored });
    }
    tally
}

fn take_skip(line: &str, announced: &mut BTreeSet<String>, tally: &mut Tally) {
    let Some((_, rest)) = line.split_once(SKIP) else { return };
    // A test's name may hold `::`, so the reason starts after the first colon that a space follows.
    let (test, reason) = rest.trim().split_once(": ").unwrap_or((rest.trim(), "no reason given"));
    if announced.insert(test.to_owned()) {
        tally.skips.push(Skip { test: test.into(), reason: reason.trim().into(), kind: SkipKind::Unmet });
    }
}

/// The number before `word` in `ok. 5 passed; 0 failed; 1 ignored; …`.
fn count(counts: &str, word: &str) -> usize {
    let mut before = "";
    for part in counts.split([' ', ';']).filter(|part| !part.is_empty()) {
        if part == word {
            return before.parse().unwrap_or(0);
        }
        before = part;
    }
    0
}

#[cfg(test)]
mod tests;
