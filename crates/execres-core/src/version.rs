//! Versions of tools, compared number by number.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A version: numbers between dots. A missing component counts as 0, so `3.12` equals `3.12.0`.
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
    /// # use execres_core::Version;
    /// assert_eq!(Version::find("g++ (Debian 12.2.0-14) 12.2.0"), Some(Version::of([12, 2])));
    /// assert_eq!(Version::find("no version"), None);
    /// ```
    pub fn find(text: &str) -> Option<Self> {
        let candidates = || text.split(|character: char| !character.is_ascii_digit() && character != '.');
        let numbers = |candidate: &str| -> Option<Version> { candidate.trim_matches('.').parse().ok() };
        let dotted = candidates().filter(|one| one.trim_matches('.').contains('.')).find_map(numbers);
        dotted.or_else(|| candidates().find_map(numbers))
    }

    fn significant(&self) -> &[u64] {
        let length = self.0.iter().rposition(|part| *part != 0).map_or(0, |last| last + 1);
        &self.0[..length]
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.significant() == other.significant()
    }
}

impl Eq for Version {}

impl Hash for Version {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.significant().hash(state);
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        // Without trailing zeros the comparison of slices is the comparison of versions: a prefix is the smaller.
        self.significant().cmp(other.significant())
    }
}

impl FromStr for Version {
    type Err = InvalidVersion;

    fn from_str(text: &str) -> Result<Self, InvalidVersion> {
        text.split('.')
            .map(|part| match part.bytes().all(|byte| byte.is_ascii_digit()) {
                true => part.parse().map_err(|_| InvalidVersion),
                false => Err(InvalidVersion),
            })
            .collect::<Result<_, _>>()
            .map(Version)
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, part) in self.0.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            write!(f, "{part}")?;
        }
        Ok(())
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

/// A text that is no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not a version: write numbers between dots, such as 3.12")]
pub struct InvalidVersion;

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn compares_numbers_and_fills_with_zeros() {
        assert!(version("3.10") > version("3.9"));
        assert_eq!(version("3.12"), version("3.12.0"));
        assert!(version("3.12.4") > version("3.12"));
        assert!(version("0") < version("0.0.1"));
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for bad in ["", ".", "3.", "v3", "3.x", "+3", "99999999999999999999"] {
            assert!(bad.parse::<Version>().is_err(), "{bad:?}");
        }
    }

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

    proptest::proptest! {
        #[test]
        fn any_text_is_answered(text in proptest::prelude::any::<String>()) {
            if let Some(found) = Version::find(&text) {
                proptest::prop_assert_eq!(found.to_string().parse::<Version>(), Ok(found));
            }
        }
    }
}
