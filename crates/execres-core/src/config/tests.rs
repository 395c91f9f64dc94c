use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Sample {
    name: String,
    token: Option<SecretString>,
    #[serde(default)]
    servers: Vec<Server>,
    mode: Option<Mode>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    port: u16,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum Mode {
    Fast,
    Limited { rate: f64 },
}

fn problem(json: serde_json::Value) -> String {
    Config::from_json(json).unwrap().parse::<Sample>().unwrap_err().to_string()
}

#[test]
fn parses_into_a_struct_with_secrets_and_variants() {
    let config = Config::from_json(json!({"name": "n", "servers": [{"port": 80}], "mode": {"limited": {"rate": 1.5}}}))
        .unwrap()
        .with_secret("token", "canary");
    let sample: Sample = config.parse().unwrap();
    assert_eq!(sample.name, "n");
    assert_eq!(sample.servers[0].port, 80);
    assert_eq!(sample.mode, Some(Mode::Limited { rate: 1.5 }));
    assert_eq!(sample.token.unwrap().expose_secret(), "canary");
    let fast: Sample = Config::new().with("name", "n").with("mode", "fast").parse().unwrap();
    assert_eq!(fast.mode, Some(Mode::Fast));
}

#[test]
fn an_error_names_the_path_and_the_field() {
    assert_eq!(
        problem(json!({"name": "n", "servers": [{"port": 80}, {"port": "x"}]})),
        "config `servers[1].port`: expected u16, found a string"
    );
    assert_eq!(
        problem(json!({"name": "n", "nmae": 1})),
        "config: `nmae` is not known; the fields are name, token, servers, mode"
    );
    assert_eq!(problem(json!({})), "config: missing field `name`");
    assert_eq!(problem(json!({"name": "n", "mode": "slow"})), "config `mode`: write one of fast, limited");
    assert_eq!(
        problem(json!({"name": "n", "servers": [{"port": 70000}]})),
        "config `servers[0].port`: expected u16, found another value (a number)"
    );
    assert!(Config::from_json(json!([1])).is_err());
}

#[test]
fn an_error_never_quotes_a_secret() {
    #[derive(Debug, Deserialize)]
    #[serde(try_from = "String")]
    struct Quoting;

    impl TryFrom<String> for Quoting {
        type Error = String;

        fn try_from(text: String) -> Result<Self, String> {
            Err(format!("{text} will not do"))
        }
    }

    #[derive(Debug, Deserialize)]
    struct Fields {
        #[serde(rename = "field")]
        _field: Quoting,
    }

    let plain = Config::new().with("field", "canary").parse::<Fields>().unwrap_err();
    assert_eq!(plain.to_string(), "config `field`: canary will not do", "the control: the message quotes its value");
    let secret = Config::new().with_secret("field", "canary").parse::<Fields>().unwrap_err();
    assert_eq!(secret.path(), "field");
    assert!(!format!("{secret} {secret:?}").contains("canary"), "{secret}");
}

#[test]
fn debug_and_redaction_hide_secrets_at_any_depth() {
    let nested = ConfigValue::List(vec![ConfigValue::Map(
        [("deep".to_owned(), ConfigValue::Secret("canary".into()))].into_iter().collect(),
    )]);
    let config = Config::new().with("list", nested).with_secret("longer", "canary-and-more").with("plain", "seen");
    let debug = format!("{config:?}");
    assert!(debug.contains("seen") && !debug.contains("canary"), "{debug}");
    assert_eq!(config.redact("a canary, a canary-and-more, a bird"), "a [secret], a [secret], a bird");
}

#[test]
fn a_candidate_config_replaces_whole_values() {
    let base = Config::from_json(json!({"kept": 1, "map": {"a": 1, "b": 2}})).unwrap();
    let merged = Config::from_json(json!({"map": {"a": 3}})).unwrap().merged_over(&base);
    assert_eq!(format!("{merged:?}"), r#"{"kept": 1, "map": {"a": 3}}"#);
}

#[test]
fn different_values_have_different_canonical_forms() {
    let canonical = |value: ConfigValue| {
        let mut bytes = Vec::new();
        value.write_canonical(&mut |part| bytes.extend_from_slice(part));
        bytes
    };
    let values = [
        json!(null),
        json!(0),
        json!(0.0),
        json!("0"),
        json!([]),
        json!({}),
        json!(["a", "b"]),
        json!(["ab"]),
        json!({"a": "b"}),
        json!({"a": ["b"]}),
        json!(true),
    ];
    for (first_at, first) in values.iter().enumerate() {
        for (second_at, second) in values.iter().enumerate() {
            assert_eq!(
                canonical(first.clone().into()) == canonical(second.clone().into()),
                first_at == second_at,
                "{first} {second}"
            );
        }
    }
    assert_ne!(canonical("a".into()), canonical(ConfigValue::Secret("a".into())));
}
