//! Evidence from live probes: every axis holds, and falls when the layer that carries it is left away.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts what it tests"
)]

use std::sync::Arc;

use execres_core::{Axis, AxisSet, IsolationReport, NetworkMode};
use execres_isolation::{Layer, Layers, Profile, Sandbox};

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
