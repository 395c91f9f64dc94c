//! Paths that a policy allows or denies, with everything below them.

use std::fmt;
use std::path::{Component, Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// An absolute path without `.` and `..`, standing for itself and everything below it.
///
/// The comparison is by name. Links are the business of whoever opens the path.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PathRule(PathBuf);

impl fmt::Debug for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a policy names is for those who are asked about it, and `Debug` goes into logs.
        f.write_str("PathRule(..)")
    }
}

impl PathRule {
    /// A rule for this path and everything below it.
    ///
    /// # Errors
    ///
    /// When the path is not absolute, holds `..`, or is not UTF-8.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, InvalidPathRule> {
        let path = path.as_ref();
        if !path.is_absolute() || path.to_str().is_none() || path.components().any(|part| part == Component::ParentDir)
        {
            return Err(InvalidPathRule);
        }
        // Collecting the components drops `.`, doubled and trailing slashes, so that equal rules are equal values.
        Ok(PathRule(path.components().collect()))
    }

    /// The path.
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Whether the path is this one or below it. A path that is not absolute or holds `..` never is.
    pub fn contains(&self, path: &Path) -> bool {
        PathRule::new(path).is_ok_and(|path| path.0.starts_with(&self.0))
    }

    pub(super) fn covers(&self, other: &PathRule) -> bool {
        other.0.starts_with(&self.0)
    }
}

impl FromStr for PathRule {
    type Err = InvalidPathRule;

    fn from_str(text: &str) -> Result<Self, InvalidPathRule> {
        PathRule::new(text)
    }
}

/// A path that cannot be a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a path rule is an absolute UTF-8 path without `..`")]
pub struct InvalidPathRule;

impl fmt::Display for PathRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

impl Serialize for PathRule {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0.display())
    }
}

impl<'de> Deserialize<'de> for PathRule {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        PathRule::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_holds_below_its_path_and_nowhere_else() {
        let rule: PathRule = "/work/./a/".parse().unwrap();
        assert_eq!(rule, "/work/a".parse().unwrap());
        assert!(rule.contains(Path::new("/work/a/b")));
        assert!(!rule.contains(Path::new("/work/ab")));
        assert!(!rule.contains(Path::new("/work/a/../b")));
        assert!("work".parse::<PathRule>().is_err());
        assert!("/work/../etc".parse::<PathRule>().is_err());
    }
}
