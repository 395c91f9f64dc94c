//! Supervised processes without a sandbox: not isolated, but bounded and ended.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, starts what it tests, and prints what it could not run"
)]

mod support;

use std::future::pending;
use std::time::{Duration, Instant};

use execres_core::{AxisSet, Clock, Limits, Outcome};
use execres_isolation::Sandbox;
use support::{generous, shell};

fn running(marker: &str) -> bool {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let mut lines = entries.filter_map(|entry| std::fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| String::from_utf8_lossy(&line).contains(marker))
}

#[tokio::test]
async fn it_sees_the_host_and_claims_no_axis() {
    let sandbox = Sandbox::new(None);
    let run =
        sandbox.launch_unconfined(&Limits::STANDARD, vec![shell("cd /proc && echo $PPID; id -u; env")]).await.unwrap();
    let report = run.finish(None, pending()).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:?}");
    let text = report.steps[0].stdout.text();
    let uid = rustix::process::geteuid().as_raw().to_string();
    assert_eq!(text.lines().nth(1), Some(uid.as_str()), "{text}");
    assert!(!text.contains("CARGO"), "nothing of the host's environment is passed on: {text}");
    assert_eq!(sandbox.unconfined_report().axes(), AxisSet::EMPTY);
}

#[tokio::test]
async fn a_daemon_is_ended_with_its_run_and_at_the_deadline() {
    let sandbox = Sandbox::new(None);
    for (number, wait, wanted) in
        [(1, "exit 0", Outcome::Exited { code: 0 }), (2, "sleep 1000", Outcome::TimedOut { clock: Clock::Wall })]
    {
        let marker = format!("4{number}{}", std::process::id());
        let limits = Limits { wall_time: generous(Duration::from_secs(1)), ..Limits::STANDARD };
        let script = format!(
            "(setsid sh -c 'trap \"\" TERM; sleep {marker} & sleep {marker}' &) ; while ! pgrep -f 'sleep {marker}' >/dev/null; do :; done; {wait}"
        );
        let started = Instant::now();
        let step = shell(&script).with_variable("PATH", "/usr/bin:/bin");
        let run = sandbox.launch_unconfined(&limits, vec![step]).await.unwrap();
        let report = run.finish(None, pending()).await;
        assert_eq!(report.outcome, wanted, "{report:?}");
        assert!(started.elapsed() < generous(Duration::from_secs(4)), "it returned and did not hang");
        assert!(!running(&format!("sleep\0{marker}")), "the daemon is gone");
    }
}

#[tokio::test]
async fn dropping_the_run_ends_its_tree() {
    let sandbox = Sandbox::new(None);
    let marker = format!("44{}", std::process::id());
    let script = format!("(setsid sleep {marker} &) ; sleep {marker}");
    let run = sandbox
        .launch_unconfined(&Limits::STANDARD, vec![shell(&script).with_variable("PATH", "/usr/bin:/bin")])
        .await
        .unwrap();
    let deadline = Instant::now() + Duration::from_secs(10);
    while !running(&format!("sleep\0{marker}")) {
        assert!(Instant::now() < deadline, "the control: the program starts");
        tokio::task::yield_now().await;
    }
    drop(run);
    while running(&format!("sleep\0{marker}")) {
        assert!(Instant::now() < deadline, "the tree ends after the drop");
        tokio::task::yield_now().await;
    }
}

/// The program has the rights of its supervisor and can end it. What is left then nobody knows, and nobody may claim to.
#[tokio::test]
async fn a_run_whose_supervisor_was_ended_does_not_claim_that_nothing_is_left() {
    let sandbox = Sandbox::new(None);
    for (script, nothing_left) in [("exit 0", true), ("kill -KILL $PPID; exit 0", false)] {
        let run = sandbox.launch_unconfined(&Limits::STANDARD, vec![shell(script)]).await.unwrap();
        let report = run.finish(None, pending()).await;
        assert_eq!(report.nothing_left, nothing_left, "{script}: {report:?}");
        assert_eq!(report.outcome.is_success(), nothing_left, "{script}: {report:?}");
    }
}
