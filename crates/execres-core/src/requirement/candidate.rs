//! Candidates: providers to try, each with the configuration that is merged for it only.

use crate::config::Config;
use crate::identity::{InvalidName, ProviderId};

/// A provider to try, and the configuration that is merged over the requirement's for it only.
#[derive(Debug, Clone)]
pub struct Candidate {
    provider_id: ProviderId,
    config: Config,
}

impl Candidate {
    /// A candidate with the requirement's configuration as it is.
    pub fn new(provider_id: ProviderId) -> Self {
        Candidate { provider_id, config: Config::new() }
    }

    /// Sets the configuration that is merged over the requirement's for this candidate only.
    #[must_use]
    pub fn with_config(mut self, config: Config) -> Self {
        self.config = config;
        self
    }

    /// The provider.
    pub const fn provider_id(&self) -> &ProviderId {
        &self.provider_id
    }

    /// What is merged over the requirement's configuration.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// An ordered list of candidates as settings have it: each a provider's id, or a map of `provider_id` and `config`.
    ///
    /// # Errors
    ///
    /// When the list is no list, or an entry is neither of both. The error names its index.
    pub fn list_from_json(json: serde_json::Value) -> Result<Vec<Candidate>, CandidateError> {
        let serde_json::Value::Array(entries) = json else { return Err(CandidateError::NoList) };
        entries.into_iter().enumerate().map(|(index, entry)| Candidate::from_json(index, entry)).collect()
    }

    fn from_json(index: usize, entry: serde_json::Value) -> Result<Candidate, CandidateError> {
        let id = |text: &str| ProviderId::new(text).map_err(|source| CandidateError::Id { index, source });
        match entry {
            serde_json::Value::String(text) => Ok(Candidate::new(id(&text)?)),
            serde_json::Value::Object(mut map) => {
                let Some(serde_json::Value::String(text)) = map.remove("provider_id") else {
                    return Err(CandidateError::NoId { index });
                };
                let config = match map.remove("config") {
                    None => Config::new(),
                    Some(config) => Config::from_json(config).map_err(|_| CandidateError::Config { index })?,
                };
                match map.into_iter().next() {
                    Some((key, _)) => Err(CandidateError::UnknownKey { index, key }),
                    None => Ok(Candidate::new(id(&text)?).with_config(config)),
                }
            }
            _ => Err(CandidateError::NoId { index }),
        }
    }
}

impl From<ProviderId> for Candidate {
    fn from(provider_id: ProviderId) -> Self {
        Candidate::new(provider_id)
    }
}

/// A candidate that is not written as it should be. Positions count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CandidateError {
    /// There is no list.
    #[error("the candidates are a list")]
    NoList,
    /// No provider id is given.
    #[error("candidate {index}: write a provider id, or a map with a text `provider_id` and an optional map `config`")]
    NoId {
        /// Which candidate.
        index: usize,
    },
    /// The provider id is not valid.
    #[error("candidate {index}: {source}")]
    Id {
        /// Which candidate.
        index: usize,
        /// What is wrong with it.
        source: InvalidName,
    },
    /// The configuration is no map.
    #[error("candidate {index}: `config` is a map")]
    Config {
        /// Which candidate.
        index: usize,
    },
    /// There is a key that means nothing.
    #[error("candidate {index}: `{key}` is not known; the keys are provider_id and config")]
    UnknownKey {
        /// Which candidate.
        index: usize,
        /// The key.
        key: String,
    },
}
