//! The suite `fmt`.

use crate::expected_tests::rust_files;
use crate::process::Task;
use crate::report::Report;
use crate::suite::{Context, commands};

/// Sources that are compiled by a build script, so that `cargo fmt` does not find them.
const OUTSIDE_MODULES: &[&str] = &["crates/execres-isolation/src/sys/launcher"];

pub(super) fn run(context: &Context) -> Report {
    let mut tasks = vec![Task::cargo().args(["fmt", "--all", "--check"])];
    let files: Vec<_> = OUTSIDE_MODULES.iter().flat_map(|dir| rust_files(&context.checkout.root.join(dir))).collect();
    if !files.is_empty() {
        tasks.push(Task::new("rustfmt").args(["--check", "--edition", "2024"]).args(files));
    }
    commands::all(context, "fmt", &tasks)
}
