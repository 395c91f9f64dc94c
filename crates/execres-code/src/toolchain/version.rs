//! [`Version`].

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

/// A version of numbers: `3.12.1`. Missing numbers count as zero, so `3.10` and `3.10.0` are equal.
#[derive(Debug, Clone)]
pub struct Version(Vec<u64>);

impl Version {
    /// A version of these numbers.
    pub fn of(numbers: impl Into<Vec<u64>>) -> Self {
        Version(numbers.into())
    }

    /// The first version in what a tool prints: the first numbers joined by dots, or else the first bare number.
    ///
    /// ```
    /// # use execres_code::Version;
    /// assert_eq!(Version::find("g++ (Debian 12.2.0-14) 12.2.0"), Some(Version::of([12, 2])));
    /// assert_eq!(Version::find("no version"), None);
    /// ```
    pub fn find(text: &str) -> Option<Self> {
        let candidates = || text.split(|character: char| !character.is_ascii_digit() && character != '.');
        let numbers = |candidate: &str| -> Option<Version> { candidate.trim_matches('.').parse().ok() };
        let dotted = candidates().filter(|one| one.trim_matches('.').contains('.')).find_map(numbers);
        dotted.or_else(|| candidates().find_map(numbers))
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let refuse = || VersionError { text: text.chars().take(100).collect() };
        let number = |part: &str| match part.bytes().all(|byte| byte.is_ascii_digit()) {
            true => part.parse().map_err(|_| refuse()),
            false => Err(refuse()),
        };
        text.split('.').map(number).collect::<Result<_, _>>().map(Version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, number) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            write!(f, "{number}")?;
        }
        Ok(())
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        let longest = self.0.len().max(other.0.len());
        let padded = |numbers: &[u64]| (0..longest).map(|at| numbers.get(at).copied().unwrap_or(0)).collect::<Vec<_>>();
        padded(&self.0).cmp(&padded(&other.0))
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A text that is no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is no version: write numbers joined by dots, for example 3.12")]
pub struct VersionError {
    /// The text; a long one is cut.
    pub text: String,
}

impl VersionError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "code_execution.version_invalid"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tools_print() {
        for (text, version) in [
            ("Python 3.12.1", "3.12.1"),
            ("Python 3.13.0rc1", "3.13.0"),
            ("v22.11.0\n", "22.11.0"),
            ("GNU bash, version 5.2.37(1)-release (x86_64-pc-linux-gnu)", "5.2.37"),
            ("c++ (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
            ("Debian clang version 14.0.6", "14.0.6"),
            ("go version go1.23.4 linux/amd64", "1.23.4"),
            ("version 7.", "7"),
            ("build 42", "42"),
        ] {
            assert_eq!(Version::find(text).map(|found| found.to_string()).as_deref(), Some(version), "{text}");
        }
        for text in ["", "no version", "...", "99999999999999999999999"] {
            assert_eq!(Version::find(text), None, "{text}");
        }
    }

    #[test]
    fn numbers_are_compared_as_numbers() {
        let version = |text: &str| text.parse::<Version>().unwrap();
        assert!(version("3.9") < version("3.10"));
        assert_eq!(version("3.10"), version("3.10.0"));
        assert!(version("18") > version("17.9.9"));
        for bad in ["", ".", "3.", "a", "3.x", "+3", "3. 1"] {
            assert!(bad.parse::<Version>().is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in proptest::prelude::any::<String>()) {
            if let Some(found) = Version::find(&text) {
                proptest::prop_assert_eq!(found.to_string().parse::<Version>(), Ok(found));
            }
        }
    }
}
