//! The shape of the workspace, checked: each rule prints the place and what to do.

mod bans;
mod descriptions;
mod edges;
mod files;
mod guarantees;
mod links;
mod manifests;
mod markdown;
mod names;
mod processes;
mod roots;
mod sizes;
mod source;
mod texts;
mod unsafety;

use std::error::Error;
use std::fmt;
use std::process::ExitCode;

use crate::checkout::Checkout;
use files::Files;

/// What one rule found.
#[derive(Debug)]
pub(crate) struct Verdict {
    pub(crate) rule: &'static str,
    pub(crate) findings: Vec<Finding>,
    /// A figure worth printing though nothing is wrong.
    note: Option<String>,
}

/// One breach of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    file: String,
    /// Counted from 1.
    line: usize,
    /// What is wrong, and what to do.
    what: String,
}

impl Finding {
    fn new(file: impl Into<String>, line: usize, what: impl Into<String>) -> Self {
        Self { file: file.into(), line, what: what.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}

/// `cargo xtask tidy`.
pub(crate) fn run(checkout: &Checkout) -> Result<ExitCode, Box<dyn Error>> {
    let verdicts = check(checkout)?;
    verdicts.iter().for_each(print);
    let findings: usize = verdicts.iter().map(|verdict| verdict.findings.len()).sum();
    println!("tidy: {} rules, {findings} findings", verdicts.len());
    Ok(if findings == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Applies every rule.
pub(crate) fn check(checkout: &Checkout) -> Result<Vec<Verdict>, Box<dyn Error>> {
    let metadata = checkout.metadata()?;
    let files = Files::read(&checkout.root)?;
    let plain = |rule, findings| Verdict { rule, findings, note: None };
    Ok(vec![
        plain("edges", edges::check(&metadata)),
        plain("descriptions", descriptions::check(&metadata)),
        Verdict { rule: "sizes", findings: sizes::check(&files.rust), note: sizes::summary(&files.rust) },
        plain("names", names::check(&files.rust)),
        plain("roots", roots::check(&files.rust)),
        plain("unsafe", unsafety::check(&files.rust)),
        plain("processes", processes::check(&files.rust)),
        plain("bans", bans::check(&files.rust)),
        plain("texts", texts::check(&files)),
        plain("guarantees", guarantees::check(&files)),
        plain("links", links::check(&files, &checkout.root)),
    ])
}

/// Prints a rule's findings and its note.
pub(crate) fn print(verdict: &Verdict) {
    for finding in &verdict.findings {
        println!("{finding} [{}]", verdict.rule);
    }
    if let Some(note) = &verdict.note {
        println!("tidy {}: {note}", verdict.rule);
    }
}
