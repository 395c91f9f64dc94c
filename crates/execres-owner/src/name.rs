//! Names of kinds and entries: each is one plain file name.

use std::fmt;

/// One plain file name: lower-case letters, digits, `-`, `_`, `.` and `:`, at most 128 bytes, not starting with a dot.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryName(String);

/// The id of one registered thing within its kind.
pub type EntryId = EntryName;

impl EntryName {
    /// Longest name, in bytes.
    pub const MAX_BYTES: usize = 128;

    /// Parses a name.
    ///
    /// # Errors
    /// [`NameError`] when `text` is not one plain file name.
    pub fn parse(text: &str) -> Result<Self, NameError> {
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_.:".contains(&byte);
        if text.is_empty() || text.len() > Self::MAX_BYTES || text.starts_with('.') || !text.bytes().all(allowed) {
            return Err(NameError { name: text.to_owned() });
        }
        Ok(EntryName(text.to_owned()))
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EntryName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A text that is not one plain file name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{name:?} names no kind and no entry: write 1 to 128 of a-z, 0-9, `-`, `_`, `.`, `:`, not starting with a dot")]
pub struct NameError {
    /// The text.
    pub name: String,
}

impl NameError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "owner.invalid_name"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_file_names() {
        for good in ["areas", "cgroups", "area-0f", "a.b", "v1:memory"] {
            assert_eq!(EntryName::parse(good).unwrap().as_str(), good);
        }
        for bad in ["", ".", "..", ".hidden", "a/b", "A", "a\0", "a\n", "é", &"x".repeat(129)] {
            assert!(EntryName::parse(bad).is_err(), "{bad:?}");
        }
    }
}
