//! The handlers that ask a person, in a process of their own that has a terminal or has none.

#![cfg(target_os = "linux")]
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test fails by panicking, and starts itself again as a process that prints"
)]

#[path = "support/plain.rs"]
mod plain;

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use execres_core::{Kind, Manager, OwnerId, ProviderId, Requirement, ResourceKey};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use plain::Plain;

/// Set in the process that asks; says what it does.
const ROLE: &str = "EXECRES_TERMINAL_ROLE";

fn kind() -> Kind {
    Kind::new("thing").unwrap()
}

fn manager() -> Manager {
    let manager = Manager::builder().build();
    manager.register_provider(Plain(ProviderId::new("plain").unwrap(), [kind()])).unwrap();
    manager
}

fn gated(subject: &str) -> Requirement {
    let builder = Requirement::builder(kind()).owner(OwnerId::new("host").unwrap()).needs_approval();
    builder.resource_key(ResourceKey::new(subject).unwrap()).build().unwrap()
}

/// How an ensure that asks ended, in a word.
fn outcome(manager: &Manager, subject: &str) -> String {
    match manager.blocking().ensure(gated(subject)) {
        Ok(_) => "approved".to_owned(),
        Err(error) => format!("{}: {error}", error.code()),
    }
}

/// What the process that asks does. It writes what became of it to its standard output, which is a pipe.
fn act(role: &str) {
    let manager = manager();
    match role {
        "one" => println!("RESULT {}", outcome(&manager, "first")),
        "two" => {
            let other = manager.clone();
            let second = std::thread::spawn(move || outcome(&other, "asked"));
            let first = outcome(&manager, "asked too");
            println!("RESULT {first} and {}", second.join().unwrap());
        }
        "timeout" => {
            manager.settings().set_input_timeout(Duration::from_millis(100)).unwrap();
            println!("RESULT {}", outcome(&manager, "first"));
            let mut terminal = File::open("/dev/tty").unwrap();
            println!("DENIED");
            let mut later = [0; 64];
            let length = terminal.read(&mut later).unwrap();
            println!("LATER {:?}", String::from_utf8_lossy(&later[..length]));
        }
        other => panic!("no such role: {other}"),
    }
}

/// The person's end of a terminal, and the process that has the other one.
struct Session {
    person: File,
    child: Child,
}

impl Session {
    /// Starts this test again as a process whose controlling terminal is a new one; its standard input is `stdin`, not the terminal.
    fn start(test: &str, role: &str) -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        let program_end: OwnedFd = open(name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).unwrap();
        // `setsid --ctty` makes standard input the controlling terminal; the shell then puts something else in its place.
        let script = r#"exec "$0" --exact "$1" --nocapture < /dev/null"#;
        let child = Command::new("setsid")
            .args(["--ctty", "sh", "-c", script])
            .arg(std::env::current_exe().unwrap())
            .arg(test)
            .env(ROLE, role)
            .stdin(Stdio::from(program_end))
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        Session { person: File::from(person), child }
    }

    fn see(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        while !String::from_utf8_lossy(&seen).contains(text) {
            let mut part = [0; 512];
            let length = self.person.read(&mut part).unwrap();
            seen.extend_from_slice(&part[..length]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    }

    fn enter(&mut self, text: &str) {
        self.person.write_all(text.as_bytes()).unwrap();
    }

    /// What the process wrote until its end, which has to come by itself.
    fn end(mut self) -> String {
        let mut written = String::new();
        self.child.stdout.take().unwrap().read_to_string(&mut written).unwrap();
        assert!(self.child.wait().unwrap().success(), "{written}");
        written
    }
}

#[test]
fn the_default_handler_asks_at_the_controlling_terminal_and_not_at_standard_input() {
    if let Ok(role) = std::env::var(ROLE) {
        return act(&role);
    }
    let test = "the_default_handler_asks_at_the_controlling_terminal_and_not_at_standard_input";
    for (answer, result) in [("y\n", "RESULT approved"), ("n\n", "RESULT execution_resource.approval_denied")] {
        let mut session = Session::start(test, "one");
        let seen = session.see("[y/N] ");
        assert!(seen.contains("'first'"), "{seen}");
        session.enter(answer);
        let written = session.end();
        assert!(written.contains(result), "{written}");
    }
}

#[test]
fn two_questions_at_once_are_asked_one_after_the_other() {
    if let Ok(role) = std::env::var(ROLE) {
        return act(&role);
    }
    let mut session = Session::start("two_questions_at_once_are_asked_one_after_the_other", "two");
    let first = session.see("[y/N] ");
    assert_eq!(first.matches("[y/N]").count(), 1, "{first}");
    session.enter("y\n");
    let second = session.see("[y/N] ");
    assert_ne!(first.contains("'asked'"), second.contains("'asked'"), "{first}{second}");
    session.enter("y\n");
    let written = session.end();
    assert!(written.contains("RESULT approved and approved"), "{written}");
}

#[test]
fn a_question_that_times_out_denies_takes_nothing_later_and_lets_the_process_end() {
    if let Ok(role) = std::env::var(ROLE) {
        return act(&role);
    }
    let test = "a_question_that_times_out_denies_takes_nothing_later_and_lets_the_process_end";
    let mut session = Session::start(test, "timeout");
    session.see("[y/N] ");
    session.see("not answered");
    let mut written = String::new();
    let mut stdout = session.child.stdout.take().unwrap();
    while !written.contains("DENIED") {
        let mut part = [0; 256];
        let length = stdout.read(&mut part).unwrap();
        written.push_str(&String::from_utf8_lossy(&part[..length]));
    }
    session.enter("typed later\n");
    stdout.read_to_string(&mut written).unwrap();
    assert!(session.child.wait().unwrap().success(), "{written}");
    assert!(written.contains("RESULT execution_resource.approval_denied"), "{written}");
    assert!(written.contains(r#"LATER "typed later\n""#), "{written}");
}

#[test]
fn without_a_terminal_it_is_denied_at_once() {
    if let Ok(role) = std::env::var(ROLE) {
        return act(&role);
    }
    let output = Command::new("setsid")
        .arg("--wait")
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "without_a_terminal_it_is_denied_at_once", "--nocapture"])
        .env(ROLE, "one")
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let written = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(written.contains("no interactive terminal"), "{written}");
}
