//! Building test binaries without running them.

use std::io::BufReader;
use std::path::PathBuf;

use cargo_metadata::Message;

use crate::checkout::Checkout;
use crate::expected_tests;
use crate::process::{Finished, ProcessError, Task};

/// A test binary.
#[derive(Debug)]
pub(crate) struct TestBinary {
    pub(crate) name: String,
    pub(crate) executable: PathBuf,
    /// The directory in which cargo would run it.
    pub(super) package_dir: PathBuf,
}

/// Builds the tests of the crates; the inner error is the finished build that failed.
pub(crate) fn build(checkout: &Checkout, crates: &[&str]) -> Result<Result<Vec<TestBinary>, Finished>, ProcessError> {
    let present = crates.iter().filter(|name| checkout.root.join("crates").join(name).is_dir());
    let packages: Vec<&str> = present.flat_map(|name| ["--package", *name]).collect();
    // Not `--all-targets`, and `--lib --bins` even where there is no library: cargo takes what exists.
    let task = Task::cargo()
        .args(["test", "--no-run", "--message-format", "json-render-diagnostics", "--lib", "--bins", "--tests"])
        .args(packages)
        .dir(&checkout.root)
        .env("CARGO_TARGET_DIR", &checkout.target);
    let finished = task.capture()?;
    if !finished.succeeded() {
        return Ok(Err(finished));
    }
    Ok(Ok(binaries(&finished.stdout)))
}

fn binaries(messages: &str) -> Vec<TestBinary> {
    Message::parse_stream(BufReader::new(messages.as_bytes()))
        .filter_map(|message| match message {
            Ok(Message::CompilerArtifact(artifact)) if artifact.profile.test => {
                let source = artifact.target.src_path.as_std_path();
                // A manifest says of a program beside a library that it holds no tests.
                let has_tests = artifact.target.test
                    && (artifact.target.kind.contains(&cargo_metadata::TargetKind::Test)
                        || source.parent().is_some_and(expected_tests::any_test_below));
                Some(TestBinary {
                    name: format!("{}:{}", artifact.manifest_path.parent()?.file_name()?, artifact.target.name),
                    executable: artifact.executable.filter(|_| has_tests)?.into(),
                    package_dir: artifact.manifest_path.parent()?.into(),
                })
            }
            _ => None,
        })
        .collect()
}
