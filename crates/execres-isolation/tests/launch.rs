//! The launcher on real programs.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts what it tests"
)]

use std::future::pending;

use execres_core::Outcome;
use execres_isolation::{HandUp, Profile, RunReport, Sandbox, Step};

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

#[tokio::test]
async fn an_overlay_takes_what_is_written_and_its_layers_are_out_of_reach() {
    let lower = tempfile::tempdir().unwrap();
    std::fs::set_permissions(lower.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    std::fs::create_dir(lower.path().join("output")).unwrap();
    std::fs::write(lower.path().join("given"), "given").unwrap();
    let profile = Profile::deny_all()
        .scratch("/work/output".as_ref(), HandUp::Yes)
        .unwrap()
        .working_copy(lower.path(), "/work/source".as_ref())
        .unwrap()
        .alias("/work/output".as_ref(), "/work/source/output".as_ref())
        .unwrap();
    let script = "echo changed > given && echo new > made && echo kept > output/file && cat ../output/file; \
                  ls / /work >/dev/null && echo the control; ls /.execres /.execres/0 /.execres/0/upper; \
                  chmod 755 /.execres; echo x > /.execres/0/upper/made";
    let report = run(&profile, vec![shell(script).in_directory("/work/source")]).await;
    assert_eq!(report.steps[0].stdout.text(), "kept\nthe control\n", "{report:?}");
    let refused = report.steps[0].stderr.text();
    assert_eq!(refused.lines().count(), 5, "{refused}");
    // Nothing of the host's changed, and the host has both layers.
    assert_eq!(std::fs::read_to_string(lower.path().join("given")).unwrap(), "given");
    assert!(!lower.path().join("made").exists());
    let read = |directory: usize, name: &str| {
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW;
        let file = rustix::fs::openat(&report.handed_up[directory], name, flags, rustix::fs::Mode::empty()).unwrap();
        std::io::read_to_string(std::fs::File::from(file)).unwrap()
    };
    assert_eq!(
        (read(0, "file").as_str(), read(1, "made").as_str(), read(1, "given").as_str()),
        ("kept\n", "new\n", "changed\n")
    );
}
