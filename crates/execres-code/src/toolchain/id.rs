//! [`ToolId`].

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

/// Names a tool by what it is, for example `python` or `c++`: one of `a-z 0-9`, then up to 63 of `a-z 0-9 . _ + -`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct ToolId(Cow<'static, str>);

impl ToolId {
    /// A Python interpreter.
    pub const PYTHON: ToolId = ToolId(Cow::Borrowed("python"));
    /// Node.js.
    pub const NODE: ToolId = ToolId(Cow::Borrowed("node"));
    /// Bash.
    pub const BASH: ToolId = ToolId(Cow::Borrowed("bash"));
    /// A C compiler.
    pub const CC: ToolId = ToolId(Cow::Borrowed("cc"));
    /// A C++ compiler.
    pub const CXX: ToolId = ToolId(Cow::Borrowed("c++"));

    /// Parses an id.
    ///
    /// # Errors
    /// [`ToolIdError`] when it breaks the rule.
    pub fn parse(text: &str) -> Result<Self, ToolIdError> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let mut bytes = text.bytes();
        let first = bytes.next().is_some_and(plain);
        if !first || text.len() > 64 || !bytes.all(|byte| plain(byte) || b"._+-".contains(&byte)) {
            return Err(ToolIdError { text: text.chars().take(100).collect() });
        }
        Ok(ToolId(Cow::Owned(text.to_owned())))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ToolId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that names no tool.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} names no tool: write 1 to 64 of a-z, 0-9, `.`, `_`, `+`, `-`, starting with a letter or digit")]
pub struct ToolIdError {
    /// The text; a long one is cut.
    pub text: String,
}

impl ToolIdError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "code_execution.tool_id_invalid"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rule_is_exact() {
        for good in ["c++", "python3.12", "g++-13", &"x".repeat(64)] {
            assert!(ToolId::parse(good).is_ok(), "{good}");
        }
        for bad in ["", "+c", "Python", "a/b", "a b", &"x".repeat(65)] {
            assert!(ToolId::parse(bad).is_err(), "{bad}");
        }
        for known in [ToolId::PYTHON, ToolId::NODE, ToolId::BASH, ToolId::CC, ToolId::CXX] {
            assert_eq!(ToolId::parse(known.as_str()), Ok(known));
        }
    }
}
