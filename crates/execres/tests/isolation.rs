//! Required, preferred and no isolation, and the network.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::sync::Arc;

use cap_std::ambient_authority;
use execres::code::{CodeJob, KIND, SharedRunner};
use execres::core::{
    Axis, AxisSet, CapabilityRequirements, Config, ErrorCode, Kind, NetworkMode, Outcome, Policy, ProbeVerdict,
    ProviderId, Requirement, ResourceKey, Scope,
};
use execres::workspace::{AccessRequest, CallId, TaskWorkspace};
use execres::{CodeCall, Isolation, RunError};
use host::{Host, assert_prints, call, contains, request, shown};

#[tokio::test]
async fn what_is_claimed_is_in_the_evidence() {
    let result = Host::new().run(call("python", "print(1)")).await;
    assert_prints(&result, "1\n");
    assert_eq!(result.isolation.axes(), AxisSet::ALL);
    for evidence in &result.isolation.evidence {
        assert!(evidence.holds() && !evidence.attempts.is_empty(), "{evidence:?}");
    }
    assert_eq!(result.isolation.network, NetworkMode::None);
    assert!(result.fallback.is_none());
}

#[tokio::test]
async fn the_program_is_nobody_on_the_host() {
    let source = "\
import os
def tried(what, *args):
    try: what(*args); return 'DONE'
    except OSError as e: return 'no'
print(tried(open, '/etc/shadow'), tried(open, '/proc/sys/kernel/core_pattern', 'w'), tried(os.kill, 1, 9) and 'x',
      tried(os.listdir, '/home/' + 'x'), tried(os.setuid, 0), tried(os.chroot, '/'), tried(os.mknod, '/tmp/d', 0o60666, 0))
print(sorted(p for p in os.listdir('/proc') if p.isdigit()) == sorted(p for p in os.listdir('/proc') if p.isdigit() and int(p) < 9))";
    let result = Host::new().run(call("python", source)).await;
    assert_prints(&result, "no no x no no no no\nTrue\n");
}

#[tokio::test]
async fn two_programs_of_one_host_cannot_see_each_other() {
    // The first says where it listens and what it wrote, and waits to be found; the second looks.
    let host = Host::new();
    let first = "\
import socket, time, os
open('/tmp/mine', 'w').write('x'); open('/dev/shm/mine', 'w').write('x'); open('output/mine', 'w').write('x')
s = socket.socket(socket.AF_UNIX); s.bind('\\0mine'); s.listen()
print('ready', flush=True); time.sleep(1000)";
    let second = "\
import socket, os
def there(path): return os.path.exists(path)
s = socket.socket(socket.AF_UNIX)
try: s.connect('\\0mine'); found = 'found'
except OSError: found = 'no'
others = [p for p in os.listdir('/proc') if p.isdigit() and int(p) not in (1, os.getpid())]
print(there('/tmp/mine'), there('/dev/shm/mine'), there('output/mine'), found, others)";
    // The control: within one program all of it is found.
    let control = first.replace("print('ready', flush=True); time.sleep(1000)", "")
        + "c = socket.socket(socket.AF_UNIX); c.connect('\\0mine'); print(os.path.exists('/tmp/mine'))";
    assert_prints(&host.run(call("python", &control)).await, "True\n");

    let (ready, told) = tokio::sync::oneshot::channel();
    let mut waiting = call("python", first);
    waiting.sink = Some(Arc::new(Ready(std::sync::Mutex::new(Some(ready)))));
    let token = waiting.cancel.clone();
    let look = async {
        told.await.unwrap();
        let result = host.run(call("python", second)).await;
        token.cancel();
        result
    };
    let (waited, result) = tokio::join!(host.run(waiting), look);
    assert_eq!(waited.outcome, Outcome::Cancelled, "{}", shown(&waited));
    assert_prints(&result, "False False False no []\n");
}

/// Tells when a program has said something.
struct Ready(std::sync::Mutex<Option<tokio::sync::oneshot::Sender<()>>>);

impl execres::code::OutputSink for Ready {
    fn write(&self, _: execres::code::StepAt, _: execres::core::Stream, _: &[u8]) {
        if let Some(ready) = self.0.lock().unwrap().take() {
            ready.send(()).expect("somebody waits for it");
        }
    }
}

/// Runs this test again on a host that lets nobody make user namespaces.
fn without_user_namespaces(test: &str) -> bool {
    if host::is_within() {
        return true;
    }
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let words = ["unshare", "-Ur", "sh", "-c", script, "sh"];
    #[allow(clippy::disallowed_methods, reason = "a host that is another process")]
    let possible = std::process::Command::new("unshare")
        .args(["-Ur", "sh", "-c", "echo 0 > /proc/sys/user/max_user_namespaces"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !possible {
        host::skip(test, "unshare -Ur does not work here");
        return false;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = host::again_through(&words, test);
    command.env("TMPDIR", dir.path());
    host::assert_passes(command);
    false
}

fn on<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

#[test]
fn required_isolation_that_cannot_be_proven_is_refused_and_nothing_runs() {
    if !without_user_namespaces("required_isolation_that_cannot_be_proven_is_refused_and_nothing_runs") {
        return;
    }
    let marker = tempfile::tempdir().unwrap();
    let source = format!("touch {}/ran", marker.path().display());
    let error = on(Host::new().refusal(call("bash", &source)));
    assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string());
    // Where this process is root, it is the missing map of user ids that is found first. Both say what to do.
    let told = error.to_string();
    let remedy = ["max_user_namespaces", "start it as an ordinary user"].iter().any(|remedy| told.contains(remedy));
    assert!(remedy, "{told}");
    assert!(host::entries(marker.path()).is_empty());
    // What is authorised is not enough where isolation is required.
    let error = on(Host::trusting().refusal(call("bash", &source)));
    assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string());
    assert!(host::entries(marker.path()).is_empty());
}

#[test]
fn preferred_isolation_falls_back_on_nobody_by_itself() {
    if !without_user_namespaces("preferred_isolation_falls_back_on_nobody_by_itself") {
        return;
    }
    for isolation in [Isolation::PreferredDangerously, Isolation::NoneDangerously] {
        for host in [Host::new(), Host::trusting()] {
            let mut call = call("bash", "echo ran");
            call.isolation = isolation;
            // An ordinary user stands on the rung without namespaces then, which is the sandbox still and not another provider.
            match on(host.execres.run(call)) {
                Ok(result) => {
                    assert_eq!((result.provider.as_str(), result.isolation.axes().is_empty()), ("sandbox", false));
                    assert!(!result.isolation.axes().contains(Axis::ProcessContained), "{}", shown(&result));
                }
                Err(error) => assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string(), "{error}"),
            }
        }
    }
}

#[test]
fn trusted_local_works_where_there_is_no_sandbox() {
    if !without_user_namespaces("trusted_local_works_where_there_is_no_sandbox") {
        return;
    }
    // Python has a rule for its version, so it is asked.
    for (isolation, falls_back) in [(Isolation::PreferredDangerously, true), (Isolation::NoneDangerously, false)] {
        let mut call = call("python", "print(42)");
        call.isolation = isolation;
        call.provider = Some(ProviderId::from_static("trusted_local"));
        let result = on(Host::trusting().run(call));
        assert_prints(&result, "42\n");
        assert_eq!(result.fallback.is_some(), falls_back, "{:?}", result.fallback);
    }
}

#[tokio::test]
async fn preferred_and_no_isolation_get_the_sandbox_where_there_is_one() {
    let host = Host::trusting();
    for isolation in [Isolation::PreferredDangerously, Isolation::NoneDangerously] {
        let mut call = call("bash", "true");
        call.isolation = isolation;
        let result = host.run(call).await;
        assert_prints(&result, "");
        assert_eq!((result.provider.as_str(), result.isolation.axes()), ("sandbox", AxisSet::ALL));
        assert!(result.fallback.is_none());
    }
}

/// Says whether it can connect to a port, and whether it can make a server and reach that.
const NETWORK: &str = "\
import socket, sys
def can(what):
    try: what(); return True
    except OSError: return False
def own():
    s = socket.create_server(('127.0.0.1', 0)); socket.create_connection(s.getsockname(), 5)
print(can(lambda: socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)), can(own))";

#[tokio::test]
async fn the_network_is_what_the_call_asks_for_and_none_by_default() {
    let host = Host::new();
    let server = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = server.local_addr().unwrap().port().to_string();
    for (network, wanted) in [
        (NetworkMode::None, "False False\n"),
        (NetworkMode::Loopback, "False True\n"),
        (NetworkMode::Inherited, "True True\n"),
    ] {
        let mut call = CodeCall::new(request("python", NETWORK).arg(&port));
        assert_eq!(call.network, NetworkMode::None, "by default");
        call.network = network;
        if network == NetworkMode::Inherited {
            // Whoever has the host's network is not contained in it.
            call.isolation = Isolation::PreferredDangerously;
        }
        let result = host.run(call).await;
        assert_prints(&result, wanted);
        assert_eq!(result.isolation.network, network);
    }
}

#[tokio::test]
async fn the_axes_are_those_of_the_network_that_the_call_has() {
    let host = Host::new();
    let mut call = call("bash", "true");
    call.network = NetworkMode::Inherited;
    match host.execres.run(call).await {
        Ok(result) => assert_eq!(result.isolation.axes(), AxisSet::ALL, "it ran because all of them are proven"),
        Err(error) => assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE.to_string(), "{error}"),
    }
}

/// A job through the manager itself, with a policy of its own.
async fn job(host: &Host, policy: Policy, set: impl FnOnce(&mut CodeJob)) -> execres::code::CodeExecution {
    let owners = Arc::clone(host.execres.owners());
    let workspace = TaskWorkspace::temporary(owners, ambient_authority()).unwrap();
    let grant = Arc::new(workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap());
    let bundle = Arc::new(request("python", NETWORK).arg("1").bundle().unwrap());
    let manifest = Arc::new(grant.materialize(bundle.files()).unwrap());
    let requirement = Requirement::builder(Kind::from_static(KIND))
        .scope(Scope::Request)
        .resource_key(ResourceKey::from_static("runner"))
        .required(CapabilityRequirements::new().with_isolation([Axis::ProcessContained].into_iter().collect()))
        .policy(policy)
        .build()
        .unwrap();
    let handle = host.execres.manager().ensure(requirement).await.unwrap();
    let runner = handle.resource::<SharedRunner>().unwrap();
    let mut job = CodeJob::new(bundle, manifest, grant);
    set(&mut job);
    let result = runner.run(job).await;
    host.execres.manager().release(&handle).await.unwrap();
    result
}

#[tokio::test]
async fn a_job_that_asks_for_more_network_than_its_policy_is_blocked() {
    let host = Host::new();
    let loopback = || Policy::new().with_network(NetworkMode::Loopback);
    for (policy, network) in [
        (Policy::new(), NetworkMode::Loopback),
        (Policy::new(), NetworkMode::Inherited),
        (loopback(), NetworkMode::Inherited),
    ] {
        let result = job(&host, policy, |job| job.network = network).await;
        let Outcome::Blocked { reason } = &result.outcome else { panic!("{}", shown(&result)) };
        contains(reason, network.name(), &result.outcome);
        assert!(result.steps.is_empty(), "nothing ran");
    }
    // The controls: as much, and less.
    let result = job(&host, loopback(), |job| job.network = NetworkMode::Loopback).await;
    assert_prints(&result, "False True\n");
    let result = job(&host, loopback(), |job| job.network = NetworkMode::None).await;
    assert_prints(&result, "False False\n");
}

#[tokio::test]
async fn limits_of_the_policy_hold_over_those_of_the_job() {
    let host = Host::new();
    let limits = execres::core::Limits { open_files: 64, ..execres::core::Limits::STANDARD };
    let policy = Policy::new().with_limits(limits).with_timeout(std::time::Duration::from_millis(1));
    let result = job(&host, policy, |_| ()).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: execres::core::Clock::Wall }, "{}", shown(&result));
}

#[tokio::test]
async fn a_cancelled_job_does_not_start() {
    let host = Host::new();
    let result = job(&host, Policy::new(), |job| job.cancel.cancel()).await;
    assert_eq!(result.outcome, Outcome::Cancelled);
    assert!(result.steps.is_empty());
}

#[tokio::test]
async fn a_provider_that_nobody_registered_is_an_error() {
    let mut call = call("bash", "true");
    call.provider = Some(ProviderId::from_static("docker"));
    let error = Host::new().refusal(call).await;
    assert!(matches!(error, RunError::Ensure(_)), "{error}");
}

#[tokio::test]
async fn a_configuration_that_nobody_understands_is_refused_by_name() {
    let host = Host::trusting();
    for provider in ["sandbox", "trusted_local"] {
        let requirement = Requirement::builder(Kind::from_static(KIND))
            .scope(Scope::Request)
            .resource_key(ResourceKey::from_static("runner"))
            .provider_id(ProviderId::from_static(provider))
            .config(Config::new().with("allow_everything", true))
            .build()
            .unwrap();
        let error = host.execres.manager().ensure(requirement).await.unwrap_err();
        assert_eq!(error.code(), ErrorCode::PROVIDER_UNAVAILABLE);
        contains(&error.to_string(), "allow_everything", &error);
        let ProbeVerdict::Unavailable { code, .. } = &error.probes()[0].verdict else { panic!("{error}") };
        assert_eq!(*code, Some(ErrorCode::of_provider("config_invalid")));
    }
}
