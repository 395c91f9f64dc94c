//! The suite `user`: the isolation and command line tests again, as an unprivileged user.

pub(crate) mod account;
pub(crate) mod built;

use std::error::Error;
use std::os::unix::fs::{PermissionsExt, chown};
use std::path::Path;

use crate::checkout::{Checkout, find_program};
use crate::clean_copy;
use crate::libtest::Tally;
use crate::report::{Excuse, Report};
use crate::suite::Context;
use crate::suite::test_binaries::{count, keep_log, show};
use account::Account;
use built::TestBinary;

/// The crates whose behaviour depends on who runs them.
const CRATES: &[&str] = &[
    "execres-owner",
    "execres-isolation",
    "execres-attacks",
    "execres-workspace",
    "execres-code",
    "execres-provider-local",
    "execres",
    "execres-cli",
];

/// What a user's programs are looked for in; root's own search path may lead to places that only root can enter.
pub(super) const SEARCH_PATH: &str = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

pub(super) fn run(context: &Context) -> Report {
    if !rustix::process::geteuid().is_root() {
        let reason = "the whole run is by an unprivileged user".into();
        return Report::NotRun { reason, excuse: Excuse::Covered };
    }
    let Some(account) = account::find() else {
        return Report::not_run("there is no account execres-test or nobody: `cargo xtask setup` makes one");
    };
    if find_program("setpriv").is_none() {
        return Report::not_run("setpriv is not installed (package util-linux)");
    }
    match attempt(context, &account) {
        Ok(report) => report,
        Err(error) => Report::broken(error.to_string()),
    }
}

fn attempt(context: &Context, account: &Account) -> Result<Report, Box<dyn Error>> {
    let dir = tempfile::Builder::new().prefix("execres-user-").tempdir_in("/var/tmp")?;
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755))?;
    let checkout = reachable(&context.checkout, account, dir.path())?;
    let binaries = match built::build(&checkout, CRATES)? {
        Ok(binaries) => binaries,
        Err(finished) => {
            show(&finished, &keep_log(&context.checkout, "user", &finished));
            return Ok(Report::broken("the tests do not build"));
        }
    };
    if binaries.is_empty() {
        return Ok(Report::not_run("none of the crates has tests yet"));
    }
    println!("    as {} ({}:{})", account.name, account.uid, account.gid);
    let mut tally = Tally::default();
    for binary in &binaries {
        tally.add(one(context, &checkout, account, binary)?);
    }
    Ok(Report::Ran(tally))
}

/// The checkout itself when the account can read what was built there, else a copy that it can.
fn reachable(checkout: &Checkout, account: &Account, dir: &Path) -> Result<Checkout, Box<dyn Error>> {
    let readable = |path: &Path| -> Result<bool, Box<dyn Error>> {
        Ok(account.task("test").arg("-r").arg(path).capture()?.succeeded())
    };
    if readable(&checkout.root.join("Cargo.toml"))? && readable(&checkout.target.join("CACHEDIR.TAG"))? {
        return Ok(checkout.clone());
    }
    println!("    {} cannot read {}: building in a copy", account.name, checkout.root.display());
    let copy = Checkout { root: dir.join("execres"), target: dir.join("target") };
    clean_copy::make(checkout, &copy.root)?;
    Ok(copy)
}

/// Runs one test binary with a home, a temporary directory and a state directory of its own.
fn one(
    context: &Context,
    checkout: &Checkout,
    account: &Account,
    binary: &TestBinary,
) -> Result<Tally, Box<dyn Error>> {
    let dir = tempfile::Builder::new().prefix("execres-user-").tempdir_in("/var/tmp")?;
    for (variable, name) in PRIVATE_DIRS {
        let private = dir.path().join(name);
        std::fs::create_dir(&private).map_err(|error| format!("{variable}: {error}"))?;
        chown(&private, Some(account.uid), Some(account.gid))?;
        std::fs::set_permissions(&private, std::fs::Permissions::from_mode(0o700))?;
    }
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755))?;
    let mut task = account.task(&binary.executable).arg("--show-output").dir(&binary.package_dir).empty_env();
    for (variable, name) in PRIVATE_DIRS {
        task = task.env(variable, dir.path().join(name));
    }
    let task = task
        .env("PATH", SEARCH_PATH)
        .env("LANG", "C.UTF-8")
        .env("USER", &account.name)
        .env("CARGO_MANIFEST_DIR", &binary.package_dir)
        // Snapshots are compared, never written, and cargo is not asked where the workspace is.
        .env("INSTA_UPDATE", "no")
        .env("INSTA_WORKSPACE_ROOT", &checkout.root)
        .env("EXECRES_TEST_SIZE", context.size.to_string());
    let finished = task.capture()?;
    let mut tally = count(&finished, &binary.name);
    if tally.failed > 0 {
        show(&finished, &keep_log(&context.checkout, &format!("user-{}", binary.name), &finished));
    }
    for failure in &mut tally.failures {
        *failure = format!("{} {failure}", binary.name);
    }
    Ok(tally)
}

/// Environment variables that name a directory of the run's own, and the directory's name.
const PRIVATE_DIRS: [(&str, &str); 3] = [("HOME", "home"), ("TMPDIR", "tmp"), ("EXECRES_STATE_DIR", "state")];
