//! What a probe does to the machine that it runs on: nothing that stays, and nothing that others could use meanwhile.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use execres_core::{Axis, AxisSet, Verdict};
use execres_isolation::{Profile, Sandbox};
use execres_owner::{OwnerRegistry, StateDir};
use support::*;

#[tokio::test]
async fn canaries_are_closed_to_other_users_and_gone_afterwards() {
    const NAME: &str = "canaries_are_closed_to_other_users_and_gone_afterwards";
    if role().is_none() {
        let temporary = open_dir();
        // As open as `/tmp`, so that what is seen is the doing of the probe.
        fs::set_permissions(temporary.path(), fs::Permissions::from_mode(0o1777)).unwrap();
        let output = this_test_as(NAME, "host").env("TMPDIR", temporary.path()).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
        return;
    }
    let over = Arc::new(AtomicBool::new(false));
    let watcher = std::thread::spawn({
        let over = Arc::clone(&over);
        move || {
            let mut modes = Vec::new();
            while !over.load(Ordering::Relaxed) {
                for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
                    if entry.file_name().to_string_lossy().starts_with("execres-probe-") {
                        modes.extend(entry.metadata().map(|metadata| metadata.mode() & 0o777));
                    }
                }
            }
            modes
        }
    });
    for _ in 0..5 {
        let report = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
        assert_eq!(report.axes(), AxisSet::ALL);
    }
    over.store(true, Ordering::Relaxed);
    let modes = watcher.join().unwrap();
    assert!(!modes.is_empty(), "the watcher is the control: it has to see the canaries");
    assert!(modes.iter().all(|mode| mode & 0o007 == 0), "{modes:?}");
}

#[tokio::test]
async fn evidence_is_found_once_for_many_runs_and_again_for_another_shape() {
    let sandbox = Sandbox::new(None);
    let profile = Profile::deny_all();
    let (one, two) = tokio::join!(sandbox.evidence(&profile), sandbox.evidence(&profile));
    let (one, two) = (one.unwrap(), two.unwrap());
    assert!(Arc::ptr_eq(&one, &two));
    let loopback = profile.with_network(execres_core::NetworkMode::Loopback);
    assert!(!Arc::ptr_eq(&one, &sandbox.evidence(&loopback).await.unwrap()));
}

#[tokio::test]
async fn every_axis_has_attempts_and_every_attempt_says_what_was_seen() {
    let report = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
    for axis in [
        Axis::ProcessContained,
        Axis::HostFilesystemRestricted,
        Axis::PrivilegeEscalationBlocked,
        Axis::SyscallsRestricted,
    ] {
        let evidence = report.evidence.iter().find(|evidence| evidence.axis == axis).unwrap();
        assert!(evidence.attempts.len() >= 3, "{axis}: {:?}", evidence.attempts);
        for attempt in &evidence.attempts {
            assert!(!attempt.observed.is_empty(), "{attempt:?}");
            assert!(!matches!(attempt.verdict, Verdict::NotEnforced), "{attempt:?}");
        }
    }
    assert!(report.limits.len() >= 8);
    assert!(report.limits.iter().all(|limit| !limit.mechanism.is_empty()));
}

fn owners_in(directory: &std::path::Path) -> Arc<execres_owner::OwnerRegistry> {
    let state = execres_owner::StateDir::open_at(&directory.join("state")).unwrap();
    execres_owner::OwnerRegistry::open(state).unwrap()
}

#[tokio::test]
async fn a_second_host_believes_the_evidence_of_the_first() {
    let directory = open_dir();
    let evidence =
        async |profile: &Profile| Sandbox::new(Some(owners_in(directory.path()))).evidence(profile).await.unwrap();
    let first = evidence(&Profile::deny_all()).await;
    let second = evidence(&Profile::deny_all()).await;
    assert_eq!(first, second);
    assert_eq!(second.axes(), AxisSet::ALL);
    // Another shape is probed, and so is everything where nothing was written down.
    let loopback = evidence(&Profile::deny_all().with_network(execres_core::NetworkMode::Loopback)).await;
    assert_ne!(loopback.evidence_id, first.evidence_id);
    assert_ne!(Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap().evidence_id, first.evidence_id);
}

#[tokio::test]
async fn the_state_directory_with_the_evidence_is_in_no_profile() {
    let directory = open_dir();
    let sandbox = Sandbox::new(Some(owners_in(directory.path())));
    sandbox.evidence(&Profile::deny_all()).await.unwrap();
    let beside = directory.path().join("beside");
    fs::create_dir(&beside).unwrap();
    let state = directory.path().join("state");
    let granted = |path: &std::path::Path| Profile::deny_all().write(path, "/data".as_ref()).unwrap();
    for path in [directory.path(), &state, &state.join("evidence"), &state.join("owners")] {
        for profile in [granted(path), Profile::deny_all().working_copy(path, "/data".as_ref()).unwrap()] {
            let error = sandbox.launch(&profile, vec![shell("ls /data")]).await.unwrap_err();
            assert_eq!(error.code(), "isolation.root_protected", "{path:?}: {error}");
        }
    }
    assert_eq!(output(&run_in(&sandbox, &granted(&beside), vec![shell("ls /data")]).await), "", "the control");
    let said = Profile::deny_all().read_dangerously(&state, "/data".as_ref()).unwrap();
    assert_eq!(output(&run_in(&sandbox, &said, vec![shell("echo said")]).await), "said\n");
}

#[tokio::test]
async fn who_asks_how_things_are_now_gets_no_evidence_of_an_earlier_process() {
    let state = open_dir();
    let owners = || Some(OwnerRegistry::open(StateDir::open_at(&state.path().join("state")).unwrap()).unwrap());
    let profile = Profile::deny_all();
    let first = Sandbox::new(owners()).evidence(&profile).await.unwrap();
    let stored = Sandbox::new(owners()).evidence(&profile).await.unwrap();
    assert_eq!(first.evidence_id, stored.evidence_id, "the control: another sandbox takes what the first one found");
    let anew = Sandbox::trying_anew(owners()).evidence(&profile).await.unwrap();
    assert_ne!(first.evidence_id, anew.evidence_id);
}

#[tokio::test]
async fn a_machine_whose_queues_and_segments_are_used_up_still_proves_its_axes() {
    const NAME: &str = "a_machine_whose_queues_and_segments_are_used_up_still_proves_its_axes";
    if role().is_some() {
        let report = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
        assert_eq!(report.axes(), AxisSet::ALL, "{report:#?}");
        let attempts = || report.evidence.iter().flat_map(|evidence| &evidence.attempts);
        for name in ["attach_host_sysv_memory", "write_host_posix_queue"] {
            let attempt = attempts().find(|attempt| attempt.name == name).unwrap();
            assert!(attempt.observed.contains("another IPC namespace"), "{attempt:?}");
        }
        // Without that namespace nothing is proven then.
        let layers = execres_isolation::Layers::all().without_dangerously(execres_isolation::Layer::IpcNamespace);
        let without = Profile::deny_all().without_layers_dangerously(layers);
        let report = Sandbox::new(None).evidence(&without).await.unwrap();
        assert!(!report.axes().contains(Axis::ProcessContained));
        return;
    }
    let preparation = "echo 0 > /proc/sys/fs/mqueue/queues_max && echo 0 > /proc/sys/kernel/shmmni || exit 77";
    in_a_user_namespace(NAME, &["--ipc"], preparation);
}

#[tokio::test]
async fn no_state_directory_of_this_user_is_in_a_profile_whoever_the_host_is() {
    const NAME: &str = "no_state_directory_of_this_user_is_in_a_profile_whoever_the_host_is";
    if let Some(state) = role() {
        // A host that keeps no register itself.
        let sandbox = Sandbox::new(None);
        let state = std::path::PathBuf::from(state);
        for path in [state.clone(), state.join("evidence"), state.parent().unwrap().to_owned()] {
            let profile = Profile::deny_all().write(&path, "/data".as_ref()).unwrap();
            let error = sandbox.launch(&profile, vec![shell("ls /data")]).await.unwrap_err();
            assert_eq!(error.code(), "isolation.root_protected", "{path:?}: {error}");
        }
        return;
    }
    let directory = open_dir();
    let owners = owners_in(directory.path());
    Sandbox::new(Some(owners)).evidence(&Profile::deny_all()).await.unwrap();
    let state = directory.path().join("state");
    let mut host = this_test_as(NAME, state.to_str().unwrap());
    let output = host.env("EXECRES_STATE_DIR", &state).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn evidence_that_cannot_be_is_not_believed_wherever_it_stands() {
    let directory = open_dir();
    let evidence = async |rung| {
        let sandbox = Sandbox::new(Some(owners_in(directory.path())));
        sandbox.evidence(&Profile::deny_all().on_rung(rung)).await.unwrap()
    };
    let found = evidence(execres_isolation::Rung::NoNamespaces).await;
    assert!(!found.axes().contains(Axis::ProcessContained));
    let place = directory.path().join("state/evidence");
    let file = fs::read_dir(&place).unwrap().next().unwrap().unwrap().path();
    let forged = fs::read_to_string(&file).unwrap().replace("not_enforced", "verified");
    fs::write(&file, forged).unwrap();
    let again = evidence(execres_isolation::Rung::NoNamespaces).await;
    assert!(!again.axes().contains(Axis::ProcessContained), "{again:#?}");
    assert_ne!(again.evidence_id, found.evidence_id, "it was tried out anew");
}
