//! Judging one run of test binaries.

use std::fs;
use std::path::PathBuf;

use crate::checkout::Checkout;
use crate::libtest::{self, Tally};
use crate::process::{End, Finished, Task};
use crate::report::Report;

/// How much of a failed task's output is shown; the rest is in its log.
const SHOWN_LINES: usize = 120;

/// Runs a task that runs test binaries, and counts their tests. A run without a single test is a failure.
pub(super) fn judge(checkout: &Checkout, suite: &str, task: &Task) -> Report {
    let finished = match task.capture() {
        Ok(finished) => finished,
        Err(error) => return Report::broken(error.to_string()),
    };
    let log = keep_log(checkout, suite, &finished);
    let tally = count(&finished, &task.shown());
    if tally.failed > 0 {
        show(&finished, &log);
    }
    Report::Ran(tally)
}

/// The tests in a finished task's output; a bad end that no test explains is a failure of its own.
pub(super) fn count(finished: &Finished, shown: &str) -> Tally {
    let mut tally = libtest::parse(&finished.stdout, &finished.stderr);
    let complaint = match finished.end {
        End::Hung => Some(format!("`{shown}` did not end in time and was killed")),
        End::Signal => Some(format!("`{shown}` was ended by a signal")),
        End::Code(_) if finished.lingering => Some(format!("`{shown}` left a process that holds its output open")),
        End::Code(0) if tally.total() == 0 => Some(format!("`{shown}` ran no test: a green run of nothing")),
        End::Code(code) if code != 0 && tally.failed == 0 => Some(format!("`{shown}` exited with code {code}")),
        End::Code(_) => None,
    };
    if let Some(complaint) = complaint {
        tally.failed += 1;
        tally.failures.push(complaint);
    }
    tally
}

/// Writes a task's whole output below the target directory.
pub(super) fn keep_log(checkout: &Checkout, suite: &str, finished: &Finished) -> PathBuf {
    let dir = checkout.target.join("xtask");
    let path = dir.join(format!("{suite}.log"));
    let text = format!("{}\n--- stderr ---\n{}", finished.stdout, finished.stderr);
    if let Err(error) = fs::create_dir_all(&dir).and_then(|()| fs::write(&path, text)) {
        eprintln!("xtask: could not write {}: {error}", path.display());
    }
    path
}

/// Shows the end of a failed task's output.
pub(super) fn show(finished: &Finished, log: &std::path::Path) {
    for text in [&finished.stdout, &finished.stderr] {
        let lines: Vec<&str> = text.lines().collect();
        for line in lines.iter().skip(lines.len().saturating_sub(SHOWN_LINES)) {
            println!("    {line}");
        }
    }
    println!("    (all of it: {})", log.display());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(end: End, stdout: &str) -> Finished {
        Finished { end, stdout: stdout.into(), stderr: String::new(), lingering: false }
    }

    #[test]
    fn a_green_run_of_nothing_is_a_failure() {
        let tally = count(&finished(End::Code(0), "running 0 tests\ntest result: ok. 0 passed; 0 failed;\n"), "t");
        assert_eq!(tally.failed, 1);
    }

    #[test]
    fn a_binary_that_dies_is_a_failure_though_no_test_says_so() {
        let tally = count(&finished(End::Code(101), "test result: ok. 2 passed; 0 failed;\n"), "t");
        assert_eq!((tally.passed, tally.failed), (2, 1));
        assert_eq!(count(&finished(End::Hung, ""), "t").failed, 1);
    }

    #[test]
    fn a_failed_test_is_counted_once() {
        let output = "test a ... FAILED\ntest result: FAILED. 2 passed; 1 failed;\n";
        assert_eq!(count(&finished(End::Code(101), output), "t").failed, 1);
    }
}
