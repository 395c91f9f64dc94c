//! The configuration of a provider: a tree whose leaves can be secret.

mod cut;
mod error;
mod parse;
#[cfg(test)]
mod tests;
mod value;

pub use error::ConfigError;
pub use value::ConfigValue;

use std::collections::BTreeMap;
use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;

/// What a provider is told about the resource to make: a map from keys to [`ConfigValue`]s.
///
/// A leaf can be secret. A secret never shows in `Debug`, enters keys only through a keyed hash, cannot be serialised, and is
/// cut out of every text that a provider writes about the resource before anybody else sees that text.
///
/// ```
/// use execres_core::Config;
/// use secrecy::SecretString;
///
/// #[derive(serde::Deserialize)]
/// #[serde(deny_unknown_fields)]
/// struct ServerConfig {
///     url: String,
///     token: SecretString,
/// }
///
/// let config = Config::new().with("url", "https://example.org").with_secret("token", "s3cr3t");
/// assert!(!format!("{config:?}").contains("s3cr3t"));
///
/// let parsed: ServerConfig = config.parse()?;
/// assert_eq!(parsed.url, "https://example.org");
///
/// let error = Config::new().with("url", 7).parse::<ServerConfig>().err().map(|error| error.to_string());
/// assert_eq!(error.as_deref(), Some("config `url`: expected a string, found a number"));
/// # Ok::<(), execres_core::ConfigError>(())
/// ```
#[derive(Clone, Default)]
pub struct Config(BTreeMap<String, ConfigValue>);

impl Config {
    /// An empty configuration.
    pub fn new() -> Self {
        Config::default()
    }

    /// Sets a key.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<ConfigValue>) -> Self {
        self.0.insert(key.into(), value.into());
        self
    }

    /// Sets a key to a secret.
    #[must_use]
    pub fn with_secret(self, key: impl Into<String>, secret: impl Into<SecretString>) -> Self {
        self.with(key, ConfigValue::Secret(secret.into()))
    }

    /// A configuration from JSON, with no secret leaf. `null` is an empty configuration.
    ///
    /// # Errors
    ///
    /// When the value is neither a map nor `null`.
    pub fn from_json(json: serde_json::Value) -> Result<Self, ConfigError> {
        match ConfigValue::from(json) {
            ConfigValue::Map(map) => Ok(Config(map)),
            ConfigValue::Null => Ok(Config::new()),
            other => Err(ConfigError::new(format!("expected a map, found {}", other.describe()))),
        }
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&ConfigValue> {
        self.0.get(key)
    }

    /// The keys and values, ordered by key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &ConfigValue)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// This configuration over another: a key that both have keeps this one's value as a whole; values are not merged.
    #[must_use]
    pub fn merged_over(&self, base: &Config) -> Config {
        let mut merged = base.0.clone();
        merged.extend(self.0.iter().map(|(key, value)| (key.clone(), value.clone())));
        Config(merged)
    }

    /// Parses the configuration into a provider's own struct.
    ///
    /// The struct should say `#[serde(deny_unknown_fields)]`, and have a [`SecretString`] where a value may be secret.
    ///
    /// # Errors
    ///
    /// When the configuration does not have the struct's form. The error names the path of the field, and never a secret.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        parse::parse(&self.0).map_err(|error| error.redacted(self))
    }

    /// The text with every secret of this configuration cut out of it.
    pub fn redact(&self, text: &str) -> String {
        let mut secrets = Vec::new();
        self.0.values().for_each(|value| value.collect_secrets(&mut secrets));
        cut::cut(text, secrets.iter().map(|secret| secret.expose_secret()))
    }
}

impl fmt::Debug for Config {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(&self.0).finish()
    }
}

impl<K: Into<String>, V: Into<ConfigValue>> FromIterator<(K, V)> for Config {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        Config(entries.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
    }
}
