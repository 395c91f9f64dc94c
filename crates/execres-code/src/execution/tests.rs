use std::fs::{self, File};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::Duration;

use cap_std::ambient_authority;
use execres_core::{
    Attempt, Axis, AxisEvidence, Captured, IsolationReport, LimitKind, NetworkMode, Outcome, Usage, Verdict,
};
use execres_owner::{OwnerRegistry, StateDir};
use execres_workspace::{
    AccessRequest, CallId, CollectCaps, Collected, OutputPath, RelativePath, Role, TaskWorkspace, TreeBounds, collect,
    list_tree,
};

use super::*;
use crate::{Bundle, CodeJob, CodeRequest, Language};

/// A job of a real bundle under a real grant.
struct Fixture {
    job: CodeJob,
    _workspace: TaskWorkspace,
    _state: tempfile::TempDir,
}

impl Fixture {
    fn new(request: &CodeRequest) -> Self {
        let state = tempfile::tempdir().unwrap();
        let registry = OwnerRegistry::open(StateDir::open_at(&state.path().join("state")).unwrap()).unwrap();
        let workspace = TaskWorkspace::temporary(registry, ambient_authority()).unwrap();
        let grant = workspace.issue(CallId::parse("call-1").unwrap(), AccessRequest::snapshot()).unwrap();
        let bundle = Arc::new(request.bundle().unwrap());
        let manifest = grant.materialize(bundle.files()).unwrap();
        let job = CodeJob::new(bundle, Arc::new(manifest), Arc::new(grant));
        Fixture { job, _workspace: workspace, _state: state }
    }

    fn bundle(&self) -> &Bundle {
        &self.job.bundle
    }

    /// What happens when each step ends like this and the program writes these files under `output/`.
    fn parts(&self, outcomes: &[Outcome], written: &[&str]) -> ExecutionParts {
        let evidence = AxisEvidence {
            axis: Axis::ProcessContained,
            attempts: vec![Attempt::new("signal_host_process", Verdict::Verified, "the host process got no signal")],
        };
        let isolation = IsolationReport::new("probe-1", NetworkMode::None, vec![evidence]);
        let mut parts = ExecutionParts::new(&self.job, "sandbox", isolation, Trust::Isolated);
        for (step, outcome) in self.bundle().steps().zip(outcomes) {
            let mut usage = Usage::default();
            usage.wall = Duration::from_millis(250);
            let name = step.shown()[0].clone();
            let stream = |kind: &str| {
                let text = format!("{name} {kind}\n");
                Captured::new(text.clone().into_bytes(), Vec::new(), text.len() as u64, true)
            };
            parts.steps.push(StepReport::new(step, outcome.clone(), stream("out"), stream("err"), usage));
        }
        parts.collected = self.collected(written);
        parts
    }

    fn collected(&self, written: &[&str]) -> Collected {
        let guest = tempfile::tempdir().unwrap();
        for path in written {
            fs::write(guest.path().join(path), path).unwrap();
        }
        let untrusted = File::open(guest.path()).unwrap();
        let into = self.job.grant.dir(Role::Kept);
        collect(untrusted.as_fd(), self.bundle().outputs(), &CollectCaps::default(), into).unwrap()
    }
}

const OK: Outcome = Outcome::Exited { code: 0 };

fn python() -> CodeRequest {
    CodeRequest::new(Language::parse("python").unwrap()).source("x").output(OutputPath::parse("output/a.txt").unwrap())
}

fn codes(execution: &CodeExecution) -> Vec<&str> {
    execution.diagnostics.iter().map(|diagnostic| diagnostic.code.as_ref()).collect()
}

#[test]
fn success_is_exit_code_0_and_every_output() {
    let fixture = Fixture::new(&python());
    let execution = fixture.parts(&[OK], &["a.txt"]).conclude();
    assert!(execution.is_success() && execution.diagnostics.is_empty());
    assert_eq!(execution.outputs[0].path, "output/a.txt");
}

#[test]
fn a_missing_output_is_an_error_that_keeps_what_the_program_said() {
    let fixture = Fixture::new(&python());
    let execution = fixture.parts(&[Outcome::Exited { code: 3 }], &[]).conclude();
    assert_eq!(execution.status, Status::Error);
    assert_eq!(execution.outcome, Outcome::Exited { code: 3 });
    assert_eq!(execution.stderr.text(), "python err\n");
    assert_eq!(execution.missing_outputs, [OutputPath::parse("output/a.txt").unwrap()]);
    let execution = fixture.parts(&[OK], &[]).conclude();
    assert_eq!((execution.status, execution.outcome), (Status::Error, OK), "exit code 0 alone is no success");
}

#[test]
fn no_other_outcome_is_a_success() {
    let fixture = Fixture::new(&CodeRequest::new(Language::parse("python").unwrap()).source("x"));
    assert!(fixture.parts(&[OK], &[]).conclude().is_success(), "control");
    for outcome in [
        Outcome::Exited { code: 1 },
        Outcome::Signaled { signal: 9 },
        Outcome::OutOfMemory,
        Outcome::LimitExceeded { limit: LimitKind::Output },
        Outcome::Cancelled,
        Outcome::Lost { reason: "gone".into() },
    ] {
        let execution = fixture.parts(std::slice::from_ref(&outcome), &[]).conclude();
        assert!(!execution.is_success(), "{outcome}");
        let mut parts = fixture.parts(&[OK], &[]);
        parts.failure = Some(outcome.clone());
        let execution = parts.conclude();
        assert!(!execution.is_success());
        assert_eq!(execution.outcome, outcome, "what ended the job decides over its steps");
    }
    let nothing_ran = fixture.parts(&[], &[]).conclude();
    assert!(matches!(nothing_ran.outcome, Outcome::Lost { .. }) && !nothing_ran.is_success());
}

#[test]
fn a_failed_build_decides_and_its_streams_are_shown() {
    let request = CodeRequest::new(Language::parse("c").unwrap()).source("x").output(OutputPath::ALL);
    let fixture = Fixture::new(&request);
    let execution = fixture.parts(&[Outcome::Exited { code: 1 }], &[]).conclude();
    assert_eq!(execution.outcome, Outcome::Exited { code: 1 });
    assert_eq!(execution.stderr.text(), "cc err\n");
    assert_eq!(codes(&execution), ["code_execution.build_failed"]);
    assert_eq!(execution.diagnostics[0].message, "the build step cc exited with code 1, so the program was not run");

    let only_built = fixture.parts(&[OK], &[]).conclude();
    assert!(matches!(only_built.outcome, Outcome::Lost { .. }), "a build alone is no run");
    let both = fixture.parts(&[OK, OK], &[]).conclude();
    assert_eq!(both.stdout.text(), "../build/app out\n");
    assert_eq!(both.steps[0].stdout.as_ref().unwrap().text(), "cc out\n");
    assert!(both.steps[1].stdout.is_none(), "its streams are the result's own");
    assert_eq!(both.usage.wall, Duration::from_millis(500));
}

#[test]
fn what_was_written_elsewhere_is_named_and_explains_what_is_missing() {
    let request = python().file(RelativePath::parse("data.txt").unwrap(), "12345");
    let fixture = Fixture::new(&request);
    let scratch = tempfile::tempdir().unwrap();
    for (path, content) in [("main.py", "x"), ("data.txt", "123456"), ("plots/a.txt", "x"), ("output/kept", "x")] {
        fs::create_dir_all(scratch.path().join(path).parent().unwrap()).unwrap();
        fs::write(scratch.path().join(path), content).unwrap();
    }
    let listing = list_tree(File::open(scratch.path()).unwrap().as_fd(), TreeBounds::default()).unwrap();
    let mut parts = fixture.parts(&[OK], &[]);
    parts.not_kept = not_kept(&listing, &fixture.job.manifest);
    let named: Vec<_> = parts.not_kept.files.iter().map(|file| (file.path.as_str(), file.change)).collect();
    // A file in the layer was written, also where its size is what it was.
    let wanted = [("data.txt", Change::Changed), ("main.py", Change::Changed), ("plots/a.txt", Change::Added)];
    assert_eq!(named, wanted);
    let execution = parts.conclude();
    assert_eq!(codes(&execution), ["code_execution.output_missing", "code_execution.not_kept"]);
    let suggestion = execution.diagnostics[0].suggestion.as_deref();
    assert_eq!(suggestion, Some("the program wrote plots/a.txt instead; write output/a.txt"));
}

#[test]
fn the_json_is_what_the_command_line_prints() {
    let fixture = Fixture::new(&python().output(OutputPath::parse("output/none").unwrap()));
    let mut parts = fixture.parts(&[OK], &["a.txt"]);
    parts.fallback = Some(Fallback { preferred: "docker".into(), why: "no engine answers".into() });
    let mut json = serde_json::to_value(parts.conclude()).unwrap();
    for random in ["grant_id", "workspace_id"] {
        json[random] = format!("[{random}]").into();
    }
    insta::with_settings!({sort_maps => true}, { insta::assert_json_snapshot!(json) });
}
