//! Configuration: what is not known is refused, and what is secret stays inside.

use std::collections::BTreeMap;

use execres_core::{Config, ConfigValue, Delivery, Filter, Health, ProbeRequest};

use super::case::{Case, Made, built};
use super::fault::{Fault, failed, holds};
use crate::Canaries;

/// A key that no provider has.
const UNKNOWN: &str = "execres_contract_unknown";

fn changed(case: &Case<'_>, change: impl FnOnce(Config) -> Config) -> Result<ProbeRequest, Fault> {
    let requirement = built(case.requirement())?;
    let config = change(requirement.config().clone());
    case.asked(requirement.into_builder().config(config))
}

pub(super) async fn an_unknown_config_key_is_refused_by_name(case: &Case<'_>) -> Result<(), Fault> {
    let asked = changed(case, |config| config.with(UNKNOWN, 1))?;
    let text = match case.provider.probe(&asked).await {
        Err(error) => error.to_string(),
        Ok(_) => return Err(Fault::new(format!("the probe takes a configuration with the key {UNKNOWN}"))),
    };
    holds(text.contains(UNKNOWN), || format!("the error does not name the key {UNKNOWN}: {text}"))?;
    holds(text.contains("config"), || format!("the error does not say that the configuration is wrong: {text}"))
}

pub(super) async fn secrets_in_the_configuration_stay_inside(case: &Case<'_>) -> Result<(), Fault> {
    let mut canaries = Canaries::new();

    // Where it takes none, and where none belongs: the refusal quotes nothing.
    let nested = ConfigValue::Map(BTreeMap::from([("inner".to_owned(), secret(&canaries.plant("nested")))]));
    let planted = canaries.plant("unknown");
    for (name, value) in [("unknown key", secret(&planted)), ("nested", nested)] {
        let asked = changed(case, |config| config.with(UNKNOWN, value))?;
        if let Err(error) = case.provider.probe(&asked).await {
            let text = format!("{error} {:?}", error.suggestion());
            canaries.assert_absent_in(&format!("the error about the {name}"), &text)?;
        }
    }

    // Where it takes one: through the whole life of a resource.
    let mut with_secrets = built(case.requirement())?.config().clone();
    for key in &case.subject.secrets {
        with_secrets = with_secrets.with_secret(*key, canaries.plant(*key));
    }
    let asked = changed(case, |_| with_secrets.clone())?;
    let probe = case.probe(&asked).await?;
    canaries.assert_absent_in_debug("the probe", &probe)?;
    let request = case.to_ensure(asked, probe)?;
    canaries.assert_absent_in_debug("the request", &request)?;
    let provided = case.provider.ensure(&request).await.map_err(failed("the ensure"))?;
    let made = Made::new(request, &provided);
    canaries.assert_absent_in("the resource's metadata", &made.shown)?;
    canaries.assert_absent_in_debug("the held resource", &made.held)?;
    let health = case.provider.health_check(&made.held).await;
    canaries.assert_absent_in("the health", &health_text(&health))?;
    case.release(&made).await?;

    through_a_manager(case, with_secrets, &canaries).await
}

/// The same as others see it: handles, snapshots and events.
async fn through_a_manager(case: &Case<'_>, config: Config, canaries: &Canaries) -> Result<(), Fault> {
    let manager = case.manager()?;
    let mut events = manager.subscribe();
    let handle = manager.ensure(built(case.requirement().config(config))?).await.map_err(failed("the ensure"))?;
    canaries.assert_absent_in_debug("the handle", &handle)?;
    canaries.assert_absent_in_debug("a snapshot", &manager.list(&Filter::all()))?;
    manager.release(&handle).await.map_err(failed("the release"))?;
    while let Some(delivery) = events.try_next() {
        if let Delivery::Event(event) = delivery {
            let json = serde_json::to_string(&*event).map_err(failed("an event"))?;
            canaries.assert_absent_in(&format!("the event {}", event.occurrence.name()), &json)?;
        }
    }
    Ok(())
}

fn secret(text: &str) -> ConfigValue {
    Config::new().with_secret("it", text.to_owned()).get("it").cloned().unwrap_or(ConfigValue::Null)
}

fn health_text(health: &Health) -> String {
    format!("{health:?}")
}
