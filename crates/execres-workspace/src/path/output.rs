//! [`OutputPath`].

use std::fmt;

use serde::{Deserialize, Serialize};

use super::error::{PathError, PathFault};
use super::relative::RelativePath;

/// The directory under which a program leaves what is to be kept.
pub const OUTPUT_DIR: &str = "output";

/// What a declared output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum OutputKind {
    /// One regular file.
    File,
    /// Every regular file below a directory.
    Directory,
}

/// A declared output: `output/plot.png` is a file, `output/plots/` is what is below a directory, `output/` is everything.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OutputPath {
    /// Below the output directory; `None` for all of it.
    within: Option<RelativePath>,
    kind: OutputKind,
}

impl OutputPath {
    /// Everything under `output/`.
    pub const ALL: OutputPath = OutputPath { within: None, kind: OutputKind::Directory };

    /// Parses a declared output.
    ///
    /// # Errors
    /// [`PathError`] when it is no good path or not under `output/`.
    pub fn parse(text: &str) -> Result<Self, PathError> {
        let path = RelativePath::parse(text)?;
        let kind = if text.ends_with('/') { OutputKind::Directory } else { OutputKind::File };
        let refuse = || PathError::new(text, PathFault::NotUnderOutput);
        if path.as_str() == OUTPUT_DIR {
            // Without the slash it would be a file of that name, which cannot be.
            return if kind == OutputKind::Directory { Ok(OutputPath::ALL) } else { Err(refuse()) };
        }
        let within = path.as_str().strip_prefix("output/").ok_or_else(refuse)?;
        Ok(OutputPath { within: Some(RelativePath::parse(within)?), kind })
    }

    /// Where it is below the output directory; `None` for the directory itself.
    pub const fn within(&self) -> Option<&RelativePath> {
        self.within.as_ref()
    }

    /// What it is.
    pub const fn kind(&self) -> OutputKind {
        self.kind
    }

    /// The path with case removed, without the slash of a directory.
    pub fn folded(&self) -> String {
        self.within.as_ref().map(RelativePath::folded).unwrap_or_default()
    }
}

impl fmt::Display for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("output/")?;
        if let Some(within) = &self.within {
            f.write_str(within.as_str())?;
            if self.kind == OutputKind::Directory {
                f.write_str("/")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for OutputPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\"")
    }
}

impl std::str::FromStr for OutputPath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        OutputPath::parse(text)
    }
}

impl TryFrom<String> for OutputPath {
    type Error = PathError;

    fn try_from(text: String) -> Result<Self, PathError> {
        OutputPath::parse(&text)
    }
}

impl From<OutputPath> for String {
    fn from(path: OutputPath) -> String {
        path.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slash_at_the_end_declares_a_directory() {
        let shown = |text: &str| OutputPath::parse(text).map(|path| (path.to_string(), path.kind()));
        assert_eq!(shown("output/a.png"), Ok(("output/a.png".into(), OutputKind::File)));
        assert_eq!(shown("./output//a/b"), Ok(("output/a/b".into(), OutputKind::File)));
        assert_eq!(shown("output/plots/"), Ok(("output/plots/".into(), OutputKind::Directory)));
        assert_eq!(OutputPath::parse("output/"), Ok(OutputPath::ALL));
    }

    #[test]
    fn only_output_holds_outputs() {
        for text in ["output", "outputs/a", "Output/a", "a/output/b", "plot.png", "output/../a", "/output/a", ""] {
            assert!(OutputPath::parse(text).is_err(), "{text}");
        }
        assert_eq!(OutputPath::parse("output/.execres/a").unwrap_err().fault, PathFault::Private);
    }
}
