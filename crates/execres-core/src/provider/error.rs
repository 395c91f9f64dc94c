//! What a provider answers when it cannot do what was asked.

use std::error::Error;

use crate::config::ConfigError;
use crate::error_code::ErrorCode;

/// Why a provider could not do what was asked: a stable code, a text for people, what to do, and the cause.
///
/// The text is shown to callers. It says what was wrong and quotes no secret; the cause stays inside (it goes to `tracing` at
/// debug level) and may say more.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    code: ErrorCode,
    message: String,
    suggestion: Option<String>,
    #[source]
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl ProviderError {
    /// An error with a code and a text.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        ProviderError { code, message: message.into(), suggestion: None, source: None }
    }

    /// Adds what to do about it.
    #[must_use]
    pub fn with_suggestion(mut self, suggestion: impl Into<String>) -> Self {
        self.suggestion = Some(suggestion.into());
        self
    }

    /// Adds the cause.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// The code.
    pub const fn code(&self) -> ErrorCode {
        self.code
    }

    /// The text.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub fn suggestion(&self) -> Option<&str> {
        self.suggestion.as_deref()
    }
}

impl From<ConfigError> for ProviderError {
    fn from(error: ConfigError) -> Self {
        ProviderError::new(error.code(), error.to_string())
    }
}
