//! The suite `fmt`.

use crate::process::Task;
use crate::report::Report;
use crate::suite::{Context, commands};

/// Programs that a build script compiles, so that `cargo fmt` does not find them; rustfmt follows their modules.
const OUTSIDE_MODULES: &[&str] = &["crates/execres-isolation/src/sys/launcher/main.rs"];

pub(super) fn run(context: &Context) -> Report {
    let mut tasks = vec![Task::cargo().args(["fmt", "--all", "--check"])];
    for program in OUTSIDE_MODULES.iter().filter(|program| context.checkout.root.join(program).is_file()) {
        tasks.push(Task::new("rustfmt").args(["--check", "--edition", "2024", program]));
    }
    commands::all(context, "fmt", &tasks)
}
