//! A host registers the provider with Execres, chooses it, and falls back from it.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use execres::code::{CodeExecution, CodeRequest, Language};
use execres::core::{Axis, AxisSet, Candidate, Config, Outcome, ProviderId};
use execres::isolation::Sandbox;
use execres::{BuildError, CodeCall, Execres, Isolation};
use external_provider::BubblewrapProvider;

async fn run(isolation: Isolation, candidates: Vec<Candidate>) -> CodeExecution {
    let state = tempfile::tempdir().unwrap();
    let builder = Execres::builder().state_dir(state.path().join("state"));
    let execres = builder.provider(BubblewrapProvider::new(Sandbox::new(None))).build().unwrap();
    let program = "import socket\nprint(socket.gethostname())";
    let mut call = CodeCall::new(CodeRequest::new(Language::parse("python").unwrap()).source(program));
    call.isolation = isolation;
    call.candidates = candidates;
    execres.run(call).await.unwrap()
}

fn candidate(id: &str) -> Candidate {
    Candidate::new(ProviderId::new(id).unwrap())
}

#[tokio::test]
async fn it_runs_what_it_is_chosen_for_and_the_fallback_is_told() {
    if !BubblewrapProvider::is_installed() {
        let test = "it_runs_what_it_is_chosen_for_and_the_fallback_is_told";
        eprintln!("EXECRES-SKIP: {test}: optional: bubblewrap is not installed");
        return;
    }
    let named = candidate("bubblewrap").with_config(Config::new().with("hostname", "chosen"));
    let result = run(Isolation::PreferredDangerously, vec![named]).await;
    assert_eq!((result.provider.as_str(), result.stdout.text().as_str()), ("bubblewrap", "chosen\n"));
    let proven = AxisSet::EMPTY.with(Axis::ProcessContained).with(Axis::HostFilesystemRestricted);
    assert_eq!(result.isolation.axes(), proven);
    assert!(result.fallback.unwrap().why.contains("syscalls_restricted is not proven"));
}

#[tokio::test]
async fn what_it_cannot_prove_the_next_candidate_runs() {
    for isolation in [Isolation::Required, Isolation::PreferredDangerously] {
        let result = run(isolation, vec![candidate("bubblewrap"), candidate("sandbox")]).await;
        assert_eq!((result.provider.as_str(), &result.outcome), ("sandbox", &Outcome::Exited { code: 0 }));
        assert_eq!(result.isolation.axes(), AxisSet::ALL);
    }
}

#[test]
fn two_providers_with_one_id_are_refused() {
    let state = tempfile::tempdir().unwrap();
    let provider = || BubblewrapProvider::new(Sandbox::new(None));
    let builder = Execres::builder().state_dir(state.path().join("state")).provider(provider()).provider(provider());
    assert!(matches!(builder.build(), Err(BuildError::Register(_))));
}
