//! The suite `kernels`: the isolation tests on kernels that this machine does not run, each in a virtual machine.
//!
//! A guest has Debian's own kernel and this machine's root, which it can only read. Emulation in software is enough: a guest
//! is up in five seconds.

mod archive;
mod kernel;
mod machine;
mod packages;
mod share;
mod transcript;
mod vm;

use std::error::Error;

use crate::checkout::find_program;
use crate::libtest::{Skip, SkipKind, Tally};
use crate::report::{Excuse, Report};
use crate::suite::Context;
use crate::suite::test_binaries::{keep_log, show};
use crate::suite::user::{account, built};
use kernel::{Kernel, Release};
use machine::Machine;

/// The crate whose tests meet the kernel.
const CRATE: &str = "execres-isolation";

pub(super) fn run(context: &Context) -> Report {
    if !rustix::process::geteuid().is_root() {
        return optional("only root can show a guest this machine's root as it is");
    }
    for (program, package) in [(vm::PROGRAM, "qemu-system-x86"), ("setpriv", "util-linux"), ("dpkg-deb", "dpkg")] {
        if find_program(program).is_none() {
            return optional(format!("{program} is not installed (package {package}): `cargo xtask setup`"));
        }
    }
    if let Err(error) = kernel::shell() {
        return optional(error.to_string());
    }
    let Some(account) = account::find() else {
        return optional("there is no account execres-test or nobody: `cargo xtask setup` makes one");
    };
    let fetched = Release::ALL.iter().map(|release| (*release, kernel::get(&context.checkout, *release)));
    let mut kernels = Vec::new();
    let mut reasons = Vec::new();
    for (release, kernel) in fetched {
        match kernel {
            Ok(kernel) => kernels.push(kernel),
            Err(error) => reasons.push((release, error.to_string())),
        }
    }
    if kernels.is_empty() {
        let reason = reasons.pop().map(|(_, reason)| reason).unwrap_or_default();
        return optional(format!("no kernel of Debian's can be had here: {reason}"));
    }
    match attempt(context, &account, &kernels, &reasons) {
        Ok(report) => report,
        Err(error) => Report::broken(error.to_string()),
    }
}

fn optional(reason: impl Into<String>) -> Report {
    Report::NotRun { reason: reason.into(), excuse: Excuse::Optional }
}

/// Runs the machines whose kernels are there. The others are told as not run.
fn attempt(
    context: &Context,
    account: &account::Account,
    kernels: &[Kernel],
    reasons: &[(Release, String)],
) -> Result<Report, Box<dyn Error>> {
    let binaries = match built::build(&context.checkout, &[CRATE])? {
        Ok(binaries) => binaries,
        Err(finished) => {
            show(&finished, &keep_log(&context.checkout, "kernels", &finished));
            return Ok(Report::broken("the tests do not build"));
        }
    };
    let mut tally = Tally::default();
    for machine in machine::ALL {
        if let Some(kernel) = kernels.iter().find(|kernel| kernel.release == machine.release) {
            tally.add(one(context, account, kernel, machine, &binaries)?);
        } else {
            let reason = reasons.iter().find(|(release, _)| *release == machine.release).map(|(_, reason)| reason);
            let reason = format!("optional: no kernel for it: {}", reason.map_or("no reason given", String::as_str));
            tally.skips.push(Skip { test: machine.name.into(), reason, kind: SkipKind::Unmet });
        }
    }
    Ok(Report::Ran(tally))
}

/// Boots one machine, runs what it is there for, and counts.
fn one(
    context: &Context,
    account: &account::Account,
    kernel: &Kernel,
    machine: &Machine,
    binaries: &[built::TestBinary],
) -> Result<Tally, Box<dyn Error>> {
    let jobs = machine.jobs(context.size);
    let dir = tempfile::Builder::new().prefix("kernels-").tempdir_in(&context.checkout.target)?;
    let share = share::make(dir.path(), &jobs, account, context.size, binaries)?;
    let initramfs = dir.path().join("initramfs");
    std::fs::write(&initramfs, kernel.initramfs()?)?;
    let patience = vm::BOOT + jobs.iter().map(|job| job.patience).sum();
    let (finished, console) = vm::run(kernel, machine, &initramfs, &share, dir.path(), patience)?;
    let read = transcript::read(&finished.stdout, &jobs);
    println!("    {}: {}, {}", machine.name, read.about.join(", "), read.summary());
    let mut tally = read.tally;
    if tally.failed > 0 {
        let name = format!("kernels-{}", machine.name);
        let log = keep_log(&context.checkout, &name, &finished);
        std::fs::write(log.with_extension("console"), console)?;
        show(&finished, &log);
    }
    for failure in &mut tally.failures {
        *failure = format!("{}: {failure}", machine.name);
    }
    Ok(tally)
}
