//! The launcher on real programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts what it tests"
)]

use std::future::pending;

use execres_core::Outcome;
use execres_isolation::{Profile, RunReport, Sandbox, Step};

async fn run(profile: &Profile, steps: Vec<Step>) -> RunReport {
    let sandbox = Sandbox::new(None);
    let run = sandbox.launch(profile, steps).await.unwrap();
    run.finish(None, pending()).await
}

fn shell(script: &str) -> Step {
    Step::new("/bin/sh", ["-c", script])
}

#[tokio::test]
async fn a_program_runs_and_its_output_is_captured() {
    let report = run(&Profile::deny_all(), vec![shell("echo out; echo err >&2; exit 3")]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 3 }, "{report:?}");
    assert_eq!(report.steps[0].stdout.text(), "out\n");
    assert_eq!(report.steps[0].stderr.text(), "err\n");
}
