//! What a program leaves, and what of it is kept.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::Duration;

use execres::code::{Change, CodeExecution, CodeRequest, Status};
use execres::core::{Clock, Limits, Outcome};
use execres::workspace::Sha256;
use execres::{CancellationToken, CodeCall};
use host::{Host, assert_prints, call, codes, contains, entries, output, request, scratch, shown};

fn outputs(result: &CodeExecution) -> Vec<&str> {
    result.outputs.iter().map(|artifact| artifact.path.as_str()).collect()
}

fn delivered(request: CodeRequest) -> (CodeCall, tempfile::TempDir) {
    let target = tempfile::tempdir().unwrap();
    let mut call = CodeCall::new(request);
    call.deliver_to = Some(target.path().join("made/output"));
    (call, target)
}

#[tokio::test]
async fn declared_files_and_directories_are_delivered_with_their_digests() {
    let source = "\
mkdir -p output/plots/deep ../output/more
printf abc > output/a.txt; printf 1 > ../output/more/b; printf 2 > output/plots/1; printf 3 > output/plots/deep/2
printf no > output/undeclared; touch output/empty";
    let request = ["output/a.txt", "output/more/b", "output/plots/", "output/empty"]
        .into_iter()
        .fold(request("bash", source), |request, path| request.output(output(path)));
    let (call, target) = delivered(request);
    let result = Host::new().run(call).await;
    assert_prints(&result, "");
    assert_eq!(
        outputs(&result),
        ["output/a.txt", "output/empty", "output/more/b", "output/plots/1", "output/plots/deep/2"]
    );
    let place = target.path().join("made/output");
    assert_eq!(entries(&place), ["a.txt", "empty", "more", "plots"], "and nothing half-written beside them");
    for artifact in &result.outputs {
        let file = place.join(artifact.path.strip_prefix("output/").unwrap());
        let content = fs::read(&file).unwrap();
        assert_eq!((artifact.bytes, artifact.sha256), (content.len() as u64, Sha256::of(&content)));
        let metadata = fs::symlink_metadata(&file).unwrap();
        assert_eq!(metadata.uid(), rustix::process::geteuid().as_raw(), "what is delivered is the caller's");
        assert_eq!(metadata.nlink(), 1);
    }
}

#[tokio::test]
async fn nothing_of_the_programs_modes_is_delivered() {
    let source = "\
printf x > output/a; chmod 4777 output/a; touch -d 1999-01-01 output/a
printf x > output/b; chmod 0400 output/b";
    let (call, target) = delivered(request("bash", source).output(output("output/")));
    let result = Host::new().run(call).await;
    assert_prints(&result, "");
    let control = target.path().join("control");
    fs::write(&control, "x").unwrap();
    for name in ["a", "b"] {
        let metadata = fs::metadata(target.path().join("made/output").join(name)).unwrap();
        assert_eq!(metadata.permissions().mode(), fs::metadata(&control).unwrap().permissions().mode(), "{name}");
        assert!(metadata.modified().unwrap().elapsed().unwrap() < Duration::from_secs(600), "{name}");
    }
}

#[tokio::test]
async fn a_file_in_the_way_is_replaced_whole_and_a_link_is_not_followed() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("output");
    fs::create_dir(&target).unwrap();
    fs::write(target.join("a"), "a much longer text that was there before").unwrap();
    let victim = place.path().join("victim");
    fs::write(&victim, "victim").unwrap();
    std::os::unix::fs::symlink(&victim, target.join("b")).unwrap();
    let mut call = CodeCall::new(request("bash", "printf A > output/a; printf B > output/b").output(output("output/")));
    call.deliver_to = Some(target.clone());
    assert_prints(&Host::new().run(call).await, "");
    assert_eq!(fs::read(target.join("a")).unwrap(), b"A");
    assert_eq!(fs::read(target.join("b")).unwrap(), b"B");
    assert_eq!(fs::read(&victim).unwrap(), b"victim");
    assert_eq!(entries(&target), ["a", "b"]);
}

#[tokio::test]
async fn the_longest_name_is_delivered() {
    let name = "n".repeat(255);
    let (call, target) = delivered(request("bash", &format!("printf x > output/{name}")).output(output("output/")));
    assert_prints(&Host::new().run(call).await, "");
    assert_eq!(entries(&target.path().join("made/output")), [name]);
}

#[tokio::test]
async fn a_result_is_not_lost_when_its_files_cannot_be_delivered() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("output/a/in the way")).unwrap();
    let mut call = CodeCall::new(request("bash", "echo said; printf A > output/a").output(output("output/a")));
    call.deliver_to = Some(place.path().join("output"));
    let result = Host::new().run(call).await;
    assert_eq!((result.status, &result.outcome), (Status::Error, &Outcome::Exited { code: 0 }));
    assert_eq!(result.stdout.text(), "said\n");
    assert_eq!(codes(&result), ["workspace.deliver_in_the_way"]);
    assert_eq!(entries(&place.path().join("output")), ["a"], "nothing half-written is left");
}

#[tokio::test]
async fn a_target_that_can_be_no_directory_is_refused_before_anything_runs() {
    let place = tempfile::tempdir().unwrap();
    let target = place.path().join("file");
    fs::write(&target, "").unwrap();
    let mut call = call("bash", "true");
    call.deliver_to = Some(target);
    let error = Host::new().refusal(call).await;
    assert_eq!(error.code(), "execres.output_directory");
}

#[tokio::test]
async fn a_missing_output_keeps_exit_code_and_streams() {
    let host = Host::new();
    let result =
        host.run(CodeCall::new(request("bash", "echo o; echo e >&2; exit 7").output(output("output/x")))).await;
    assert_eq!(result.outcome, Outcome::Exited { code: 7 });
    assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("o\n", "e\n"));
    let result = host.run(CodeCall::new(request("bash", "echo o").output(output("output/x")))).await;
    assert_eq!((result.status, &result.outcome), (Status::Error, &Outcome::Exited { code: 0 }));
    assert_eq!(result.missing_outputs, [output("output/x")]);
    assert_eq!(codes(&result), ["code_execution.output_missing"]);
}

#[tokio::test]
async fn what_was_written_elsewhere_is_suggested_and_named() {
    let source = "mkdir plots; printf x > plots/chart.svg; printf y > data.csv; ln -s /etc/passwd link; mkdir empty";
    let result = Host::new().run(scratch(request("bash", source).output(output("output/chart.svg")))).await;
    assert_eq!((result.status, &result.outcome), (Status::Error, &Outcome::Exited { code: 0 }), "{}", shown(&result));
    let missing = &result.diagnostics[0];
    let suggestion = missing.suggestion.as_deref();
    assert_eq!(suggestion, Some("the program wrote plots/chart.svg instead; write output/chart.svg"));
    assert_eq!(changes(&result), [("data.csv", Change::Added), ("plots/chart.svg", Change::Added)]);
    assert_eq!(codes(&result), ["code_execution.output_missing", "code_execution.not_kept"]);
}

fn changes(result: &CodeExecution) -> Vec<(&str, Change)> {
    result.not_kept.iter().map(|file| (file.path.as_str(), file.change)).collect()
}

#[tokio::test]
async fn a_file_that_was_changed_without_changing_its_size_is_named() {
    let request = request("bash", "printf 12345 > input.txt; chmod 600 main.sh").file(host::path("input.txt"), "54321");
    let result = Host::new().run(scratch(request)).await;
    assert_prints(&result, "");
    assert_eq!(changes(&result), [("input.txt", Change::Changed), ("main.sh", Change::Changed)]);
}

#[tokio::test]
async fn a_scratch_directory_that_was_only_read_has_lost_nothing() {
    let source = "cat main.sh > /tmp/x; printf x > output/a; ls -l > /dev/null";
    let result = Host::new().run(scratch(request("bash", source).output(output("output/")))).await;
    assert_prints(&result, "");
    assert!(result.not_kept.is_empty(), "{:?}", result.not_kept);
    assert!(result.diagnostics.is_empty(), "{:?}", result.diagnostics);
}

#[tokio::test]
async fn the_working_directory_is_read_only_unless_it_is_scratch() {
    let host = Host::new();
    let source = "\
for f in x own data/y; do (echo x > $f) 2>/dev/null && echo wrote $f; done
rm -f own 2>/dev/null && echo removed; chmod 700 data/y 2>/dev/null && echo changed
mkdir d 2>/dev/null && echo made; touch -d 1999-01-01 data/y 2>/dev/null && echo touched
(echo x > y) || true";
    let request = request("bash", source).file(host::path("data/y"), "y").file(host::path("own"), "");
    let result = host.run(CodeCall::new(request.clone())).await;
    assert_prints(&result, "");
    contains(&result.stderr.text(), "y: ", "the program is told");
    let result = host.run(scratch(request)).await;
    // The controls.
    assert_prints(&result, "wrote x\nwrote own\nwrote data/y\nremoved\nchanged\nmade\ntouched\n");
}

#[tokio::test]
async fn links_pipes_and_sockets_are_not_collected() {
    // What it links to is there in the sandbox, and would be on the host.
    let source = "\
import os, socket, stat
os.symlink('/etc/passwd', 'output/symlink')
os.symlink('../../../../../../etc/passwd', 'output/relative')
os.symlink('/etc', 'output/behind')
os.symlink('kept', 'output/inside')
open('output/one', 'w').write('x'); os.link('output/one', 'output/two')
os.mkfifo('output/fifo')
s = socket.socket(socket.AF_UNIX); s.bind('output/socket')
open('output/kept', 'w').write('kept')
assert open('output/symlink').read() and open('output/behind/passwd').read()
";
    let declared = ["symlink", "relative", "behind/passwd", "inside", "one", "two", "fifo", "socket", "kept"];
    let request = declared
        .iter()
        .fold(request("python", source), |request, name| request.output(output(&format!("output/{name}"))));
    let (call, target) = delivered(request);
    let result = Host::new().run(call).await;
    assert_eq!((result.status, &result.outcome), (Status::Error, &Outcome::Exited { code: 0 }), "{}", shown(&result));
    assert_eq!(outputs(&result), ["output/kept"]);
    assert_eq!(entries(&target.path().join("made/output")), ["kept"]);
    let mut refused: Vec<_> =
        result.refused_outputs.iter().map(|refusal| (refusal.path.as_str(), refusal.reason.code())).collect();
    refused.sort_unstable();
    assert_eq!(
        refused,
        [
            ("output/behind/passwd", "workspace.output_behind_link"),
            ("output/fifo", "workspace.output_not_a_file"),
            ("output/inside", "workspace.output_not_a_file"),
            ("output/one", "workspace.output_hard_linked"),
            ("output/relative", "workspace.output_not_a_file"),
            ("output/socket", "workspace.output_not_a_file"),
            ("output/symlink", "workspace.output_not_a_file"),
            ("output/two", "workspace.output_hard_linked"),
        ]
    );
}

#[tokio::test]
async fn the_output_directory_itself_cannot_be_swapped() {
    let source = "rmdir output; mv output other; ln -s /etc output; rmdir ../output; mv ../output ../o; exit 0";
    for call in [CodeCall::new(request("bash", source)), scratch(request("bash", source))] {
        let mut call = call;
        call.request = call.request.output(output("output/passwd"));
        let result = Host::new().run(call).await;
        assert!(result.outputs.is_empty(), "{}", shown(&result));
        assert_eq!(result.missing_outputs.len(), 1, "{}", shown(&result));
    }
}

#[tokio::test]
async fn huge_and_sparse_files_are_refused_by_their_apparent_size() {
    let host = Host::new();
    let source = "truncate -s 100M output/sparse; printf x > output/small";
    let request = request("bash", source).output(output("output/"));
    let result = host.run(CodeCall::new(request.clone())).await;
    assert_eq!((result.status, &result.outcome), (Status::Error, &Outcome::Exited { code: 0 }));
    assert_eq!(outputs(&result), ["output/small"]);
    assert_eq!(result.refused_outputs[0].reason.code(), "workspace.output_too_large");
    // The control: a host that takes files of that size gets it.
    let mut call = CodeCall::new(request);
    call.caps.file_bytes = 1 << 30;
    call.caps.total_bytes = 1 << 30;
    assert_eq!(outputs(&host.run(call).await), ["output/small", "output/sparse"]);
}

#[tokio::test]
async fn names_that_are_no_text_are_refused_and_hurt_nobody() {
    let source = "import os\nfor n in [b'\\xff', b'a\\nb', b'\\x1b[31m', b'ok']: open(b'output/' + n, 'w').write('x')";
    let (call, target) = delivered(request("python", source).output(output("output/")));
    let result = Host::new().run(call).await;
    assert_eq!(outputs(&result), ["output/ok"], "{}", shown(&result));
    assert_eq!(result.refused_outputs.len(), 3);
    assert!(!serde_json::to_string(&result.refused_outputs).unwrap().contains('\u{1b}'));
    assert_eq!(entries(&target.path().join("made/output")), ["ok"]);
}

#[tokio::test]
async fn outputs_of_a_run_that_was_ended_are_kept() {
    let mut call =
        CodeCall::new(request("bash", "printf part > output/a; echo started; sleep 1000").output(output("output/a")));
    call.limits.wall_time = Duration::from_secs(1);
    let result = Host::new().run(call).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: Clock::Wall });
    assert_eq!(result.stdout.text(), "started\n");
    assert_eq!(outputs(&result), ["output/a"]);
}

/// A program that leaves all that a directory can hold in the places that it has.
const MESS: &str = "\
for d in output /tmp $HOME ../build . ; do
  mkdir -p $d/deep/er; printf x > $d/deep/er/f; ln -s /etc $d/l; mkfifo $d/p; chmod 000 $d/deep
done 2>/dev/null
true";

#[test]
fn nothing_is_left_in_the_temporary_directory_whatever_happens() {
    let Some(left) = host::with_own_temporary_directory("nothing_is_left_in_the_temporary_directory_whatever_happens")
    else {
        tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(every_kind_of_end());
        return;
    };
    assert!(left.is_empty(), "{left:?}");
}

async fn every_kind_of_end() {
    let tmp = std::env::temp_dir();
    assert!(entries(&tmp).is_empty());
    let execres = execres::Execres::builder()
        .state_dir(host::told("EXECRES_STATE_DIR"))
        .authorise_trusted_local_dangerously()
        .build()
        .unwrap();
    let mut limited = call("bash", "sleep 1000");
    limited.limits = Limits { wall_time: Duration::from_millis(200), ..Limits::STANDARD };
    let mut trusted = CodeCall::new(request("bash", MESS).output(output("output/")));
    trusted.isolation = execres::Isolation::NoneDangerously;
    trusted.provider = Some(execres::core::ProviderId::from_static("trusted_local"));
    let cancelled = call("bash", "sleep 1000");
    cancelled.cancel.cancel();
    let ends = [
        ("success", CodeCall::new(request("bash", MESS).output(output("output/")))),
        ("scratch", scratch(request("bash", MESS).output(output("output/")))),
        ("failure", call("bash", "exit 3")),
        ("missing output", CodeCall::new(request("bash", "true").output(output("output/x")))),
        ("compile error", call("c", "x")),
        ("timeout", limited),
        ("cancelled", cancelled),
        ("trusted", trusted),
    ];
    for (name, call) in ends {
        let result = execres.run(call).await.unwrap();
        assert!(entries(&tmp).is_empty(), "{name}: {:?} {}", entries(&tmp), shown(&result));
    }
    // Errors.
    let mut unknown = call("bash", "true");
    unknown.provider = Some(execres::core::ProviderId::from_static("nobody"));
    let mut bad_input = call("bash", "true");
    bad_input.inputs = vec![host::input("output/x", std::path::Path::new("/etc/hostname"))];
    let mut colliding = call("bash", "true");
    colliding.inputs = vec![host::input("main.sh", std::path::Path::new("/etc/hostname"))];
    for (name, call) in [("unknown provider", unknown), ("bad input", bad_input), ("collision", colliding)] {
        execres.run(call).await.unwrap_err();
        assert!(entries(&tmp).is_empty(), "{name}: {:?}", entries(&tmp));
    }
    // Dropped at many moments of its life: what is still at work then removes what it holds when it ends.
    for delay in [0, 1, 2, 3, 5, 8, 13, 20, 40, 80, 200] {
        let run = execres.run(call("bash", "sleep 1000"));
        assert!(tokio::time::timeout(Duration::from_millis(delay), run).await.is_err());
        host::eventually("the area of a dropped run goes", || entries(&tmp).is_empty());
    }
    // And in the middle of a run, by its token.
    let mut waiting = call("bash", "echo ready; sleep 1000");
    let token = CancellationToken::new();
    waiting.cancel = token.clone();
    waiting.sink = Some(std::sync::Arc::new(OnOutput(token)));
    let result = execres.run(waiting).await.unwrap();
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert_eq!(result.stdout.text(), "ready\n");
    assert!(entries(&tmp).is_empty());
    assert!(execres.manager().list(&execres::core::Filter::all()).is_empty());
}

/// Cancels as soon as the program has said something.
struct OnOutput(CancellationToken);

impl execres::code::OutputSink for OnOutput {
    fn write(&self, _: execres::code::StepAt, _: execres::core::Stream, _: &[u8]) {
        self.0.cancel();
    }
}

#[test]
fn what_a_killed_host_left_is_reaped_by_the_next() {
    const TEST: &str = "what_a_killed_host_left_is_reaped_by_the_next";
    let build = || execres::Execres::builder().state_dir(host::told("EXECRES_STATE_DIR")).build().unwrap();
    if host::is_within() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let marker = host::told("MARKER").display().to_string();
        drop(runtime.block_on(build().run(call("bash", &format!("sleep {marker}")))));
        unreachable!("it is killed before its program ends");
    }
    let dir = tempfile::tempdir().unwrap();
    let (tmp, state) = (dir.path().join("tmp"), dir.path().join("state"));
    fs::create_dir(&tmp).unwrap();
    let marker = host::marker();
    let mut command = host::again(TEST);
    command.env("TMPDIR", &tmp).env("EXECRES_STATE_DIR", &state).env("MARKER", &marker);
    let mut process = command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null()).spawn().unwrap();
    host::eventually("the program runs", || host::running(&format!("sleep\0{marker}")));
    assert!(!entries(&tmp).is_empty(), "the control: there is something to leave behind");
    // A host that lives loses nothing to another one.
    drop(execres::Execres::builder().state_dir(&state).build().unwrap());
    assert!(!entries(&tmp).is_empty());
    process.kill().unwrap();
    process.wait().unwrap();
    host::eventually("the program of a killed host goes", || !host::running(&format!("sleep\0{marker}")));
    assert!(!entries(&tmp).is_empty(), "the control: nobody else removes it");
    drop(execres::Execres::builder().state_dir(&state).build().unwrap());
    assert!(entries(&tmp).is_empty(), "{:?}", entries(&tmp));
}
