//! [`Bundle`]: immutable code, ready to be materialised and run anywhere.

mod digest;
mod step;

use std::collections::BTreeMap;
use std::fmt;

use execres_workspace::{FileSet, OutputPath, RelativePath, Sha256};
use serde::Serialize;

pub(crate) use step::BUILT_APP;
pub use step::{Program, Step, StepRole};

use crate::language::Language;
use crate::toolchain::ToolchainRequirement;

/// Identifies a bundle: follows from its digest.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct BundleId(String);

impl BundleId {
    fn of(digest: Sha256) -> Self {
        BundleId(format!("bundle-{}", &digest.hex()[..24]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for BundleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// What a bundle is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Parts {
    pub(crate) language: Language,
    pub(crate) files: FileSet,
    pub(crate) entry_point: RelativePath,
    pub(crate) build: Vec<Step>,
    pub(crate) run: Step,
    pub(crate) outputs: Vec<OutputPath>,
    pub(crate) toolchains: Vec<ToolchainRequirement>,
    pub(crate) provenance: BTreeMap<String, String>,
}

/// Immutable code: files, build steps, one run step, the outputs that it declares and the tools that it needs.
///
/// Made by [`CodeRequest::bundle`](crate::CodeRequest::bundle). The same request gives the same digest on every machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bundle {
    id: BundleId,
    digest: Sha256,
    parts: Parts,
}

impl Bundle {
    pub(crate) fn new(mut parts: Parts) -> Self {
        // Orders that mean nothing are made the same, so that they do not tell bundles apart.
        parts.outputs.sort();
        parts.toolchains.sort();
        let digest = digest::of(&parts);
        Bundle { id: BundleId::of(digest), digest, parts }
    }

    /// Its id.
    pub const fn id(&self) -> &BundleId {
        &self.id
    }

    /// The digest of everything in it.
    pub const fn digest(&self) -> Sha256 {
        self.digest
    }

    /// Its language.
    pub const fn language(&self) -> Language {
        self.parts.language
    }

    /// Its files.
    pub const fn files(&self) -> &FileSet {
        &self.parts.files
    }

    /// The file that the program starts from.
    pub const fn entry_point(&self) -> &RelativePath {
        &self.parts.entry_point
    }

    /// The steps that build it, in order.
    pub fn build(&self) -> &[Step] {
        &self.parts.build
    }

    /// The step that runs it.
    pub const fn run(&self) -> &Step {
        &self.parts.run
    }

    /// Every step, in order.
    pub fn steps(&self) -> impl Iterator<Item = &Step> {
        self.parts.build.iter().chain([&self.parts.run])
    }

    /// The outputs that it declares.
    pub fn outputs(&self) -> &[OutputPath] {
        &self.parts.outputs
    }

    /// The tools that it needs.
    pub fn toolchains(&self) -> &[ToolchainRequirement] {
        &self.parts.toolchains
    }

    /// Where it comes from, in the caller's words.
    pub const fn provenance(&self) -> &BTreeMap<String, String> {
        &self.parts.provenance
    }
}
