//! [`RelativePath`].

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;

use super::error::{PathError, PathFault};
use crate::fold::fold;

/// The private directory within a workspace. No task sees it, and no path leads there.
pub const PRIVATE_DIR: &str = ".execres";

const MAX_BYTES: usize = 4096;
const MAX_NAME_BYTES: usize = 255;

/// A path below some root: relative, in Unicode NFC, of plain names joined by `/`.
///
/// It has no `.`, no `..`, no backslash, NUL or control character, at most 4096 bytes and 255 a name, and does not lead into
/// [`PRIVATE_DIR`] however that is spelled. Parsing normalises: `./a//b/` is `a/b`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RelativePath(String);

impl RelativePath {
    /// Parses a path.
    ///
    /// # Errors
    /// [`PathError`] says which rule it breaks.
    ///
    /// ```
    /// # use execres_workspace::RelativePath;
    /// assert_eq!(RelativePath::parse("./data//in.csv")?.as_str(), "data/in.csv");
    /// assert!(RelativePath::parse("../in.csv").is_err());
    /// # Ok::<(), execres_workspace::PathError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let refuse = |fault| Err(PathError::new(text, fault));
        // Before the text is walked at all, so that a huge one costs nothing. Composing can lengthen a text up to threefold.
        if text.len() > MAX_BYTES {
            return refuse(PathFault::TooLong);
        }
        if text.contains('\\') {
            return refuse(PathFault::Backslash);
        }
        if text.chars().any(|character| character.is_control() || turns_what_follows(character)) {
            return refuse(PathFault::Control);
        }
        if text.trim() != text {
            return refuse(PathFault::WhiteSpace);
        }
        if text.starts_with('/') {
            return refuse(PathFault::Absolute);
        }
        let composed: String = text.nfc().collect();
        let mut path = String::with_capacity(composed.len());
        for name in composed.split('/') {
            match name {
                "" | "." => continue,
                ".." => return refuse(PathFault::Parent),
                _ if name.len() > MAX_NAME_BYTES => return refuse(PathFault::NameTooLong),
                _ => {}
            }
            if path.is_empty() {
                if fold(name) == PRIVATE_DIR {
                    return refuse(PathFault::Private);
                }
            } else {
                path.push('/');
            }
            path.push_str(name);
        }
        match path.len() {
            0 => refuse(PathFault::Empty),
            1..=MAX_BYTES => Ok(RelativePath(path)),
            _ => refuse(PathFault::TooLong),
        }
    }

    /// The path as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for the system's calls.
    pub fn as_path(&self) -> &Path {
        Path::new(&self.0)
    }

    /// Its names, from the root on.
    pub fn names(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// Its last name.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    /// Where it is; `None` for the root.
    pub fn parent(&self) -> Option<RelativePath> {
        self.0.rsplit_once('/').map(|(parent, _)| RelativePath(parent.to_owned()))
    }

    /// What follows the last dot of its last name, unless the name only starts with that dot.
    pub fn extension(&self) -> Option<&str> {
        self.as_path().extension().and_then(|extension| extension.to_str())
    }

    /// The path with case and invisible differences removed. Two paths that fold alike are one file on some systems.
    pub fn folded(&self) -> String {
        fold(&self.0)
    }
}

impl fmt::Debug for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Display for RelativePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for RelativePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        RelativePath::parse(text)
    }
}

impl TryFrom<String> for RelativePath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        RelativePath::parse(&text)
    }
}

impl From<RelativePath> for String {
    fn from(path: RelativePath) -> String {
        path.0
    }
}

/// Overrides and isolates of the direction, with which a name can look as if it ended in something else. Marks, which names in
/// languages written from right to left do hold, only take effect beside them.
const fn turns_what_follows(character: char) -> bool {
    matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fault(text: &str) -> Option<PathFault> {
        RelativePath::parse(text).err().map(|error| error.fault)
    }

    #[test]
    fn plain_paths_are_normalised() {
        for (text, parsed) in [
            ("main.py", "main.py"),
            ("./a//b/", "a/b"),
            ("e/./f", "e/f"),
            ("e\u{301}.txt", "é.txt"),
            ("a b/ümlaut ☃.txt", "a b/ümlaut ☃.txt"),
            ("...", "..."),
            ("-x.py", "-x.py"),
            ("sub/.execres", "sub/.execres"),
        ] {
            assert_eq!(RelativePath::parse(text).unwrap().as_str(), parsed);
        }
    }

    #[test]
    fn each_rule_refuses_with_its_own_words() {
        use PathFault::*;
        for (text, expected) in [
            ("", Empty),
            (".", Empty),
            ("./", Empty),
            ("/etc/passwd", Absolute),
            ("//x", Absolute),
            ("..", Parent),
            ("a/../b", Parent),
            (".execres", Private),
            ("./.execres/x", Private),
            (".EXECRES/x", Private),
            (".exec\u{200d}res/x", Private),
            ("a\\b", Backslash),
            ("a\0b", Control),
            ("a\nb", Control),
            ("a\u{85}b", Control),
            ("a\u{202e}gnp.exe", Control),
            ("a\u{2066}b", Control),
            (" a", WhiteSpace),
            ("a ", WhiteSpace),
        ] {
            assert_eq!(fault(text), Some(expected), "{text:?}");
        }
        assert_eq!(fault(&"x".repeat(255)), None);
        assert_eq!(fault(&"x".repeat(256)), Some(NameTooLong));
        assert_eq!(fault(&["xyz"; 1024].join("/")), None);
        assert_eq!(fault(&["xyz"; 1025].join("/")), Some(TooLong));
        assert_eq!(RelativePath::parse(&"x".repeat(5000)).unwrap_err().path.chars().count(), 201);
    }

    #[test]
    fn json_is_parsed_too() {
        assert_eq!(serde_json::from_str::<RelativePath>("\"a//b\"").unwrap().as_str(), "a/b");
        assert!(serde_json::from_str::<RelativePath>("\"/a\"").is_err());
    }

    proptest! {
        #[test]
        fn whatever_parses_stays_beneath_its_root(text in "\\PC{0,12}(/|\\.|\\PC|\\\\|\u{0}){0,8}") {
            if let Ok(path) = RelativePath::parse(&text) {
                prop_assert!(path.as_path().is_relative());
                for name in path.names() {
                    prop_assert!(!name.is_empty() && name != "." && name != ".." && name.len() <= 255);
                    prop_assert!(!name.contains(['\\', '\0', '\n']));
                }
                prop_assert!(fold(path.names().next().unwrap()) != PRIVATE_DIR);
                prop_assert!(path.as_str().len() <= 4096);
                prop_assert_eq!(RelativePath::parse(path.as_str()).unwrap(), path, "parsing again changes nothing");
            }
        }

        #[test]
        fn any_text_is_answered(text in any::<String>()) {
            let answer = RelativePath::parse(&text).map(|path| path.as_str().is_empty());
            prop_assert_ne!(answer, Ok(true));
        }
    }
}
