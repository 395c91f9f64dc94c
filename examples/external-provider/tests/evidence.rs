//! The evidence notices what does not hold, and what is missing is said with its remedy.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;

use execres::code::KIND;
use execres::core::{Availability, AxisSet, Kind, Probe, ProbeRequest, Provider, Requirement, Verdict};
use execres::isolation::Sandbox;
use external_provider::BubblewrapProvider;

async fn probe(place: impl AsRef<Path>) -> Probe {
    let requirement = Requirement::builder(Kind::from_static(KIND)).build().unwrap();
    let (config, policy) = (requirement.config().clone(), Arc::new(requirement.policy().clone()));
    let provider = BubblewrapProvider::at(place.as_ref(), Sandbox::new(None));
    provider.probe(&ProbeRequest::new(Arc::new(requirement), config, policy)).await.unwrap()
}

#[tokio::test]
async fn a_missing_bubblewrap_is_said_with_its_remedy() {
    let missing = probe("/nowhere/bwrap").await;
    let Availability::Unavailable { reason, suggestion, .. } = missing.availability() else { panic!("{missing:?}") };
    assert_eq!(reason, "bubblewrap is not installed");
    assert!(suggestion.as_deref().unwrap().contains("apt-get install bubblewrap"));
    let broken = probe("/bin/false").await;
    let Availability::Unavailable { reason, .. } = broken.availability() else { panic!("{broken:?}") };
    assert!(reason.starts_with("programs do not start in bubblewrap here"), "{reason}");
}

#[tokio::test]
async fn a_bubblewrap_that_leaks_proves_no_axis() {
    if !BubblewrapProvider::is_installed() {
        eprintln!("EXECRES-SKIP: a_bubblewrap_that_leaks_proves_no_axis: optional: bubblewrap is not installed");
        return;
    }
    // It does what bubblewrap does, and gives the program the directory for temporary files and the network besides.
    let temporary = std::env::temp_dir().display().to_string();
    let leaky = format!(
        "#!/bin/sh\nfor word do shift; [ \"$word\" = --chdir ] && set -- \"$@\" --bind {temporary} {temporary} --share-net\n\
         set -- \"$@\" \"$word\"; done\nexec /usr/bin/bwrap \"$@\"\n"
    );
    let place = tempfile::tempdir().unwrap();
    let script = place.path().join("bwrap");
    fs::write(&script, leaky).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();

    let probe = probe(&script).await;
    assert_eq!(probe.axes(), AxisSet::EMPTY, "{probe:?}");
    let evidence = &probe.isolation().expect("there is a report").evidence;
    let leaks: Vec<&str> = evidence
        .iter()
        .flat_map(|axis| &axis.attempts)
        .filter(|attempt| attempt.verdict == Verdict::NotEnforced)
        .map(|attempt| &*attempt.name)
        .collect();
    let found = ["connect_to_host", "read_host_file", "write_host_file", "change_host_file", "act_as_the_host_s_user"];
    assert_eq!(leaks, found);
}
