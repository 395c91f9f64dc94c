//! Mistakes put into the code on purpose: each has to turn a test red.

mod table;

use std::error::Error;
use std::fs;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use crate::checkout::Checkout;
use crate::clean_copy;
use crate::libtest;
use crate::process::Task;
use table::Mutant;

/// Puts in one mistake after the other, in a copy of the checkout, and prints which tests saw it. Fails when one survives.
///
/// `filter` chooses those whose description contains it.
pub(crate) fn run(checkout: &Checkout, filter: &str) -> Result<ExitCode, Box<dyn Error>> {
    let mutants: Vec<Mutant> = table::read(&checkout.root)?;
    let directory = tempfile::Builder::new().prefix("execres-mutants-").tempdir_in("/var/tmp")?;
    let copy = Checkout { root: directory.path().join("execres"), target: directory.path().join("target") };
    clean_copy::make(checkout, &copy.root)?;
    let mut every: Vec<String> = mutants.iter().flat_map(|mutant| mutant.tests.clone()).collect();
    every.sort_unstable();
    every.dedup();
    let (build, red) = tests(&copy, &every)?;
    if build != Build::Passed || !red.is_empty() {
        return Err(format!("the tests have to pass without a mistake first: {build:?} {red:?}").into());
    }
    let mut survivors = 0;
    for mutant in mutants.iter().filter(|mutant| mutant.what.contains(filter)) {
        let path = copy.root.join(&mutant.file);
        let original = fs::read_to_string(&path)?;
        fs::write(&path, mutant.apply(&original)?)?;
        let started = Instant::now();
        let (build, red) = tests(&copy, &mutant.tests)?;
        fs::write(&path, original)?;
        let seconds = started.elapsed().as_secs();
        match build {
            Build::Failed(why) => {
                survivors += 1;
                println!("| {} | DOES NOT COMPILE | {why}", mutant.what);
            }
            Build::Passed if red.is_empty() && mutant.second_wall.is_some() => {
                let wall = mutant.second_wall.as_deref().unwrap_or_default();
                println!("| {} | no test can see it: {wall} |", mutant.what);
            }
            Build::Passed if red.is_empty() => {
                survivors += 1;
                println!("| {} | SURVIVES | {seconds} s", mutant.what);
            }
            Build::Passed => {
                let shown: Vec<String> = red.iter().take(3).map(|test| format!("`{test}`")).collect();
                let more = if red.len() > 3 { format!(" and {} more", red.len() - 3) } else { String::new() };
                println!("| {} | {}{more} |", mutant.what, shown.join(", "));
            }
        }
    }
    println!("{survivors} of these mistakes were not found");
    Ok(if survivors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A mistake may make a test wait for ever.
const DEADLINE: Duration = Duration::from_mins(4);
/// The first build is one of everything.
const BUILD_DEADLINE: Duration = Duration::from_mins(30);

#[derive(Debug, PartialEq, Eq)]
enum Build {
    Passed,
    Failed(String),
}

/// Builds and runs the tests; the names of those that failed.
fn tests(copy: &Checkout, files: &[String]) -> Result<(Build, Vec<String>), Box<dyn Error>> {
    let cargo = |arguments: &[&str], deadline: Duration| {
        let names = files.iter().flat_map(|name| ["--test", name]);
        Task::cargo()
            .args(["test", "--package", "execres-isolation", "--lib", "--no-fail-fast"])
            .args(names)
            .args(arguments)
            .dir(&copy.root)
            .env("CARGO_TARGET_DIR", &copy.target)
            .env("RUST_BACKTRACE", "0")
            .env("INSTA_UPDATE", "no")
            .capture_within(deadline)
    };
    let built = cargo(&["--no-run", "--quiet"], BUILD_DEADLINE)?;
    if !built.succeeded() {
        let first = built.stderr.lines().find(|line| line.starts_with("error")).unwrap_or("no reason given");
        return Ok((Build::Failed(first.to_owned()), Vec::new()));
    }
    let ran = cargo(&["--", "--show-output"], DEADLINE)?;
    let tally = libtest::parse(&ran.stdout, &ran.stderr);
    let mut red = tally.failures;
    if red.is_empty() && !ran.succeeded() {
        // A binary that was killed or that hung says nothing of its tests, which is red enough.
        red.push("a test binary that did not come to its end".to_owned());
    }
    Ok((Build::Passed, red))
}
