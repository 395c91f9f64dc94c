//! The suites that are `cargo test`.

use crate::expected_tests;
use crate::process::Task;
use crate::report::Report;
use crate::suite::test_binaries::judge;
use crate::suite::{Context, Strictness};

/// The crate whose tests are a suite of their own.
const COMMAND_LINE: &str = "execres-cli";

/// The tests of the command line that are a suite of their own, for they need many tools.
const RUNTIMES: &str = "runtimes";

pub(super) fn unit(context: &Context) -> Report {
    if !expected_tests::unit_tests_exist(&context.checkout) {
        return Report::not_run("no crate has a unit test");
    }
    run(context, "unit", &["--workspace", "--lib", "--bins"])
}

pub(super) fn integration(context: &Context) -> Report {
    let crates = expected_tests::crates_with_integration_tests(&context.checkout);
    let packages: Vec<&str> = crates.iter().map(String::as_str).filter(|name| *name != COMMAND_LINE).collect();
    if packages.is_empty() {
        return Report::not_run("no crate has a tests/ directory");
    }
    let mut args: Vec<&str> = packages.into_iter().flat_map(|name| ["--package", name]).collect();
    args.extend(["--test", "*"]);
    run(context, "integration", &args)
}

pub(super) fn command_line(context: &Context) -> Report {
    if !expected_tests::crates_with_integration_tests(&context.checkout).iter().any(|name| name == COMMAND_LINE) {
        return Report::not_run("the command line has no tests/ directory");
    }
    let targets = expected_tests::test_targets(&context.checkout, COMMAND_LINE);
    let others = targets.iter().filter(|target| *target != RUNTIMES).flat_map(|target| ["--test", target]);
    let selection: Vec<&str> = ["--package", COMMAND_LINE].into_iter().chain(others).collect();
    run(context, "cli", &selection)
}

/// The programs of `examples/runtimes` in the sandbox.
pub(super) fn runtimes(context: &Context) -> Report {
    run(context, RUNTIMES, &["--package", COMMAND_LINE, "--test", RUNTIMES])
}

pub(super) fn doctests(context: &Context) -> Report {
    if !expected_tests::doctests_exist(&context.checkout) {
        return Report::not_run("no documentation comment has an example that runs");
    }
    run(context, "docs", &["--workspace", "--doc"])
}

/// The crate of the manager.
const CORE: &str = "execres-core";

/// Everything about the manager, its state machine on shuttle's locks included.
pub(super) fn manager(context: &Context) -> Report {
    let all = run(context, "manager", &["--package", CORE]);
    let orders = run(context, "manager", &["--package", CORE, "--features", "shuttle", "--lib", "interleavings"]);
    all.and(orders)
}

fn run(context: &Context, suite: &str, selection: &[&str]) -> Report {
    let mut task = Task::cargo()
        .args(["test", "--no-fail-fast", "--color", "never"])
        .args(selection)
        .args(["--", "--show-output"])
        .dir(&context.checkout.root)
        .env("EXECRES_TEST_SIZE", context.size.to_string());
    if context.strictness == Strictness::Ci {
        // A snapshot that differs is a failure, and leaves no new file.
        task = task.env("INSTA_UPDATE", "no");
    }
    judge(&context.checkout, suite, &task)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::checkout::Checkout;

    #[test]
    fn the_tests_of_the_command_line_are_in_one_of_two_suites() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned();
        let checkout = Checkout { target: root.join("target"), root };
        let targets = expected_tests::test_targets(&checkout, COMMAND_LINE);
        for name in [RUNTIMES, "run", "doctor"] {
            assert!(targets.iter().any(|target| target == name), "{name}: {targets:?}");
        }
        assert!(!targets.iter().any(|target| target == "support"), "a directory is no target");
    }
}
