//! The suite `attacks`: the corpus under every configuration, with the matrix on the terminal.

use std::error::Error;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use super::account::{self, Account};
use super::test_binaries::{count, keep_log, show};
use crate::libtest::{Skip, SkipKind, Tally};
use crate::process::Task;
use crate::report::Report;
use crate::suite::Context;

/// The program that runs the corpus, which holds all of it.
const PROGRAM: &str = "execres-attacks";

pub(super) fn run(context: &Context) -> Report {
    let build = Task::cargo().args(["build", "--color", "never", "-p", PROGRAM]).dir(&context.checkout.root);
    match build.capture() {
        Ok(finished) if finished.succeeded() => {}
        Ok(finished) => {
            show(&finished, &keep_log(&context.checkout, "attacks", &finished));
            return Report::broken(format!("`{}`", build.shown()));
        }
        Err(error) => return Report::broken(error.to_string()),
    }
    match attempt(context) {
        Ok(tally) => Report::Ran(tally),
        Err(error) => Report::broken(error.to_string()),
    }
}

fn attempt(context: &Context) -> Result<Tally, Box<dyn Error>> {
    let program = context.checkout.target.join("debug").join(PROGRAM);
    let mut tally = one(context, "attacks", Task::new(&program))?;
    if !rustix::process::geteuid().is_root() {
        return Ok(tally);
    }
    let Some(account) = account::find() else {
        let reason = "there is no account execres-test or nobody: `cargo xtask setup` makes one".into();
        tally.skips.push(Skip { test: "as an ordinary user".into(), reason, kind: SkipKind::Unmet });
        return Ok(tally);
    };
    tally.add(as_account(context, &account, &program)?);
    Ok(tally)
}

/// The same program as an ordinary user, from a directory that the user can read.
fn as_account(context: &Context, account: &Account, program: &Path) -> Result<Tally, Box<dyn Error>> {
    let dir = tempfile::Builder::new().prefix("execres-attacks-user-").tempdir_in("/var/tmp")?;
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755))?;
    let copy = dir.path().join(PROGRAM);
    std::fs::copy(program, &copy)?;
    std::fs::set_permissions(&copy, std::fs::Permissions::from_mode(0o755))?;
    let private = dir.path().join("private");
    std::fs::create_dir(&private)?;
    chown(&private, Some(account.uid), Some(account.gid))?;
    let task = account.task(&copy).empty_env().env("PATH", super::user::SEARCH_PATH).env("LANG", "C.UTF-8");
    let task = ["HOME", "TMPDIR"].into_iter().fold(task, |task, name| task.env(name, &private));
    println!("    as {} ({}:{})", account.name, account.uid, account.gid);
    one(context, "attacks-user", task.dir(dir.path()))
}

fn one(context: &Context, log: &str, task: Task) -> Result<Tally, Box<dyn Error>> {
    let task = task.env("EXECRES_TEST_SIZE", context.size.to_string());
    let finished = task.capture()?;
    keep_log(&context.checkout, log, &finished);
    for line in finished.stdout.lines().filter(|line| !line.starts_with("test ") && !line.starts_with("EXECRES-SKIP")) {
        println!("    {line}");
    }
    for line in finished.stderr.lines() {
        println!("    {line}");
    }
    Ok(count(&finished, PROGRAM))
}
