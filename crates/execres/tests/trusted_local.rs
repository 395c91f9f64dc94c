//! Runs without isolation: only by name, only with the host's word, and never passing for more.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::fs;
use std::sync::Arc;

use cap_std::ambient_authority;
use execres::code::{CodeJob, CodeRequest, KIND, SharedRunner};
use execres::core::{
    AxisSet, ErrorCode, Kind, NetworkMode, Outcome, ProbeVerdict, ProviderId, Requirement, ResourceKey, Scope,
};
use execres::workspace::{AccessMode, AccessRequest, CallId, TaskWorkspace, WorkspaceMode};
use execres::{CodeCall, Isolation, RunError};
use host::{Host, assert_prints, codes, contains, output, program, request, shown};

fn trusted(request: CodeRequest) -> CodeCall {
    let mut call = CodeCall::new(request);
    call.provider = Some(ProviderId::from_static("trusted_local"));
    call.isolation = Isolation::NoneDangerously;
    call
}

#[tokio::test]
async fn every_language_runs() {
    let host = Host::trusting();
    for request in [
        program("python", &[("main.py", "import lib; print(lib.A)"), ("lib.py", "A = 42")]),
        request("nodejs", "console.log(42)"),
        request("bash", "echo 42"),
        request("c", "#include <stdio.h>\nint main(void) { puts(\"42\"); }"),
        request("cpp", "#include <iostream>\nint main() { std::cout << 42 << '\\n'; }"),
    ] {
        assert_prints(&host.run(trusted(request)).await, "42\n");
    }
}

#[tokio::test]
async fn nobody_gets_it_without_naming_it() {
    let result = Host::trusting().run(CodeCall::new(request("bash", "true"))).await;
    assert_eq!(result.provider, "sandbox");
    let mut call = CodeCall::new(request("bash", "true"));
    call.isolation = Isolation::NoneDangerously;
    assert_eq!(Host::trusting().run(call).await.provider, "sandbox");
}

#[tokio::test]
async fn it_is_refused_without_the_hosts_word() {
    let marker = tempfile::tempdir().unwrap();
    let ran = request("bash", &format!("touch {}/ran", marker.path().display()));
    let error = Host::new().refusal(trusted(ran.clone())).await;
    let RunError::Ensure(ensure) = &error else { panic!("{error}") };
    let ProbeVerdict::Unavailable { code, suggestion, .. } = &ensure.probes()[0].verdict else { panic!("{error}") };
    assert_eq!(*code, Some(ErrorCode::of_provider("trusted_local_not_allowed")));
    contains(suggestion.as_deref().unwrap(), "--provider trusted_local", &error);
    assert!(host::entries(marker.path()).is_empty());
    // The control.
    assert_prints(&Host::trusting().run(trusted(ran)).await, "");
    assert_eq!(host::entries(marker.path()), ["ran"]);
}

#[tokio::test]
async fn it_cannot_satisfy_required_isolation() {
    let mut call = trusted(request("bash", "true"));
    call.isolation = Isolation::Required;
    let error = Host::trusting().refusal(call).await;
    assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string());
    contains(&error.to_string(), "trusted_local", &error);
}

#[tokio::test]
async fn its_results_say_what_they_are() {
    let result = Host::trusting().run(trusted(request("bash", "true"))).await;
    assert_prints(&result, "");
    assert_eq!(result.isolation.axes(), AxisSet::EMPTY);
    let json = serde_json::to_value(&result).unwrap();
    assert_eq!((&json["unsafe"], &json["provider"]), (&true.into(), &"trusted_local".into()));
    assert_eq!(codes(&result), ["code_execution.unsafe"]);
    // The control.
    let result = Host::trusting().run(CodeCall::new(request("bash", "true"))).await;
    assert_eq!(serde_json::to_value(&result).unwrap()["unsafe"], false);
}

#[test]
fn the_hosts_environment_stays_with_the_host() {
    const TEST: &str = "the_hosts_environment_stays_with_the_host";
    if !host::is_within() {
        let mut command = host::again(TEST);
        command.env("SECRET_KEY", "planted-7531");
        host::assert_passes(command);
        return;
    }
    assert_eq!(host::told("SECRET_KEY").to_str(), Some("planted-7531"), "the control: it is there");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for call in [trusted(request("bash", "env; cat /proc/self/environ")), CodeCall::new(request("bash", "env"))] {
        let result = runtime.block_on(Host::trusting().run(call));
        assert!(result.is_success(), "{}", shown(&result));
        assert!(!result.stdout.text().contains("planted-7531"), "{}", result.stdout.text());
        contains(&result.stdout.text(), "PATH=", "the control: it has an environment");
    }
}

#[tokio::test]
async fn what_it_leaves_running_is_ended_after_a_normal_exit() {
    let marker = host::marker();
    let source = format!("setsid sleep {marker} </dev/null >/dev/null 2>&1 & (setsid sleep {marker} &); echo done");
    let result = Host::trusting().run(trusted(request("bash", &source))).await;
    assert_prints(&result, "done\n");
    assert!(!host::running(&marker));
}

#[tokio::test]
async fn its_outputs_are_collected_with_the_same_care() {
    let place = tempfile::tempdir().unwrap();
    let secret = place.path().join("secret");
    fs::write(&secret, "secret").unwrap();
    let source = format!(
        "ln -s {0} output/symlink; ln {0} output/hardlink; mkfifo output/fifo; printf kept > output/kept; cat output/symlink",
        secret.display()
    );
    let mut call = trusted(
        ["symlink", "hardlink", "fifo", "kept"]
            .iter()
            .fold(request("bash", &source), |request, name| request.output(output(&format!("output/{name}")))),
    );
    let target = place.path().join("delivered");
    call.deliver_to = Some(target.clone());
    let result = Host::trusting().run(call).await;
    contains(&result.stdout.text(), "secret", "the control: the program itself can read it");
    assert_eq!(host::entries(&target), ["kept"], "{}", shown(&result));
    assert_eq!(result.refused_outputs.len() + result.missing_outputs.len(), 3, "{}", shown(&result));
}

#[tokio::test]
async fn it_cannot_swap_the_output_directory() {
    let source = "rm -rf output ../output; ln -s /etc output; ln -s /etc ../output";
    let call = trusted(request("bash", source).output(output("output/hostname")));
    let result = Host::trusting().run(call).await;
    assert!(result.outputs.is_empty(), "{}", shown(&result));
}

#[tokio::test]
async fn it_gets_copies_and_never_the_workspace_itself() {
    let host = Host::trusting();
    let place = tempfile::tempdir().unwrap();
    for mode in [AccessMode::ReadOnly, AccessMode::ReadWrite, AccessMode::Snapshot] {
        let owners = Arc::clone(host.execres.owners());
        let workspace =
            TaskWorkspace::open_ambient(place.path(), WorkspaceMode::ReadWrite, owners, ambient_authority()).unwrap();
        let grant = Arc::new(workspace.issue(CallId::random(), AccessRequest::live(mode)).unwrap());
        let bundle = Arc::new(request("bash", "echo ran").bundle().unwrap());
        let manifest = Arc::new(grant.materialize(bundle.files()).unwrap());
        let requirement = Requirement::builder(Kind::from_static(KIND))
            .scope(Scope::Request)
            .resource_key(ResourceKey::from_static("runner"))
            .provider_id(ProviderId::from_static("trusted_local"))
            .policy(execres::core::Policy::new().with_network(NetworkMode::Inherited))
            .build()
            .unwrap();
        let handle = host.execres.manager().ensure(requirement).await.unwrap();
        let runner = handle.resource::<SharedRunner>().unwrap();
        let result = runner.run(CodeJob::new(bundle, manifest, grant)).await;
        match (mode, &result.outcome) {
            (AccessMode::Snapshot, outcome) => assert_eq!(*outcome, Outcome::Exited { code: 0 }),
            (_, Outcome::Blocked { reason }) => contains(reason, "trusted_local_snapshot_required", &result),
            (_, outcome) => panic!("{outcome:?}"),
        }
        host.execres.manager().release(&handle).await.unwrap();
    }
}

#[tokio::test]
async fn limits_hold_as_far_as_the_host_allows() {
    let host = Host::trusting();
    let mut call = trusted(request("bash", "echo before; sleep 1000"));
    call.limits.wall_time = std::time::Duration::from_millis(500);
    let result = host.run(call).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: execres::core::Clock::Wall });
    assert_eq!(result.stdout.text(), "before\n");
    let mut call = trusted(request("bash", "yes"));
    call.limits.output_hard = 1 << 20;
    let result = host.run(call).await;
    assert_eq!(result.outcome, Outcome::LimitExceeded { limit: execres::core::LimitKind::Output });
}

#[tokio::test]
async fn what_it_wrote_elsewhere_is_named() {
    let source = "printf x > chart.svg; printf more >> data.txt; printf y > output/kept";
    let request = request("bash", source).file(host::path("data.txt"), "given").output(output("output/chart.svg"));
    let result = Host::trusting().run(trusted(request)).await;
    assert_eq!(result.outcome, Outcome::Exited { code: 0 }, "{}", shown(&result));
    let named: Vec<_> = result.not_kept.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(named, ["chart.svg", "data.txt"]);
    let suggestion = result.diagnostics[0].suggestion.as_deref();
    assert_eq!(suggestion, Some("the program wrote chart.svg instead; write output/chart.svg"));
}
