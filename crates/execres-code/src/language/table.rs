//! The table of languages.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use super::entry::{Entry, Plan, Steps};
use super::{bash, c, cpp, nodejs, python};
use crate::request::RequestError;

/// Every language, in the order in which they are listed to people.
const LANGUAGES: [&Entry; 5] = [&python::ENTRY, &nodejs::ENTRY, &bash::ENTRY, &c::ENTRY, &cpp::ENTRY];

/// A language that programs can be written in.
#[derive(Clone, Copy)]
pub struct Language(&'static Entry);

impl Language {
    /// Every language.
    pub fn all() -> impl Iterator<Item = Language> {
        LANGUAGES.into_iter().map(Language)
    }

    /// The language with this id or alias, in upper or lower case.
    ///
    /// # Errors
    /// [`UnknownLanguage`] lists those that there are.
    pub fn parse(text: &str) -> Result<Self, UnknownLanguage> {
        let wanted = text.trim().to_lowercase();
        let found = LANGUAGES.into_iter().find(|entry| entry.id == wanted || entry.aliases.contains(&wanted.as_str()));
        found.map(Language).ok_or_else(|| UnknownLanguage { text: text.chars().take(100).collect() })
    }

    /// The language of a file, by its suffix.
    pub fn of_file(path: &str) -> Option<Self> {
        let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
        let (stem, suffix) = name.rsplit_once('.')?;
        let found = LANGUAGES.into_iter().find(|entry| entry.suffixes.contains(&suffix));
        found.filter(|_| !stem.is_empty()).map(Language)
    }

    /// The id.
    pub const fn id(self) -> &'static str {
        self.0.id
    }

    /// Other names that are understood.
    pub const fn aliases(self) -> &'static [&'static str] {
        self.0.aliases
    }

    /// What source text without a name is called.
    pub const fn primary(self) -> &'static str {
        self.0.primary
    }

    /// Suffixes of its source files, without the dot.
    pub const fn suffixes(self) -> &'static [&'static str] {
        self.0.suffixes
    }

    /// Files that say what a program depends on.
    pub const fn manifests(self) -> &'static [&'static str] {
        self.0.manifests
    }

    pub(crate) fn steps(self, plan: &Plan<'_>) -> Result<Steps, RequestError> {
        (self.0.steps)(plan)
    }
}

impl PartialEq for Language {
    fn eq(&self, other: &Self) -> bool {
        self.id() == other.id()
    }
}

impl Eq for Language {}

impl fmt::Debug for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Language({})", self.id())
    }
}

impl fmt::Display for Language {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl FromStr for Language {
    type Err = UnknownLanguage;

    fn from_str(text: &str) -> Result<Self, UnknownLanguage> {
        Language::parse(text)
    }
}

impl Serialize for Language {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

/// A text that names no language.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown language {text:?}: write one of {}", known())]
pub struct UnknownLanguage {
    /// The text; a long one is cut.
    pub text: String,
}

impl UnknownLanguage {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "code_execution.unknown_language"
    }
}

fn known() -> String {
    LANGUAGES.map(|entry| entry.id).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_and_no_suffix_means_two_languages() {
        let mut names = Vec::new();
        let mut suffixes = Vec::new();
        for language in Language::all() {
            names.push(language.id());
            names.extend(language.aliases());
            suffixes.extend(language.suffixes());
            assert_eq!(Language::of_file(language.primary()), Some(language));
        }
        for list in [&mut names, &mut suffixes] {
            let count = list.len();
            list.sort_unstable();
            list.dedup();
            assert_eq!(list.len(), count);
        }
        for name in names {
            assert!(Language::parse(name).is_ok() && Language::parse(&name.to_uppercase()).is_ok(), "{name}");
        }
    }

    #[test]
    fn languages_are_known_by_name_and_by_suffix() {
        for (name, id) in
            [("py", "python"), ("Python3", "python"), (" js ", "nodejs"), ("sh", "bash"), ("c++", "cpp"), ("C", "c")]
        {
            assert_eq!(Language::parse(name).map(Language::id), Ok(id));
        }
        let of = |path: &str| Language::of_file(path).map(Language::id);
        assert_eq!(of("a/b.mjs"), Some("nodejs"));
        assert_eq!(of("x.tar.cc"), Some("cpp"));
        for none in ["Makefile", ".py", "a/.py", "py", "a.py/b", "a.PY"] {
            assert_eq!(of(none), None, "{none}");
        }
        assert_eq!(
            Language::parse("cobol").unwrap_err().to_string(),
            "unknown language \"cobol\": write one of python, nodejs, bash, c, cpp"
        );
    }
}
