//! The ladder: each rung with the layer above it really taken away.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::collections::BTreeMap;

use execres_core::{Axis, AxisSet, IsolationReport, NetworkMode, Outcome, Verdict};
use execres_isolation::{Layer, Layers, Profile, Rung, Sandbox};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter};
use support::*;

const WITHOUT_PROCESSES: [Axis; 3] =
    [Axis::HostFilesystemRestricted, Axis::PrivilegeEscalationBlocked, Axis::SyscallsRestricted];

fn axes(list: &[Axis]) -> AxisSet {
    list.iter().copied().collect()
}

fn failures(report: &IsolationReport) -> Vec<String> {
    let failures = report.evidence.iter().flat_map(|axis| axis.failures().map(move |attempt| (axis.axis, attempt)));
    failures.map(|(axis, attempt)| format!("{axis}: {} {:?}", attempt.name, attempt.verdict)).collect()
}

/// What every rung below the best one has to be: found by trying, able to run programs, and honest about what it is.
async fn stands_on(expected: Rung) {
    let sandbox = Sandbox::new(None);
    let standing = sandbox.best_rung(&Profile::deny_all()).await.unwrap();
    let (rung, report) = (standing.rung, standing.report);
    assert_eq!(standing.why_not_better.is_some(), rung != Rung::Full);
    assert_eq!(Rung::of(&report), Some(rung));
    assert_eq!(rung, expected);
    match rung {
        Rung::Full | Rung::EmptyProc => assert_eq!(report.axes(), AxisSet::ALL, "{:?}", failures(&report)),
        _ => assert_eq!(report.axes(), axes(&WITHOUT_PROCESSES), "{:?}", failures(&report)),
    }
    let profile = Profile::deny_all().on_rung(rung);
    assert_eq!(
        output(&run_in(&sandbox, &profile, vec![shell("echo fine > $TMPDIR/x && cat $TMPDIR/x")]).await),
        "fine\n"
    );

    // Every rung above refuses, before anything of the guest's has run.
    for above in Rung::ALL.into_iter().filter(|above| *above < rung) {
        let profile = Profile::deny_all().on_rung(above);
        match sandbox.launch(&profile, vec![shell("echo ran")]).await {
            Err(error) => assert_eq!(error.code(), "isolation.user_namespaces_restricted", "{error}"),
            Ok(run) => {
                let report = run.finish(None, std::future::pending()).await;
                assert!(matches!(report.outcome, Outcome::FailedToStart { .. }), "{above}: {report:?}");
                assert_eq!(report.failure.unwrap().code(), "isolation.private_proc_refused");
                assert!(report.steps.is_empty());
            }
        }
    }
}

#[tokio::test]
async fn this_host_allows_the_best_rung_and_every_lower_one_when_it_is_asked_for() {
    stands_on(Rung::Full).await;
    let sandbox = Sandbox::new(None);
    let empty = sandbox.evidence(&Profile::deny_all().on_rung(Rung::EmptyProc)).await.unwrap();
    assert_eq!(empty.axes(), AxisSet::ALL, "{:?}", failures(&empty));
    let bare = sandbox.evidence(&Profile::deny_all().on_rung(Rung::NoNamespaces)).await.unwrap();
    assert_eq!(bare.axes(), axes(&WITHOUT_PROCESSES), "{:?}", failures(&bare));
    assert_eq!(
        output(&run_in(&sandbox, &Profile::deny_all().on_rung(Rung::EmptyProc), vec![shell("ls -A /proc")]).await),
        "",
    );
    let listed = output(&run_in(&sandbox, &Profile::deny_all(), vec![shell("ls -A /proc")]).await);
    assert!(listed.contains("self"), "the control: {listed}");
}

#[tokio::test]
async fn without_namespaces_the_process_axis_never_holds_and_says_why() {
    let report = Sandbox::new(None).evidence(&Profile::deny_all().on_rung(Rung::NoNamespaces)).await.unwrap();
    let processes = report.evidence.iter().find(|evidence| evidence.axis == Axis::ProcessContained).unwrap();
    let verdicts: BTreeMap<&str, bool> =
        processes.attempts.iter().map(|attempt| (&*attempt.name, attempt.verdict.proves())).collect();
    assert!(!verdicts["outlive_the_run"]);
    assert!(!verdicts["see_host_processes"]);
    for kept in ["signal_host_process", "limit_host_process", "connect_to_host_socket", "attach_host_sysv_memory"] {
        assert!(verdicts[kept], "{kept}: {:?}", processes.attempts);
    }
}

#[tokio::test]
async fn user_namespaces_off_by_a_setting_lead_to_the_rung_without_them() {
    const NAME: &str = "user_namespaces_off_by_a_setting_lead_to_the_rung_without_them";
    if role().is_some() {
        return stands_on(Rung::NoNamespaces).await;
    }
    in_a_user_namespace(NAME, &[], "echo 0 > /proc/sys/user/max_user_namespaces || exit 77");
}

/// Restricts this process as a container's or a hardened host's policy would, for the tests that run in a process of their own.
fn refuse(calls: &[i64], errno: i32) {
    let rules = calls.iter().map(|call| (*call, vec![])).collect();
    let arch = std::env::consts::ARCH.try_into().unwrap();
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(errno as u32), arch).unwrap();
    let program: BpfProgram = filter.try_into().unwrap();
    seccompiler::apply_filter_all_threads(&program).unwrap();
}

fn in_a_process_of_its_own(test: &str) {
    let finished = this_test_as(test, "host").output().unwrap();
    assert!(finished.status.success(), "{finished:?}");
}

#[tokio::test]
async fn user_namespaces_off_by_a_filter_lead_to_the_rung_without_them() {
    const NAME: &str = "user_namespaces_off_by_a_filter_lead_to_the_rung_without_them";
    if role().is_none() {
        return in_a_process_of_its_own(NAME);
    }
    refuse(&[libc::SYS_unshare], libc::EPERM);
    stands_on(Rung::NoNamespaces).await;
}

#[tokio::test]
async fn capabilities_that_cannot_be_used_lead_to_the_rung_without_namespaces() {
    const NAME: &str = "capabilities_that_cannot_be_used_lead_to_the_rung_without_namespaces";
    if role().is_none() {
        return in_a_process_of_its_own(NAME);
    }
    // What AppArmor does on Ubuntu: the namespace can be made, and nothing can be done in it.
    refuse(&[libc::SYS_mount, libc::SYS_mount_setattr, libc::SYS_open_tree], libc::EACCES);
    let error = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap_err();
    assert!(error.to_string().contains("using a capability inside a user namespace"), "{error}");
    stands_on(Rung::NoNamespaces).await;
}

#[tokio::test]
async fn a_masked_proc_leads_to_the_rung_with_an_empty_one() {
    const NAME: &str = "a_masked_proc_leads_to_the_rung_with_an_empty_one";
    if role().is_some() {
        return stands_on(Rung::EmptyProc).await;
    }
    in_a_user_namespace(NAME, &["--mount"], "mount -t tmpfs none /proc/sys || exit 77");
}

#[tokio::test]
async fn without_namespaces_and_without_landlock_nothing_runs() {
    const NAME: &str = "without_namespaces_and_without_landlock_nothing_runs";
    if role().is_none() {
        return in_a_process_of_its_own(NAME);
    }
    refuse(&[libc::SYS_unshare, libc::SYS_landlock_create_ruleset], libc::ENOSYS);
    let sandbox = Sandbox::new(None);
    let error = sandbox.best_rung(&Profile::deny_all()).await.unwrap_err();
    assert_eq!(error.code(), "isolation.user_namespaces_restricted", "the best rung's answer has the remedy: {error}");
    for rung in Rung::ALL {
        let launched = sandbox.launch(&Profile::deny_all().on_rung(rung), vec![shell("echo ran")]).await;
        assert!(launched.is_err(), "{rung}: {launched:?}");
    }
}

#[tokio::test]
async fn without_landlock_namespaces_carry_the_axes_alone() {
    const NAME: &str = "without_landlock_namespaces_carry_the_axes_alone";
    if role().is_none() {
        return in_a_process_of_its_own(NAME);
    }
    refuse(&[libc::SYS_landlock_create_ruleset], libc::ENOSYS);
    let report = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
    assert_eq!(report.axes(), AxisSet::ALL, "{:?}", failures(&report));
    let landlock = report.mechanisms.iter().find(|mechanism| mechanism.name == "landlock").unwrap();
    assert!(landlock.state.starts_with("not built"), "{}", landlock.state);
}

#[tokio::test]
async fn every_landlock_abi_is_used_as_far_as_it_goes() {
    let newest = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
    let newest = newest.mechanisms.iter().find(|mechanism| mechanism.name == "landlock").unwrap();
    let newest: i32 = newest.state.trim_start_matches("ABI ").parse().unwrap_or(0);
    for abi in 1..=newest {
        let sandbox = Sandbox::with_landlock_abi(abi, None);
        let full = sandbox.evidence(&Profile::deny_all()).await.unwrap();
        assert_eq!(full.axes(), AxisSet::ALL, "ABI {abi}: {:?}", failures(&full));
        assert!(full.mechanisms.iter().any(|one| one.name == "landlock" && one.state == format!("ABI {abi}")));

        // Without a root of its own the run has nothing but Landlock, and the axes tell what it does not know yet.
        let bare = sandbox.evidence(&Profile::deny_all().on_rung(Rung::NoNamespaces)).await.unwrap();
        let proven = |name: &str| {
            let attempts = bare.evidence.iter().flat_map(|evidence| &evidence.attempts);
            attempts.into_iter().find(|attempt| attempt.name == name).unwrap().verdict == Verdict::Verified
        };
        assert_eq!(proven("truncate_outside"), abi >= 3, "ABI {abi}");
        assert_eq!(bare.axes().contains(Axis::HostFilesystemRestricted), abi >= 3, "ABI {abi}: {:?}", failures(&bare));
        assert_eq!(proven("signal_host_process"), abi >= 6, "ABI {abi}");
        assert!(proven("connect_to_abstract_host_socket"), "the filter does this on every ABI");
        assert!(!bare.axes().contains(Axis::ProcessContained));
    }
}

#[tokio::test]
async fn a_layer_that_is_left_away_shows_without_namespaces_too() {
    for (layer, axis) in [
        (Layer::Landlock, Axis::HostFilesystemRestricted),
        (Layer::Seccomp, Axis::SyscallsRestricted),
        (Layer::Seccomp, Axis::HostFilesystemRestricted),
    ] {
        let layers = Layers::all().without_dangerously(layer);
        let profile = Profile::deny_all().on_rung(Rung::NoNamespaces).without_layers_dangerously(layers);
        let report = Sandbox::new(None).evidence(&profile).await.unwrap();
        assert!(!report.axes().contains(axis), "without {layer:?} {axis} still holds: {:?}", failures(&report));
    }
}

#[tokio::test]
async fn a_loopback_of_its_own_needs_namespaces() {
    let profile = Profile::deny_all().on_rung(Rung::NoNamespaces).with_network(NetworkMode::Loopback);
    let error = Sandbox::new(None).launch(&profile, vec![shell("echo ran")]).await.unwrap_err();
    assert_eq!(error.code(), "isolation.request_invalid", "{error}");
}
