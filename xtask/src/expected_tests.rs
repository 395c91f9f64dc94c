//! Whether there are tests that a suite should have run: a green run of nothing is no result.

use std::fs;
use std::path::{Path, PathBuf};

use crate::checkout::Checkout;

/// The crates whose `tests/` directory holds a test target.
pub(crate) fn crates_with_integration_tests(checkout: &Checkout) -> Vec<String> {
    members(checkout)
        .into_iter()
        .filter(|dir| any_test_below(&dir.join("tests")))
        .filter_map(|dir| Some(dir.file_name()?.to_str()?.to_owned()))
        .collect()
}

/// The test targets of a crate: the sources right in its `tests/` directory.
pub(crate) fn test_targets(checkout: &Checkout, name: &str) -> Vec<String> {
    let entries = fs::read_dir(checkout.root.join("crates").join(name).join("tests")).into_iter().flatten().flatten();
    let sources = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let mut targets: Vec<String> = sources.filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned())).collect();
    targets.sort();
    targets
}

/// Whether any source of a crate holds a unit test.
pub(crate) fn unit_tests_exist(checkout: &Checkout) -> bool {
    members(checkout).iter().any(|dir| any_test_below(&dir.join("src")))
}

/// Whether any documentation comment holds an example that compiles.
pub(crate) fn doctests_exist(checkout: &Checkout) -> bool {
    members(checkout).iter().any(|dir| rust_files(&dir.join("src")).iter().any(|file| has_doctest(file)))
}

/// Whether any source at or below a directory holds a test.
pub(crate) fn any_test_below(dir: &Path) -> bool {
    rust_files(dir).iter().any(|file| has_test(file))
}

fn members(checkout: &Checkout) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = ["crates", "examples"]
        .into_iter()
        .flat_map(|place| fs::read_dir(checkout.root.join(place)).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .collect();
    dirs.sort();
    dirs
}

/// Every `.rs` file at or below a directory, sorted.
pub(crate) fn rust_files(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files.sort();
    files
}

fn has_test(file: &Path) -> bool {
    fs::read_to_string(file).is_ok_and(|text| {
        // The contract of providers is mounted by macros, and each of its tests is one.
        let is_test = |line: &str| {
            line.starts_with("#[test]") || line.starts_with("#[tokio::test") || line.contains("_contract!(")
        };
        text.lines().map(str::trim_start).any(is_test)
    })
}

fn has_doctest(file: &Path) -> bool {
    const PLAIN: [&str; 4] = ["/// ```", "//! ```", "/// ```rust", "//! ```no_run"];
    fs::read_to_string(file).is_ok_and(|text| {
        let mut fences = text.lines().map(str::trim).filter(|line| line.contains("```"));
        // Fences come in pairs, so every other one opens.
        std::iter::from_fn(|| {
            let open = fences.next();
            fences.next();
            open
        })
        .any(|fence| PLAIN.contains(&fence))
    })
}
