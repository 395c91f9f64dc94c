//! Evidence from live probes: every axis holds, and falls when the layer that carries it is left away.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts what it tests"
)]

#[allow(clippy::print_stderr, reason = "a test prints what it could not run")]
mod support;

use std::process::Command;
use std::sync::Arc;

use execres_core::{Axis, AxisSet, IsolationReport, NetworkMode};
use execres_isolation::{Layer, Layers, Profile, Sandbox};
use support::{role, this_test_as};

async fn evidence(profile: Profile) -> Arc<IsolationReport> {
    Sandbox::new(None).evidence(&profile).await.unwrap()
}

async fn without(layer: Layer) -> Arc<IsolationReport> {
    evidence(Profile::deny_all().without_layers_dangerously(Layers::all().without_dangerously(layer))).await
}

fn failures(report: &IsolationReport) -> String {
    let failures = report.evidence.iter().flat_map(|axis| axis.failures().map(move |attempt| (axis.axis, attempt)));
    failures
        .map(|(axis, attempt)| format!("{axis}: {} {:?}: {}\n", attempt.name, attempt.verdict, attempt.observed))
        .collect()
}

#[tokio::test]
async fn all_four_axes_hold() {
    let report = evidence(Profile::deny_all()).await;
    assert_eq!(report.axes(), AxisSet::ALL, "{}", failures(&report));
}

#[tokio::test]
async fn all_four_axes_hold_with_a_loopback_network() {
    let report = evidence(Profile::deny_all().with_network(NetworkMode::Loopback)).await;
    assert_eq!(report.axes(), AxisSet::ALL, "{}", failures(&report));
}

#[tokio::test]
async fn a_slow_host_proves_as_much_as_a_quick_one() {
    const NAME: &str = "a_slow_host_proves_as_much_as_a_quick_one";
    if role().is_some() {
        let report = evidence(Profile::deny_all()).await;
        assert_eq!(report.axes(), AxisSet::ALL, "{}", failures(&report));
        let attempts = &report.evidence.iter().find(|axis| axis.axis == Axis::ProcessContained).unwrap().attempts;
        let tried = attempts.iter().any(|attempt| attempt.name == "slow_down_host_process");
        let nice = rustix::process::getpriority_process(None).unwrap();
        assert_eq!(tried, nice < 18, "a host that cannot be slowed down further shows nothing: {attempts:?}");
        return;
    }
    let nice = ["7", "10", "17", "19"].map(|nice| vec!["nice", "-n", nice]);
    for slow in nice.into_iter().chain([vec!["chrt", "--idle", "0"], vec!["chrt", "--batch", "0"]]) {
        let test = this_test_as(NAME, "host");
        let mut host = Command::new(slow[0]);
        host.args(&slow[1..]).arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host");
        let finished = host.output().unwrap();
        assert!(finished.status.success(), "{slow:?}: {}", String::from_utf8_lossy(&finished.stderr));
    }
}

#[tokio::test]
async fn each_layer_carries_an_axis() {
    let mut layers = vec![
        (Layer::PidNamespace, Axis::ProcessContained),
        (Layer::IpcNamespace, Axis::ProcessContained),
        (Layer::NetworkNamespace, Axis::ProcessContained),
        (Layer::MountNamespace, Axis::HostFilesystemRestricted),
        (Layer::NoNewPrivileges, Axis::PrivilegeEscalationBlocked),
        (Layer::Capabilities, Axis::PrivilegeEscalationBlocked),
        (Layer::Seccomp, Axis::SyscallsRestricted),
    ];
    // Where the kernel has no Landlock, the mount namespace carries the axis alone, and the report says so.
    let whole = evidence(Profile::deny_all()).await;
    if whole.mechanisms.iter().any(|mechanism| mechanism.name == "landlock" && mechanism.state.starts_with("ABI")) {
        layers.push((Layer::Landlock, Axis::HostFilesystemRestricted));
    }
    // An ordinary user's guest has that user's identity in any case.
    if rustix::process::geteuid().is_root() {
        layers.push((Layer::Identity, Axis::PrivilegeEscalationBlocked));
    }
    for (layer, axis) in layers {
        let report = without(layer).await;
        assert!(!report.axes().contains(axis), "without {layer:?} {axis} still holds: {}", failures(&report));
    }
}
