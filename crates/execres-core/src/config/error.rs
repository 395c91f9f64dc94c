//! What is wrong with a configuration.

use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use super::Config;
use crate::error_code::ErrorCode;

/// A configuration that does not have the form that its provider wants. Names the field by its path, and never a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfigError {
    path: String,
    problem: String,
}

impl ConfigError {
    pub(super) fn new(problem: impl Into<String>) -> Self {
        ConfigError { path: String::new(), problem: problem.into() }
    }

    /// The path of the value, such as `servers[2].url`; empty for the configuration as a whole.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// What is wrong with the value.
    pub fn problem(&self) -> &str {
        &self.problem
    }

    /// The code: [`ErrorCode::REQUIREMENT_INVALID`].
    pub const fn code(&self) -> ErrorCode {
        ErrorCode::REQUIREMENT_INVALID
    }

    /// The error as it looks from one level further up.
    pub(super) fn below_key(mut self, key: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("{key}{separator}{}", self.path);
        self
    }

    /// The error as it looks from one level further up.
    pub(super) fn below_index(mut self, index: usize) -> Self {
        let separator = if self.path.is_empty() || self.path.starts_with('[') { "" } else { "." };
        self.path = format!("[{index}]{separator}{}", self.path);
        self
    }

    /// A custom message of a field's type may quote the value, so a secret's error says only that.
    pub(super) fn about_a_secret(self) -> Self {
        ConfigError { path: self.path, problem: "the secret does not have the form that is wanted".to_owned() }
    }

    pub(super) fn redacted(self, config: &Config) -> Self {
        ConfigError { problem: config.redact(&self.problem), ..self }
    }
}

impl Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => write!(f, "config: {}", self.problem),
            path => write!(f, "config `{path}`: {}", self.problem),
        }
    }
}

impl std::error::Error for ConfigError {}

impl de::Error for ConfigError {
    fn custom<T: Display>(message: T) -> Self {
        ConfigError::new(message.to_string())
    }

    fn invalid_type(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ConfigError::new(format!("expected {expected}, found {}", describe(unexpected)))
    }

    fn invalid_value(unexpected: Unexpected<'_>, expected: &dyn Expected) -> Self {
        ConfigError::new(format!("expected {expected}, found another value ({})", describe(unexpected)))
    }

    fn unknown_variant(_variant: &str, expected: &'static [&'static str]) -> Self {
        ConfigError::new(format!("write one of {}", expected.join(", ")))
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        match expected {
            [] => ConfigError::new(format!("`{field}` is not known, and there are no fields")),
            _ => ConfigError::new(format!("`{field}` is not known; the fields are {}", expected.join(", "))),
        }
    }
}

/// The sort of value and never the value: it may be a secret, or be taken for one.
const fn describe(unexpected: Unexpected<'_>) -> &'static str {
    match unexpected {
        Unexpected::Bool(_) => "a boolean",
        Unexpected::Unsigned(_) | Unexpected::Signed(_) | Unexpected::Float(_) => "a number",
        Unexpected::Char(_) | Unexpected::Str(_) => "a string",
        Unexpected::Seq => "a list",
        Unexpected::Map => "a map",
        Unexpected::Unit | Unexpected::Option => "nothing",
        _ => "something else",
    }
}
