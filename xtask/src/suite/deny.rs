//! The suite `deny`.

use crate::checkout::find_program;
use crate::process::Task;
use crate::report::{Excuse, Report};
use crate::suite::{Context, commands};

pub(super) fn run(context: &Context) -> Report {
    if find_program("cargo-deny").is_none() {
        return Report::NotRun {
            reason: "cargo-deny is not installed: `cargo install cargo-deny --locked`".into(),
            excuse: Excuse::Optional,
        };
    }
    let check = ["deny", "--all-features", "check", "bans", "licenses", "sources"];
    commands::all(context, "deny", &[Task::cargo().args(check)])
}
