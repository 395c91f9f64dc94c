//! M8: no secret leaves.

use std::fmt::Debug;

use super::mock::*;
use crate::*;

const SECRET: &str = "canary-secret";
const PLAIN: &str = "canary-plain";
const POLICY: &str = "canary-policy";

fn planted() -> RequirementBuilder {
    let config = Config::new()
        .with_secret("token", SECRET)
        .with("plain", PLAIN)
        .with("nested", vec![ConfigValue::Secret(SECRET.into())]);
    let candidate = Candidate::new(provider_id("mock")).with_config(Config::new().with_secret("own", "canary-own"));
    session().config(config).candidate(candidate).reuse_key(PLAIN).policy(
        Policy::new()
            .with_command_prefixes([POLICY.parse().unwrap()])
            .with_allowed_paths([PathRule::new(format!("/{POLICY}")).unwrap()]),
    )
}

/// Everything that was seen, to be searched at the end.
#[derive(Default)]
struct Seen(String);

impl Seen {
    fn debug(&mut self, value: &impl Debug) {
        self.0.push_str(&format!("{value:?}\n{value:#?}\n"));
    }

    fn events(&mut self, events: &mut Subscription) {
        while let Some(delivery) = events.try_next() {
            if let Delivery::Event(event) = &delivery {
                self.0.push_str(&serde_json::to_string(&**event).unwrap());
            }
            self.debug(&delivery);
        }
    }
}

#[tokio::test]
async fn m8_no_secret_leaves_through_events_errors_or_debug() {
    let (manager, watched) = manager();
    let mut events = manager.subscribe();
    let (mut seen, mut told) = (Seen::default(), Seen::default());
    let text = format!("could not open {SECRET} with canary-own for {PLAIN}");

    seen.debug(&planted().build().unwrap());
    let id = manager.declare(planted().build().unwrap()).unwrap();
    seen.debug(&manager.declared(&id).unwrap());
    for act in [&watched.probe, &watched.ensure] {
        Watched::act(act, Act::Fail(text.clone()));
        let error = manager.ensure(&id).await.unwrap_err();
        assert!(error.to_string().contains("could not open [secret] with [secret]"), "the control: {error}");
        seen.debug(&error);
        seen.0.push_str(&error.to_string());
        seen.debug(&error.probes());
        Watched::act(act, Act::Succeed);
    }
    *watched.answer.lock().unwrap() = Probe::unavailable(MADE_BADLY, text.clone(), Some(text.clone()));
    let error = manager.ensure(&id).await.unwrap_err();
    seen.debug(&error);
    seen.0.push_str(&error.to_string());
    let mut report = IsolationReport::none(NetworkMode::None);
    let verdict = Verdict::Inconclusive { why: text.clone() };
    report.facts.push(Attempt { name: "reads".into(), verdict, observed: text.clone() });
    report.mechanisms.push(Mechanism { name: "none".into(), state: text.clone() });
    *watched.answer.lock().unwrap() = Probe::available(Capabilities::new()).with_isolation(report);
    Watched::act(&watched.ensure, Act::Fail(text.clone()));
    let error = manager.ensure(&id).await.unwrap_err();
    let probes = format!("{:?}", error.probes());
    assert_eq!(probes.matches("could not open [secret]").count(), 3, "the control: evidence is told: {probes}");
    seen.debug(&error);
    Watched::act(&watched.ensure, Act::Succeed);
    *watched.answer.lock().unwrap() = Probe::available(Capabilities::new());
    let handle = manager.ensure(&id).await.unwrap();
    seen.debug(&handle);
    seen.debug(&manager.list(&Filter::all()));
    assert_eq!(handle.metadata("address"), Some("at [secret]"), "what the provider tells of the resource is scrubbed");
    assert_eq!(handle.metadata("number"), Some("3"), "the control: and else as it told it");
    seen.0.push_str(&serde_json::to_string(&manager.list(&Filter::all())).unwrap());
    seen.debug(&manager);
    Watched::act(&watched.health, Act::Fail(text.clone()));
    let fresh = manager.ensure(&id).await.unwrap();
    assert!(fresh.policy().command_prefixes.is_some(), "the control: there is a policy to be seen");
    Watched::act(&watched.release, Act::Fail(text));
    let error = manager.release(&fresh).await.unwrap_err();
    seen.debug(&error);
    seen.0.push_str(&error.to_string());
    told.events(&mut events);

    for canary in [SECRET, "canary-own", POLICY] {
        assert!(!seen.0.contains(canary), "{canary} is seen in: {}", seen.0);
        assert!(!told.0.contains(canary), "{canary} is told in: {}", told.0);
    }
    assert!(seen.0.contains(PLAIN), "the control: what is not secret is seen");
    assert!(!told.0.contains(PLAIN), "an event holds nothing of a configuration or a policy: {}", told.0);
    assert!(told.0.contains("execution_resource.unhealthy"), "the control: events were told");
}
