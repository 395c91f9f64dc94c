use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::identity::GrantId;

fn kind() -> Kind {
    Kind::new("sqlite").unwrap()
}

#[test]
fn defaults_are_those_of_the_docs() {
    let requirement = Requirement::builder(kind()).build().unwrap();
    assert_eq!(requirement.scope(), Scope::ActionCall);
    assert_eq!(requirement.resource_key().as_str(), "sqlite");
    assert_eq!(requirement.owner(), None);
    assert!(requirement.id().as_str().starts_with("sqlite:"));
    assert_ne!(Requirement::builder(kind()).build().unwrap().id(), requirement.id());
}

#[test]
fn a_requirement_can_be_built_further() {
    let declared = Requirement::builder(kind()).config(Config::new().with("path", "a.db")).build().unwrap();
    let id = declared.id().clone();
    let forced = declared.into_builder().scope(Scope::Execution).owner("run-1".parse().unwrap()).build().unwrap();
    assert_eq!((forced.id(), forced.scope()), (&id, Scope::Execution));
    assert!(forced.config().get("path").is_some());
}

#[test]
fn candidates_are_texts_or_maps_and_errors_name_the_index() {
    let list = Candidate::list_from_json(json!(["a", {"provider_id": "b", "config": {"profile": "strict"}}])).unwrap();
    assert_eq!(list[1].provider_id().as_str(), "b");
    assert_eq!(format!("{:?}", list[1].config()), r#"{"profile": "strict"}"#);
    let problem = |json| Candidate::list_from_json(json).unwrap_err().to_string();
    assert_eq!(problem(json!(["a", " "])), "candidate 1: the provider id is not valid: it is empty");
    assert_eq!(problem(json!([{"provider_id": "a", "config": [1]}])), "candidate 0: `config` is a map");
    assert_eq!(
        problem(json!([{"provider_id": "a", "cfg": {}}])),
        "candidate 0: `cfg` is not known; the keys are provider_id and config"
    );
    assert!(problem(json!([7])).starts_with("candidate 0"));
    assert_eq!(problem(json!("a")), "the candidates are a list");
}

#[test]
fn a_provider_is_a_candidate_once() {
    let id = || ProviderId::new("a").unwrap();
    let error = Requirement::builder(kind()).candidate(id()).candidate(id()).build().unwrap_err();
    assert_eq!(error.to_string(), "candidate 1: provider a is a candidate already");
    assert_eq!(error.code(), crate::ErrorCode::REQUIREMENT_INVALID);
}

#[test]
fn a_grant_is_typed_and_shows_its_id_only() {
    let requirement = Requirement::builder(kind())
        .grant(GrantId::new("grant-1").unwrap(), Arc::new("the live grant".to_owned()))
        .build()
        .unwrap();
    let grant = requirement.grant().unwrap();
    assert_eq!(*grant.live::<String>().unwrap(), "the live grant");
    assert!(grant.live::<u32>().is_none());
    assert!(!format!("{grant:?}").contains("live grant"));
}
