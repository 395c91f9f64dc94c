//! The table of mistakes.

use std::fs;
use std::path::{Path, PathBuf};

/// Where the table is.
const TABLE: &str = "xtask/mutants/sandbox.txt";
/// Where its files are.
const BELOW: &str = "crates/execres-isolation/src";

/// One mistake.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mutant {
    /// From the root of the checkout.
    pub(super) file: PathBuf,
    /// What is lost by it.
    pub(super) what: String,
    /// The test files that are to see it, beside the unit tests.
    pub(super) tests: Vec<String>,
    /// What else stands in the way, where no test can see that this is lost.
    pub(super) second_wall: Option<String>,
    text: String,
    instead: String,
}

/// A table that does not fit the code.
#[derive(Debug, thiserror::Error)]
pub(super) enum TableError {
    #[error("{TABLE}: {source}")]
    Unreadable {
        #[from]
        source: std::io::Error,
    },
    #[error(
        "{TABLE}: `{line}` is no part of a block: write `file: what is lost`, `? tests`, perhaps `~ what else stands in the way`, \
         `- text`, perhaps `+ text`"
    )]
    Line { line: String },
    #[error("{TABLE}: the text of `{what}` stands {count} times in {}, and has to stand there once", file.display())]
    Text { what: String, file: PathBuf, count: usize },
}

/// Reads the table of a checkout.
pub(super) fn read(root: &Path) -> Result<Vec<Mutant>, TableError> {
    parse(&fs::read_to_string(root.join(TABLE))?)
}

fn parse(table: &str) -> Result<Vec<Mutant>, TableError> {
    let mut mutants: Vec<Mutant> = Vec::new();
    for line in table.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let wrong = || TableError::Line { line: line.to_owned() };
        let written = |text: &str| text.replace("\\n", "\n");
        if let Some(text) = line.strip_prefix("- ") {
            let last = mutants.last_mut().ok_or_else(wrong)?;
            last.text = written(text);
            last.instead = format!("if false {{ {} }}", last.text);
        } else if let Some(tests) = line.strip_prefix("? ") {
            let last = mutants.last_mut().ok_or_else(wrong)?;
            last.tests = tests.split(' ').map(ToOwned::to_owned).collect();
        } else if let Some(wall) = line.strip_prefix("~ ") {
            mutants.last_mut().ok_or_else(wrong)?.second_wall = Some(wall.to_owned());
        } else if let Some(text) = line.strip_prefix("+ ") {
            mutants.last_mut().ok_or_else(wrong)?.instead = written(text);
        } else {
            let (file, what) = line.split_once(": ").ok_or_else(wrong)?;
            let file = Path::new(BELOW).join(file);
            let (text, instead) = (String::new(), String::new());
            let (what, tests) = (what.to_owned(), Vec::new());
            mutants.push(Mutant { file, what, tests, second_wall: None, text, instead });
        }
    }
    Ok(mutants)
}

impl Mutant {
    /// The file with the mistake in it.
    pub(super) fn apply(&self, original: &str) -> Result<String, TableError> {
        let count = if self.text.is_empty() { 0 } else { original.matches(&self.text).count() };
        if count == 1 {
            return Ok(original.replacen(&self.text, &self.instead, 1));
        }
        Err(TableError::Text { what: self.what.clone(), file: self.file.clone(), count })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checkout::Checkout;

    #[test]
    fn every_mistake_of_the_table_can_be_put_into_the_code() {
        let checkout = Checkout::find().unwrap();
        let mutants = read(&checkout.root).unwrap();
        assert!(mutants.len() >= 50, "{}", mutants.len());
        for mutant in mutants {
            let original = fs::read_to_string(checkout.root.join(&mutant.file)).unwrap();
            let changed = mutant.apply(&original).unwrap();
            assert_ne!(changed, original, "{}", mutant.what);
            assert!(!mutant.tests.is_empty(), "{} names no test that is to see it", mutant.what);
            for test in &mutant.tests {
                let file = checkout.root.join(format!("crates/execres-isolation/tests/{test}.rs"));
                assert!(file.exists(), "{}: there is no {}", mutant.what, file.display());
            }
        }
    }

    #[test]
    fn a_line_that_is_no_part_of_a_block_is_an_error() {
        assert!(matches!(parse("- text"), Err(TableError::Line { .. })));
        assert!(matches!(parse("nonsense"), Err(TableError::Line { .. })));
    }
}
