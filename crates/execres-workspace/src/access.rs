//! What a call asks of a workspace.

use std::fs::File;

use serde::Serialize;

use crate::path::RelativePath;

/// How a call sees the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessMode {
    /// Not at all, but for copies of the inputs that it names.
    #[default]
    Snapshot,
    /// The whole workspace as it is, read-only.
    ReadOnly,
    /// The whole workspace as it is, writable.
    ReadWrite,
}

/// What becomes of the execution area when the grant is closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Retention {
    /// It is removed.
    #[default]
    Remove,
    /// It stays, for somebody to look at, and nothing removes it later.
    Keep,
}

/// A root of a grant's execution area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The materialised files; the working directory of the program, which cannot write there.
    Source,
    /// What build steps make.
    Build,
    /// Where a program that runs on the host itself leaves what is to be kept. A box has a place of its own for that.
    Output,
    /// What was collected of the program's output. The program has no access at all.
    Kept,
    /// Logs of the host. The program has no access at all.
    Logs,
}

impl Role {
    /// Every role.
    pub const ALL: [Role; 5] = [Role::Source, Role::Build, Role::Output, Role::Kept, Role::Logs];

    /// The stable name, which is the directory's name too.
    pub const fn name(self) -> &'static str {
        match self {
            Role::Source => "source",
            Role::Build => "build",
            Role::Output => "output",
            Role::Kept => "kept",
            Role::Logs => "logs",
        }
    }

    /// Mode of the directory. A guest of another identity must reach what it has access to; the rest is the host's alone.
    pub(crate) const fn mode(self) -> u32 {
        match self {
            Role::Source | Role::Build | Role::Output => 0o755,
            Role::Kept | Role::Logs => 0o700,
        }
    }
}

/// An input from outside the workspace: a file that the caller has opened, so that its own authority is what counts.
#[derive(Debug)]
pub struct InputFile {
    /// Where the copy lands in the working directory.
    pub name: RelativePath,
    /// The open file. It is read from its start, wherever its offset stands.
    pub file: File,
}

/// What a call asks for. Starts as a snapshot without inputs.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct AccessRequest {
    /// How the workspace is seen.
    pub mode: AccessMode,
    /// Files and directories of the workspace that are copied to the same paths in the working directory.
    pub inputs: Vec<RelativePath>,
    /// Files from outside that are copied there too.
    pub input_files: Vec<InputFile>,
    /// How much may be copied.
    pub caps: InputCaps,
    /// What becomes of the area.
    pub retention: Retention,
}

impl AccessRequest {
    /// A snapshot without inputs.
    pub fn snapshot() -> Self {
        Self::default()
    }

    /// Live access in this mode.
    pub fn live(mode: AccessMode) -> Self {
        AccessRequest { mode, ..Self::default() }
    }

    /// Asks for a copy of a file or directory of the workspace.
    #[must_use]
    pub fn input(mut self, path: RelativePath) -> Self {
        self.inputs.push(path);
        self
    }

    /// Asks for a copy of an open file.
    #[must_use]
    pub fn input_file(mut self, name: RelativePath, file: File) -> Self {
        self.input_files.push(InputFile { name, file });
        self
    }

    /// Sets what becomes of the area.
    #[must_use]
    pub fn retention(mut self, retention: Retention) -> Self {
        self.retention = retention;
        self
    }

    /// Sets how much may be copied.
    #[must_use]
    pub fn caps(mut self, caps: InputCaps) -> Self {
        self.caps = caps;
        self
    }
}

/// How much of inputs is copied. Sizes in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InputCaps {
    /// Of one file. Default 256 MiB.
    pub file_bytes: u64,
    /// Of all files together. Default 1 GiB.
    pub total_bytes: u64,
    /// Files and directories. Default 10 000.
    pub entries: usize,
}

impl Default for InputCaps {
    fn default() -> Self {
        InputCaps { file_bytes: 256 << 20, total_bytes: 1 << 30, entries: 10_000 }
    }
}
