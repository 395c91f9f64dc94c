//! The suites that are one command, passed when it succeeds.

use crate::libtest::Tally;
use crate::process::Task;
use crate::report::Report;
use crate::suite::Context;
use crate::suite::test_binaries::{keep_log, show};

pub(super) fn clippy(context: &Context) -> Report {
    let lint = ["clippy", "--workspace", "--all-targets", "--color", "never", "--", "-D", "warnings"];
    all(context, "clippy", &[Task::cargo().args(lint)])
}

pub(super) fn doc(context: &Context) -> Report {
    let build = Task::cargo().args(["doc", "--workspace", "--no-deps", "--color", "never"]);
    all(context, "doc", &[build.env("RUSTDOCFLAGS", "-D warnings")])
}

/// Runs every task in the root of the checkout; each counts as one test.
pub(super) fn all(context: &Context, suite: &str, tasks: &[Task]) -> Report {
    let mut tally = Tally::default();
    for task in tasks {
        let failure = match task.clone().dir(&context.checkout.root).capture() {
            Ok(finished) if finished.succeeded() => None,
            Ok(finished) => {
                show(&finished, &keep_log(&context.checkout, suite, &finished));
                Some(format!("`{}`", task.shown()))
            }
            Err(error) => Some(error.to_string()),
        };
        tally.passed += usize::from(failure.is_none());
        tally.failed += usize::from(failure.is_some());
        tally.failures.extend(failure);
    }
    Report::Ran(tally)
}
