//! Runs the corpus under every configuration, prints the matrix, and fails unless everything is contained and proven.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a program that prints a matrix")]

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use execres_attacks::{Configuration, Corpus, Matrix, Row, Runner, Size, page};
use execres_owner::{OwnerRegistry, StateDir};

/// What is asked for.
#[derive(Debug, Default)]
struct Wishes {
    /// Attacks whose name has this in it.
    only: Option<String>,
    /// Where the page goes.
    page: Option<PathBuf>,
}

const USAGE: &str = "usage: execres-attacks [--only PART-OF-A-NAME] [--write-page FILE]";

fn wishes() -> Result<Wishes, String> {
    let mut wishes = Wishes::default();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        let value = arguments.next().ok_or(USAGE)?;
        match argument.as_str() {
            "--only" => wishes.only = Some(value),
            "--write-page" => wishes.page = Some(value.into()),
            _ => return Err(USAGE.into()),
        }
    }
    Ok(wishes)
}

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("execres-attacks: {error}");
            ExitCode::from(2)
        }
    }
}

/// One test an attack, in the words of libtest, so that the suites count this as they count test binaries.
fn report(matrix: &Matrix) {
    for (attack, reason) in matrix.not_run() {
        println!("EXECRES-SKIP: {attack}: {reason}");
    }
    let failures = matrix.failures();
    let failed = |row: &&Row| failures.iter().any(|failure| failure.starts_with(&format!("{} [", row.attack.id)));
    let bad: Vec<&Row> = matrix.rows.iter().filter(failed).collect();
    for row in &bad {
        println!("test {} ... FAILED", row.attack.id);
    }
    let (word, passed) = (if bad.is_empty() { "ok" } else { "FAILED" }, matrix.rows.len() - bad.len());
    println!("test result: {word}. {passed} passed; {} failed; 0 ignored", bad.len());
}

#[tokio::main]
async fn run() -> Result<ExitCode, Box<dyn Error>> {
    let wishes = wishes()?;
    let corpus =
        Corpus::load()?.only(|attack| wishes.only.as_ref().is_none_or(|part| attack.id.contains(part.as_str())));
    let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    let state = tempfile::Builder::new().permissions(private).tempdir()?;
    let owners = OwnerRegistry::open(StateDir::open_at(state.path())?)?;
    let runner = Runner::new(&corpus, &owners, Size::from_environment()).await?;
    let matrix = runner.run(&corpus, &Configuration::standard(&owners)).await?;
    print!("{matrix}");
    report(&matrix);
    if let Some(file) = wishes.page {
        if !matrix.failures().is_empty() || !matrix.not_run().is_empty() || wishes.only.is_some() {
            return Err(
                "the page is written from a run of everything, as root, in which everything was tried and contained"
                    .into(),
            );
        }
        std::fs::write(file, page(&matrix))?;
    }
    Ok(if matrix.failures().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
