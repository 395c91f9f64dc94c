//! The first words of commands that may be run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The first words of a command: `git status` covers `git status -s`, and not `git push` or `git statusx`.
///
/// The words are compared as they stand; how a command is parsed and its program resolved is the provider's.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommandPrefix(Vec<String>);

impl fmt::Debug for CommandPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What a policy names is for those who are asked about it, and `Debug` goes into logs.
        f.write_str("CommandPrefix(..)")
    }
}

impl CommandPrefix {
    /// The words, at least one.
    pub fn words(&self) -> &[String] {
        &self.0
    }

    /// Whether a command of these words starts with the prefix.
    pub fn allows<S: AsRef<str>>(&self, command: &[S]) -> bool {
        command.len() >= self.0.len() && self.0.iter().zip(command).all(|(word, given)| word == given.as_ref())
    }

    pub(super) fn covers(&self, other: &CommandPrefix) -> bool {
        self.allows(&other.0)
    }
}

impl FromStr for CommandPrefix {
    type Err = InvalidCommandPrefix;

    fn from_str(text: &str) -> Result<Self, InvalidCommandPrefix> {
        let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        // An empty prefix would allow every command; whoever means that leaves the list out.
        if words.is_empty() { Err(InvalidCommandPrefix) } else { Ok(CommandPrefix(words)) }
    }
}

/// A command prefix without a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a command prefix has at least one word; leave the list out to allow every command")]
pub struct InvalidCommandPrefix;

impl fmt::Display for CommandPrefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(" "))
    }
}

impl Serialize for CommandPrefix {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CommandPrefix {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_are_compared() {
        let prefix: CommandPrefix = "git  status".parse().unwrap();
        assert!(prefix.allows(&["git", "status", "-s"]));
        assert!(!prefix.allows(&["git"]));
        assert!(!prefix.allows(&["git", "statusx"]));
        assert!(" ".parse::<CommandPrefix>().is_err());
    }
}
