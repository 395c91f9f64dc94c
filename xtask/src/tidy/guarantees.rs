//! Every row of `docs/guarantees.md` names a test that exists.

use std::collections::HashSet;

use super::Finding;
use super::files::{Files, RustFile};

const PAGE: &str = "docs/guarantees.md";

pub(super) fn check(files: &Files) -> Vec<Finding> {
    let Some(page) = files.pages().find(|page| page.path == PAGE) else {
        return vec![Finding::new(PAGE, 1, "the page is missing: one row a promise, with the test that enforces it")];
    };
    let functions = functions(&files.rust);
    let rows = rows(&page.text);
    if rows.is_empty() {
        return vec![Finding::new(PAGE, 1, "no table with a column whose title holds the word test")];
    }
    rows.iter().flat_map(|row| complaints(row, &functions)).collect()
}

/// A row of a table: its line, and what its column of tests holds.
#[derive(Debug, PartialEq, Eq)]
struct Row<'a> {
    line: usize,
    tests: &'a str,
}

/// The rows of every table that has a column of tests.
fn rows(text: &str) -> Vec<Row<'_>> {
    let mut rows = Vec::new();
    let mut column = None;
    let mut in_table = false;
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if !content.starts_with('|') {
            in_table = false;
            continue;
        }
        let cells: Vec<&str> = content.trim_matches('|').split('|').map(str::trim).collect();
        if !in_table {
            in_table = true;
            column = cells.iter().position(|title| title.to_lowercase().contains("test"));
        } else if cells.iter().all(|cell| cell.chars().all(|c| matches!(c, '-' | ':' | ' '))) {
            // The line below the titles.
        } else if let Some(column) = column {
            rows.push(Row { line, tests: cells.get(column).copied().unwrap_or_default() });
        }
    }
    rows
}

fn complaints(row: &Row<'_>, functions: &HashSet<&str>) -> Vec<Finding> {
    let names: Vec<&str> = row.tests.split('`').skip(1).step_by(2).collect();
    if names.is_empty() {
        return vec![Finding::new(PAGE, row.line, "the row names no test: put its name in backticks")];
    }
    let name_of = |path: &str| path.rsplit("::").next().unwrap_or(path).trim_end_matches("()").to_owned();
    let missing = names.iter().filter(|name| !functions.contains(name_of(name).as_str()));
    missing
        .map(|name| {
            Finding::new(PAGE, row.line, format!("there is no test `{name}`: write it or take the promise back"))
        })
        .collect()
}

/// The names of all functions that are tests by an attribute just above them.
fn functions(files: &[RustFile]) -> HashSet<&str> {
    let mut names = HashSet::new();
    for file in files {
        let mut is_test = false;
        for (_, line) in file.numbered() {
            let code = line.code.trim();
            if code.starts_with("#[test]") || code.starts_with("#[tokio::test") {
                is_test = true;
            }
            if let Some(name) = function(code) {
                if is_test || file.text.contains("proptest!") {
                    names.insert(name);
                }
                is_test = false;
            }
        }
    }
    names
}

fn function(code: &str) -> Option<&str> {
    let (before, rest) = code.split_once("fn ")?;
    let is_item = before.split_whitespace().all(|word| matches!(word, "pub" | "pub(crate)" | "async" | "#[test]"));
    is_item
        .then(|| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next())
        .flatten()
        .filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::files::TextFile;

    fn findings(page: &str) -> Vec<Finding> {
        let source =
            "#[test]\nfn holds() {}\n\n#[tokio::test(flavor = \"x\")]\nasync fn holds_too() {}\n\nfn no_test() {}\n";
        check(&Files {
            rust: vec![RustFile::new("crates/a/tests/b.rs", source)],
            texts: vec![TextFile { path: PAGE.into(), text: page.into() }],
        })
    }

    #[test]
    fn rows_name_tests_that_exist() {
        let page = "# G\n\n| promise | test |\n|---|---|\n| a | `b::holds` and `holds_too` |\n";
        assert_eq!(findings(page), []);
    }

    #[test]
    fn a_promise_without_a_test_is_found() {
        let page = "| promise | enforced by test |\n|---|---|\n| a | `gone` |\n| b | trust us |\n| c | `no_test` |\n";
        assert_eq!(findings(page).iter().map(|finding| finding.line).collect::<Vec<_>>(), [3, 4, 5]);
    }

    #[test]
    fn a_page_without_a_table_is_found() {
        assert_eq!(findings("# Nothing\n").len(), 1);
        assert_eq!(check(&Files::default()).len(), 1);
    }
}
