//! Questions at a real terminal: the slave end of a pseudo-terminal, whose master end plays the person.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{Mode, OFlags, fcntl_getfl, fcntl_setfl, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

use super::input::{Input, Patience};
use super::prompt::{answer_approves, question, shown};
use super::terminal::Terminal;
use super::*;
use crate::{Kind, NetworkMode, OwnerId, Policy, RequirementId, ResourceKey, Scope};

/// A pseudo-terminal: the person's end, and the name of the program's.
struct Pair {
    person: File,
    name: std::ffi::CString,
}

impl Pair {
    fn open() -> Self {
        let person = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&person).unwrap();
        unlockpt(&person).unwrap();
        let name = ptsname(&person, Vec::new()).unwrap();
        Pair { person: File::from(person), name }
    }

    fn program_end(&self, flags: OFlags) -> OwnedFd {
        open(self.name.as_c_str(), OFlags::RDWR | OFlags::NOCTTY | flags, Mode::empty()).unwrap()
    }

    fn terminal(&self) -> Terminal {
        Terminal::of(self.program_end(OFlags::NONBLOCK)).unwrap()
    }

    /// Reads what the person sees, until this text.
    fn see(&self, text: &str) -> String {
        let mut seen = Vec::new();
        let mut person = &self.person;
        while !String::from_utf8_lossy(&seen).contains(text) {
            let mut part = [0; 512];
            let length = person.read(&mut part).unwrap();
            seen.extend_from_slice(&part[..length]);
        }
        String::from_utf8(seen).unwrap()
    }

    fn enter(&self, text: &str) {
        (&self.person).write_all(text.as_bytes()).unwrap();
    }

    /// What a program that reads the terminal later gets, without waiting.
    fn left(&self) -> String {
        let program = self.program_end(OFlags::NONBLOCK);
        let mut part = [0; 512];
        let length = rustix::io::read(&program, &mut part).unwrap_or(0);
        String::from_utf8_lossy(&part[..length]).into_owned()
    }
}

fn request(subject: &str) -> ApprovalRequest {
    ApprovalRequest {
        id: crate::ApprovalRequestId::generate(),
        digest: crate::QuestionDigest::of([0; 32]),
        source: ApprovalSource::ExecutionResource,
        risk: Risk::Resource,
        kind: Kind::new("docker").unwrap(),
        subject: ResourceKey::new(subject).unwrap(),
        reason: None,
        requirement_id: RequirementId::new("r").unwrap(),
        policy: Arc::new(Policy::new()),
        scope: Scope::Session,
        owner: OwnerId::new("session-1").unwrap(),
        action_call_id: None,
        input_timeout: Duration::from_secs(30),
    }
}

/// Asks on another thread, as a program would, and says what came of it.
fn ask(pair: &Pair, limit: Option<Duration>) -> std::thread::JoinHandle<std::io::Result<Option<String>>> {
    let end = pair.program_end(OFlags::NONBLOCK);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async { Terminal::of(end)?.ask("Approve? [y/N] ", limit).await })
    })
}

#[test]
fn the_answer_is_one_line_and_nothing_after_it_is_taken() {
    let pair = Pair::open();
    let asked = ask(&pair, Some(Duration::from_secs(60)));
    pair.see("[y/N] ");
    pair.enter("y\nthe next line\n");
    assert_eq!(asked.join().unwrap().unwrap().as_deref(), Some("y"));
    assert_eq!(pair.left(), "the next line\n");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    let pair = Pair::open();
    let _keeps_it_open = pair.program_end(OFlags::NONBLOCK);
    pair.enter("y\n");
    pair.see("y");
    let asked = ask(&pair, Some(Duration::from_secs(60)));
    pair.see("[y/N] ");
    pair.enter("n\n");
    assert_eq!(asked.join().unwrap().unwrap().as_deref(), Some("n"));
}

#[test]
fn a_question_that_timed_out_takes_nothing_that_is_typed_later() {
    let pair = Pair::open();
    let _keeps_it_open = pair.program_end(OFlags::NONBLOCK);
    let asked = ask(&pair, Some(Duration::from_millis(50)));
    pair.see("[y/N] ");
    pair.enter("half an ans");
    assert_eq!(asked.join().unwrap().unwrap(), None);
    pair.see("not answered");
    pair.enter("later\n");
    pair.see("later");
    assert_eq!(pair.left(), "later\n", "neither is it taken, nor is it the end of half an answer");
}

#[test]
fn the_end_of_the_terminal_denies() {
    let pair = Pair::open();
    let asked = ask(&pair, None);
    pair.see("[y/N] ");
    pair.enter("\u{4}");
    assert_eq!(asked.join().unwrap().unwrap(), None);
}

#[test]
fn a_terminal_in_raw_mode_is_read_to_the_end_of_the_line_too() {
    let pair = Pair::open();
    let end = pair.program_end(OFlags::NONBLOCK);
    let mut raw = rustix::termios::tcgetattr(&end).unwrap();
    raw.make_raw();
    rustix::termios::tcsetattr(&end, rustix::termios::OptionalActions::Now, &raw).unwrap();
    let asked = ask(&pair, Some(Duration::from_secs(60)));
    pair.see("[y/N] ");
    pair.enter("yes\rafter");
    assert_eq!(asked.join().unwrap().unwrap().as_deref(), Some("yes"));
    assert_eq!(pair.left(), "after");
}

#[test]
fn what_is_too_long_to_be_an_answer_is_none() {
    let pair = Pair::open();
    let asked = ask(&pair, Some(Duration::from_secs(60)));
    pair.see("[y/N] ");
    pair.enter(&format!("y{}\n", " ".repeat(200)));
    let answer = asked.join().unwrap().unwrap().unwrap();
    assert!(!answer_approves(&answer), "{answer:?}");
}

#[tokio::test]
async fn what_is_no_terminal_is_refused_and_the_answer_is_no_at_once() {
    let (reader, _writer) = rustix::pipe::pipe().unwrap();
    assert!(Terminal::of(reader).is_err());
    let pair = Pair::open();
    drop(pair.terminal());
    for patience in [Patience::Limited, Patience::Unlimited] {
        let decision = Input::nowhere(patience).decide(&request("build")).await;
        let Decision::Denied { reason } = decision else { panic!("{decision:?}") };
        assert!(reason.contains("no interactive terminal"), "{reason}");
    }
}

#[test]
fn the_mode_of_the_terminal_that_others_have_open_stays() {
    let pair = Pair::open();
    let others = pair.program_end(OFlags::empty());
    let before = fcntl_getfl(&others).unwrap();
    let asked = ask(&pair, Some(Duration::from_secs(60)));
    pair.see("[y/N] ");
    assert_eq!(fcntl_getfl(&others).unwrap(), before);
    assert!(!before.contains(OFlags::NONBLOCK));
    pair.enter("n\n");
    asked.join().unwrap().unwrap();
    fcntl_setfl(&others, before | OFlags::NONBLOCK).unwrap();
    assert_ne!(fcntl_getfl(&others).unwrap(), before, "the control: a change shows");
}

#[test]
fn only_yes_approves() {
    for yes in ["y", "Y", " yes ", "YES"] {
        assert!(answer_approves(yes), "{yes:?}");
    }
    for no in ["", "n", "no", "yep", "y y", "yes!", "ｙ", "\u{1b}y", "true", "1"] {
        assert!(!answer_approves(no), "{no:?}");
    }
}

#[test]
fn nothing_in_the_request_can_forge_the_question() {
    let mut request = request("harmless");
    request.reason =
        Some("\r\nApprove? [y/N] \u{1b}[2J\u{1b}[H\u{202e}evil\u{2028}\u{7}\u{9b}1A' (approved)".to_owned());
    request.risk = Risk::IsolationOff;
    request.policy = Arc::new(Policy::new().with_network(NetworkMode::None));
    let text = question(&request, Some(Duration::from_secs(30)));
    let allowed = |character: char| matches!(character, '\r' | '\n') || !character.is_control();
    assert!(text.chars().all(allowed), "{text:?}");
    assert!(!text.contains(['\u{202e}', '\u{2028}', '\u{9b}']), "{text:?}");
    assert_eq!(text.lines().count(), 8, "a text of the request adds no line: {text}");
    insta::assert_snapshot!(text.replace('\r', ""));
}

#[test]
fn a_long_text_is_cut_and_quotes_are_escaped() {
    assert_eq!(shown(&"x".repeat(1000)).chars().count(), 121);
    assert_eq!(shown("it's"), r"it\'s");
}
