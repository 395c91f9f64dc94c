//! Facts of this host, found by trying, and nothing of the trial stays.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "as in every test that shares the support module")]
#![allow(dead_code, reason = "the support module is shared by all tests")]

mod support;

use execres_core::Enforcement;
use execres_isolation::host::{HostFacts, LandlockState, MemoryControl, NamespaceTrial};
use execres_isolation::{Profile, Sandbox};
use support::*;

#[tokio::test]
async fn facts_agree_with_what_a_run_gets_and_nothing_of_the_trial_is_left() {
    let facts = HostFacts::gather(None);
    let own = std::process::id();
    assert!(children_of(own).is_empty(), "{:?}", children_of(own));
    assert!(groups_of(own).is_empty(), "{:?}", groups_of(own));

    let report = Sandbox::new(None).evidence(&Profile::deny_all()).await.unwrap();
    assert_eq!(facts.namespaces.trial, NamespaceTrial::Worked);
    let enforced =
        report.limits.iter().any(|limit| limit.limit == "memory" && limit.enforcement == Enforcement::Enforced);
    assert_eq!(facts.memory.control == MemoryControl::Works, enforced, "{:?}", facts.memory);
    let state = |name: &str| report.mechanisms.iter().find(|layer| layer.name == name).unwrap().state.clone();
    match facts.landlock {
        LandlockState::Available { abi } => assert_eq!(state("landlock"), format!("ABI {abi}")),
        _ => assert_eq!(state("landlock"), "not available"),
    }
}
