//! What the suites need from the machine, and how to get it.

mod needs;

use std::fs;
use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use crate::checkout::find_program;
use crate::process::{End, Task};
use crate::suite::account;
use needs::Need;

/// Who agrees to an installation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Consent {
    /// The command line did.
    Given,
    /// Somebody at the terminal has to.
    Ask,
}

/// What the machine is like after the set-up step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    Complete,
    Incomplete,
}

/// How packages can be installed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Installer {
    Apt,
    AptThroughSudo,
    None,
}

impl Consent {
    pub(crate) fn from_flag(yes: bool) -> Self {
        if yes { Consent::Given } else { Consent::Ask }
    }
}

impl State {
    pub(crate) fn exit_code(self) -> ExitCode {
        match self {
            State::Complete => ExitCode::SUCCESS,
            State::Incomplete => ExitCode::FAILURE,
        }
    }
}

/// Says what is missing and, where it can and may, installs it. A run goes on without it: suites say what they miss.
pub(crate) fn run(consent: Consent) -> State {
    let missing = needs::missing();
    let packages = needs::packages(&missing);
    let make_account = needs_account();
    if missing.is_empty() && !make_account {
        println!("setup: everything is there");
        return State::Complete;
    }
    for need in &missing {
        println!("setup: {} is missing: {}", need.program, need.what_for);
    }
    let installer = installer();
    if installer == Installer::None && !missing.is_empty() {
        println!("setup: to install by hand (names as on Debian): {}", packages.join(" "));
        return State::Incomplete;
    }
    let tasks = tasks(&packages, make_account, installer);
    println!("setup: would run");
    for task in &tasks {
        println!("    {}", task.shown());
    }
    if !agreed(consent) {
        println!("setup: nothing was changed; agree with `cargo xtask setup --yes`");
        return State::Incomplete;
    }
    for task in &tasks {
        match task.attached() {
            Ok(End::Code(0)) => {}
            Ok(end) => println!("setup: `{}` ended with {end:?}", task.shown()),
            Err(error) => println!("setup: {error}"),
        }
    }
    report(&needs::missing())
}

fn report(missing: &[&'static Need]) -> State {
    for need in missing {
        println!("setup: {} is still missing", need.program);
    }
    if missing.is_empty() { State::Complete } else { State::Incomplete }
}

/// The suite `user` runs as an account that nothing else runs as, when root can make one.
fn needs_account() -> bool {
    rustix::process::geteuid().is_root() && !account::own_exists() && find_program("useradd").is_some()
}

fn installer() -> Installer {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    if !is_debian(&release) || find_program("apt-get").is_none() {
        Installer::None
    } else if rustix::process::geteuid().is_root() {
        Installer::Apt
    } else if find_program("sudo").is_some() {
        Installer::AptThroughSudo
    } else {
        Installer::None
    }
}

/// Whether `/etc/os-release` describes Debian, Ubuntu or something made from them.
fn is_debian(release: &str) -> bool {
    release
        .lines()
        .filter_map(|line| line.strip_prefix("ID=").or_else(|| line.strip_prefix("ID_LIKE=")))
        .any(|ids| ids.trim_matches('"').split_whitespace().any(|id| id == "debian" || id == "ubuntu"))
}

fn tasks(packages: &[&str], make_account: bool, installer: Installer) -> Vec<Task> {
    let mut tasks = Vec::new();
    if !packages.is_empty() {
        let apt = || {
            let task = match installer {
                // `env` carries the setting through sudo, which clears the environment.
                Installer::AptThroughSudo => Task::new("sudo").arg("env"),
                Installer::Apt | Installer::None => Task::new("env"),
            };
            task.args(["DEBIAN_FRONTEND=noninteractive", "apt-get", "-q", "-o", "DPkg::Lock::Timeout=300"])
        };
        tasks.push(apt().arg("update"));
        tasks.push(apt().args(["install", "-y", "--no-install-recommends"]).args(packages));
    }
    if make_account {
        let options = ["--system", "--user-group", "--no-create-home", "--shell", "/usr/sbin/nologin"];
        tasks.push(Task::new("useradd").args(options).arg(account::OWN));
    }
    tasks
}

fn agreed(consent: Consent) -> bool {
    if consent == Consent::Given {
        return true;
    }
    if !io::stdin().is_terminal() {
        return false;
    }
    print!("setup: go on? [y/N] ");
    let mut answer = String::new();
    if io::stdout().flush().is_err() || io::stdin().lock().read_line(&mut answer).is_err() {
        return false;
    }
    matches!(answer.trim(), "y" | "Y" | "yes")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_debian_and_what_is_made_from_it() {
        assert!(is_debian("NAME=x\nID=debian\n"));
        assert!(is_debian("ID=linuxmint\nID_LIKE=\"ubuntu debian\"\n"));
        assert!(!is_debian("ID=fedora\n"));
        assert!(!is_debian(""));
    }

    #[test]
    fn installs_nothing_that_is_not_needed() {
        assert!(tasks(&[], false, Installer::Apt).is_empty());
        let shown: Vec<String> = tasks(&["attr"], false, Installer::Apt).iter().map(Task::shown).collect();
        assert_eq!(shown.len(), 2);
        assert!(shown[1].ends_with("install -y --no-install-recommends attr"), "{shown:?}");
    }
}
