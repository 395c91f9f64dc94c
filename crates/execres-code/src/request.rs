//! What a caller asks to be run.

mod build;
mod error;

use std::collections::BTreeMap;
use std::fmt;

use execres_workspace::{OutputPath, RelativePath};
use serde::{Deserialize, Serialize};

pub use error::RequestError;

use crate::bundle::Bundle;
use crate::language::Language;

/// Most arguments of a command, those that start the program (`python main.py`) included.
pub const MAX_ARGS: usize = 256;
/// Longest argument, in bytes.
pub const MAX_ARG_BYTES: usize = 8192;
/// Most variables of a program.
pub const MAX_ENV: usize = 128;
/// Longest value of a variable, in bytes.
pub const MAX_ENV_BYTES: usize = 64 << 10;
/// Most declared outputs.
pub const MAX_OUTPUTS: usize = 128;
/// Largest standard input, in bytes.
pub const MAX_STDIN_BYTES: usize = 16 << 20;

/// What becomes of what a program depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DependencyPolicy {
    /// Nothing is installed: the program has what is there.
    #[default]
    Deny,
    /// It is installed after approval.
    Request,
    /// It is installed.
    Install,
}

/// A program to be run: a language, source text or files, and what the program is given.
///
/// Nothing is checked until [`CodeRequest::bundle`], which checks everything.
#[derive(Clone)]
pub struct CodeRequest {
    language: Language,
    source: Option<Vec<u8>>,
    files: Vec<(RelativePath, Vec<u8>)>,
    entry_point: Option<RelativePath>,
    args: Vec<String>,
    stdin: Vec<u8>,
    env: Vec<(String, String)>,
    outputs: Vec<OutputPath>,
    dependencies: DependencyPolicy,
    provenance: BTreeMap<String, String>,
}

impl CodeRequest {
    /// A request that has no code yet.
    pub const fn new(language: Language) -> Self {
        CodeRequest {
            language,
            source: None,
            files: Vec::new(),
            entry_point: None,
            args: Vec::new(),
            stdin: Vec::new(),
            env: Vec::new(),
            outputs: Vec::new(),
            dependencies: DependencyPolicy::Deny,
            provenance: BTreeMap::new(),
        }
    }

    /// Source text. It becomes the entry point, under the name that the entry point has, or that its language gives it.
    #[must_use]
    pub fn source(mut self, text: impl Into<Vec<u8>>) -> Self {
        self.source = Some(text.into());
        self
    }

    /// One more file of the program.
    #[must_use]
    pub fn file(mut self, path: RelativePath, content: impl Into<Vec<u8>>) -> Self {
        self.files.push((path, content.into()));
        self
    }

    /// The file that the program starts from. Without it: the source text, or the file with the language's usual name, or the
    /// first source file that was given.
    #[must_use]
    pub fn entry_point(mut self, path: RelativePath) -> Self {
        self.entry_point = Some(path);
        self
    }

    /// One more argument for the program. It may be empty.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// More arguments for the program.
    #[must_use]
    pub fn args<A: Into<String>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// What the program reads from its standard input. Not a part of the bundle; give it to the job.
    #[must_use]
    pub fn stdin(mut self, content: impl Into<Vec<u8>>) -> Self {
        self.stdin = content.into();
        self
    }

    /// A variable for the program. A `workspace://<role>/<path>` value means a place below a root.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Declares an output: it is kept, and its absence is an error.
    #[must_use]
    pub fn output(mut self, path: OutputPath) -> Self {
        self.outputs.push(path);
        self
    }

    /// Sets what becomes of what the program depends on.
    #[must_use]
    pub const fn dependencies(mut self, policy: DependencyPolicy) -> Self {
        self.dependencies = policy;
        self
    }

    /// Says where the code comes from. It counts for the digest.
    #[must_use]
    pub fn provenance(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.provenance.insert(key.into(), value.into());
        self
    }

    /// What the program reads from its standard input.
    pub fn stdin_content(&self) -> &[u8] {
        &self.stdin
    }

    /// Checks everything and makes the bundle.
    ///
    /// # Errors
    /// [`RequestError`] says what is wrong and what to write instead.
    pub fn bundle(&self) -> Result<Bundle, RequestError> {
        build::bundle(self)
    }
}

impl fmt::Debug for CodeRequest {
    /// Without contents and values, which may be long and may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeRequest")
            .field("language", &self.language)
            .field("source_bytes", &self.source.as_ref().map(Vec::len))
            .field("files", &self.files.iter().map(|(path, _)| path).collect::<Vec<_>>())
            .field("entry_point", &self.entry_point)
            .field("args", &self.args)
            .field("stdin_bytes", &self.stdin.len())
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("outputs", &self.outputs)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
