//! Why a setting was not taken.

use super::{SettingKey, UnknownSetting};
use crate::identity::{HandlerName, InvalidName, ProviderId};
use crate::requirement::CandidateError;

/// Why a setting was not taken. What was set before stays.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// No setting has the name.
    #[error(transparent)]
    Unknown(#[from] UnknownSetting),
    /// The value is of another form.
    #[error("setting {key} is {expected}")]
    Form {
        /// The setting.
        key: SettingKey,
        /// What it is.
        expected: &'static str,
    },
    /// A name in the value is not valid.
    #[error("setting {key}: {source}")]
    Name {
        /// The setting.
        key: SettingKey,
        /// What is wrong with it.
        source: InvalidName,
    },
    /// A candidate is not written as it should be.
    #[error("setting code_execution.providers: {0}")]
    Candidate(#[from] CandidateError),
    /// No approval handler has the name.
    #[error("no approval handler is named {name}: register it first")]
    NoSuchHandler {
        /// The name.
        name: HandlerName,
    },
    /// A layer below the host's tried to loosen what is above it.
    #[error("setting {key}: only the host can loosen it; a layer below may make it stricter")]
    Loosens {
        /// The setting.
        key: SettingKey,
    },
    /// A layer below the host's named a provider that is not among those above it.
    #[error("setting code_execution.providers: {provider_id} is not among the providers of the layers above")]
    ProviderNotAbove {
        /// The provider.
        provider_id: ProviderId,
    },
}
