//! What each layer can say.

use std::time::Duration;

use serde_json::json;

use crate::*;

fn settings() -> Settings {
    Manager::builder().build().settings().clone()
}

fn handler(name: &str) -> HandlerName {
    HandlerName::new(name).unwrap()
}

#[test]
fn every_key_of_the_seed_is_set_by_its_name() {
    let settings = settings();
    assert_eq!(settings.owner().as_str(), "execres");
    assert_eq!(settings.approval_handler(), handler("input_timeout_fail"));
    settings.set("code_execution.providers", json!([{"provider_id": "strict", "config": {"a": 1}}, "docker"])).unwrap();
    settings.set("access_control_policy.auto_allow", json!(true)).unwrap();
    settings.set("policy_approval.handler", json!("fail_closed")).unwrap();
    settings.set("policy_approval.input_timeout_seconds", json!(1.5)).unwrap();
    settings.set("execution_resource.owner_id", json!("host")).unwrap();
    let providers = settings.code_execution_providers().unwrap();
    assert_eq!(providers.iter().map(|one| one.provider_id().as_str()).collect::<Vec<_>>(), ["strict", "docker"]);
    assert_eq!(settings.auto_allow(), AutoAllow::On);
    assert_eq!(settings.approval_handler(), handler("fail_closed"));
    assert_eq!(settings.input_timeout(), Duration::from_millis(1500));
    assert_eq!(settings.owner().as_str(), "host");
    for key in SettingKey::ALL {
        assert_eq!(key.name().parse(), Ok(key));
    }
}

#[test]
fn a_value_of_another_form_is_refused_and_changes_nothing() {
    let settings = settings();
    for (key, value) in [
        ("access_control_policy.auto_allow", json!("false")),
        ("access_control_policy.auto_allow", json!(1)),
        ("policy_approval.handler", json!("nobody")),
        ("policy_approval.handler", json!(null)),
        ("policy_approval.input_timeout_seconds", json!(-1)),
        ("policy_approval.input_timeout_seconds", json!("30")),
        ("execution_resource.owner_id", json!("")),
        ("code_execution.providers", json!("docker")),
        ("code_execution.providers", json!([""])),
        ("code_execution.provider", json!([])),
    ] {
        assert!(settings.set(key, value.clone()).is_err(), "{key} {value}");
    }
    assert_eq!(settings.auto_allow(), AutoAllow::Off);
    assert_eq!(settings.approval_handler(), handler("input_timeout_fail"));
    assert!(settings.code_execution_providers().is_none());
}

#[test]
fn m12_a_layer_below_the_host_makes_stricter_and_never_looser() {
    let manager = Manager::builder().build();
    let (host, layer) = (manager.settings(), manager.layer());
    let deeper = layer.layer();
    let (layer, deeper) = (layer.settings(), deeper.settings());
    let loosens = |key| Err(SettingsError::Loosens { key });
    assert_eq!(layer.set_auto_allow(AutoAllow::On), loosens(SettingKey::AutoAllow));
    assert_eq!(deeper.set_approval_handler(&handler("auto_approve")), loosens(SettingKey::ApprovalHandler));
    assert_eq!(layer.set_input_timeout(Duration::from_secs(31)), loosens(SettingKey::InputTimeout));
    assert_eq!(deeper.auto_allow(), AutoAllow::Off);

    host.set_auto_allow(AutoAllow::On).unwrap();
    assert_eq!(deeper.auto_allow(), AutoAllow::On, "the control: what is not set is as above");
    layer.set_auto_allow(AutoAllow::Off).unwrap();
    assert_eq!(
        (host.auto_allow(), layer.auto_allow(), deeper.auto_allow()),
        (AutoAllow::On, AutoAllow::Off, AutoAllow::Off)
    );
    layer.set_approval_handler(&handler("fail_closed")).unwrap();
    assert_eq!(deeper.approval_handler(), handler("fail_closed"));
    layer.set_input_timeout(Duration::from_secs(5)).unwrap();
    host.set_input_timeout(Duration::from_secs(2)).unwrap();
    assert_eq!(deeper.input_timeout(), Duration::from_secs(2), "what the host shortens later is short below");
    layer.set_owner(OwnerId::new("agent").unwrap());
    assert_eq!((host.owner().as_str(), deeper.owner().as_str()), ("execres", "agent"));
}

#[test]
fn the_configuration_that_the_host_gave_a_provider_stays_over_that_of_a_layer() {
    let manager = Manager::builder().build();
    let id = || ProviderId::new("p").unwrap();
    let strict = Candidate::new(id()).with_config(Config::new().with("profile", "strict"));
    manager.settings().set_code_execution_providers(vec![strict]).unwrap();
    let layer = manager.layer();
    let lax = Candidate::new(id()).with_config(Config::new().with("profile", "lax").with("more", 1));
    layer.settings().set_code_execution_providers(vec![lax]).unwrap();
    let providers = layer.settings().code_execution_providers().unwrap();
    assert_eq!(
        format!("{:?}", providers[0].config()),
        r#"{"profile": "strict", "more": 1}"#
            .replace(r#""profile": "strict", "more": 1"#, r#""more": 1, "profile": "strict""#)
    );
}
