//! The files that the rules look at.

use std::fs;
use std::io;
use std::path::Path;

use super::source::{self, Line};

/// Directories and file types that are looked at; everything else is built, binary or not ours.
const DIRECTORIES: [&str; 6] = ["crates", "xtask", "examples", "docs", ".ci", ".cargo"];
const TEXT_TYPES: [&str; 12] = ["toml", "md", "py", "js", "ts", "sh", "c", "cpp", "go", "yml", "json", "snap"];

/// Everything that is read once and given to the rules.
#[derive(Debug, Default)]
pub(super) struct Files {
    pub(super) rust: Vec<RustFile>,
    /// All files of text that are not Rust.
    pub(super) texts: Vec<TextFile>,
}

/// A file of text, by its path from the root of the checkout.
#[derive(Debug)]
pub(super) struct TextFile {
    pub(super) path: String,
    pub(super) text: String,
}

/// A Rust source, with its code and comments told apart.
#[derive(Debug)]
pub(super) struct RustFile {
    pub(super) path: String,
    pub(super) text: String,
    pub(super) lines: Vec<Line>,
}

impl Files {
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut files = Self::default();
        for entry in fs::read_dir(root)? {
            let path = entry?.path();
            if path.is_file() {
                files.add(root, &path)?;
            }
        }
        for dir in DIRECTORIES.iter().map(|dir| root.join(dir)).filter(|dir| dir.is_dir()) {
            files.walk(root, &dir)?;
        }
        files.rust.sort_by(|a, b| a.path.cmp(&b.path));
        files.texts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(files)
    }

    fn walk(&mut self, root: &Path, dir: &Path) -> io::Result<()> {
        for entry in fs::read_dir(dir)? {
            let path = entry?.path();
            if path.is_dir() {
                if path.file_name().is_some_and(|name| name != "target") {
                    self.walk(root, &path)?;
                }
            } else {
                self.add(root, &path)?;
            }
        }
        Ok(())
    }

    fn add(&mut self, root: &Path, path: &Path) -> io::Result<()> {
        let name = path.strip_prefix(root).unwrap_or(path).to_string_lossy().into_owned();
        let extension = path.extension().and_then(|extension| extension.to_str());
        if extension == Some("rs") {
            self.rust.push(RustFile::new(name, fs::read_to_string(path)?));
        } else if name.starts_with(".ci/") || extension.is_some_and(|extension| TEXT_TYPES.contains(&extension)) {
            self.texts.push(TextFile { path: name, text: fs::read_to_string(path)? });
        }
        Ok(())
    }

    /// The pages of documentation.
    pub(super) fn pages(&self) -> impl Iterator<Item = &TextFile> {
        self.texts.iter().filter(|file| file.path.ends_with(".md"))
    }
}

impl RustFile {
    pub(super) fn new(path: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        Self { path: path.into(), lines: source::split(&text), text }
    }

    /// Whether the whole file belongs to tests, examples of tests or benches.
    pub(super) fn is_test(&self) -> bool {
        self.path.contains("/tests/") || self.path.contains("/benches/") || self.path.ends_with("/tests.rs")
    }

    pub(super) fn is_build_script(&self) -> bool {
        self.path.ends_with("/build.rs")
    }

    /// How many lines come before the file's unit tests.
    pub(super) fn production_lines(&self) -> usize {
        if self.is_test() {
            return 0;
        }
        let tests = self.lines.windows(2).position(|pair| {
            pair[0].code.trim() == "#[cfg(test)]" && pair[1].code.contains("mod ") && pair[1].code.contains('{')
        });
        tests.unwrap_or(self.lines.len())
    }

    /// The lines before the file's unit tests, with their numbers counted from 1.
    pub(super) fn production(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines).take(self.production_lines())
    }

    /// All lines, with their numbers counted from 1.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (usize, &Line)> {
        (1..).zip(&self.lines)
    }

    /// The package directory, such as `crates/execres-core`.
    pub(super) fn package(&self) -> &str {
        let end = self.path.find("/src/").or_else(|| self.path.find("/tests/")).or_else(|| self.path.rfind('/'));
        &self.path[..end.unwrap_or(0)]
    }
}
