//! The suite `readme`: the first command a newcomer types, on a clean copy, from nothing.

use std::time::Instant;

use crate::clean_copy;
use crate::process::Task;
use crate::report::Report;
use crate::suite::test_binaries::{keep_log, show};
use crate::suite::{Context, Size, Strictness};

/// The README's first command, word for word.
const FIRST_COMMAND: &str = "cargo run --release -- run examples/programs/primes.py";

/// What the program prints, and what the line on stderr names.
const ON_STDOUT: &str = "primes below";
const ON_STDERR: &str = "sandbox";

pub(super) fn run(context: &Context) -> Report {
    if context.size == Size::Smoke && context.strictness == Strictness::Local {
        return Report::not_run("builds everything from nothing; run with --full or --ci");
    }
    match attempt(context) {
        Ok(report) => report,
        Err(error) => Report::broken(error.to_string()),
    }
}

fn attempt(context: &Context) -> Result<Report, Box<dyn std::error::Error>> {
    let readme = std::fs::read_to_string(context.checkout.root.join("README.md"))?;
    if !readme.lines().any(|line| line.trim() == FIRST_COMMAND) {
        return Ok(Report::broken(format!("README.md does not show `{FIRST_COMMAND}` on a line of its own")));
    }
    let dir = tempfile::Builder::new().prefix("execres-readme-").tempdir()?;
    let copy = dir.path().join("execres");
    clean_copy::make(&context.checkout, &copy)?;
    let task = Task::cargo()
        .args(FIRST_COMMAND.split(' ').skip(1))
        .dir(&copy)
        .env("CARGO_TARGET_DIR", dir.path().join("target"))
        .env("EXECRES_STATE_DIR", dir.path().join("state"));
    let started = Instant::now();
    let finished = task.capture()?;
    println!("    built and run from nothing in {:.0} s", started.elapsed().as_secs_f64());
    if finished.succeeded() && finished.stdout.contains(ON_STDOUT) && finished.stderr.contains(ON_STDERR) {
        return Ok(Report::Ran(crate::libtest::Tally { passed: 1, ..Default::default() }));
    }
    show(&finished, &keep_log(&context.checkout, "readme", &finished));
    Ok(Report::broken(format!("`{FIRST_COMMAND}` on a clean copy: {:?}", finished.end)))
}
