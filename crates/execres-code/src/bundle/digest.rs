//! The canonical form of a bundle, and its digest.

use std::collections::BTreeMap;

use execres_workspace::{FileRole, OutputPath, Role, Sha256};
use serde::Serialize;

use super::Parts;
use super::step::{Program, Step, StepRole};
use crate::toolchain::ToolchainRequirement;

/// Changes whenever the canonical form does, so that an old digest never passes for a new one.
const FORM: u32 = 1;

/// Compact JSON of these, with fields in the order in which they stand here. Lists whose order means nothing are sorted.
#[derive(Serialize)]
struct Canonical<'a> {
    form: u32,
    language: &'a str,
    files: Vec<CanonicalFile<'a>>,
    entry_point: &'a str,
    build: Vec<CanonicalStep<'a>>,
    run: CanonicalStep<'a>,
    outputs: &'a [OutputPath],
    toolchains: &'a [ToolchainRequirement],
    provenance: &'a BTreeMap<String, String>,
}

#[derive(Serialize)]
struct CanonicalFile<'a> {
    path: &'a str,
    role: FileRole,
    bytes: usize,
    sha256: Sha256,
}

#[derive(Serialize)]
struct CanonicalStep<'a> {
    role: StepRole,
    program: &'a Program,
    args: &'a [String],
    cwd: Role,
    env: &'a BTreeMap<String, String>,
}

impl<'a> CanonicalStep<'a> {
    fn of(step: &'a Step) -> Self {
        CanonicalStep {
            role: step.role(),
            program: step.program(),
            args: step.args(),
            cwd: step.cwd(),
            env: step.env(),
        }
    }
}

/// The digest of `parts`, whose outputs and toolchains are sorted.
pub(super) fn of(parts: &Parts) -> Sha256 {
    let canonical = Canonical {
        form: FORM,
        language: parts.language.id(),
        files: parts
            .files
            .files()
            .iter()
            .map(|file| CanonicalFile {
                path: file.path().as_str(),
                role: file.role(),
                bytes: file.content().len(),
                sha256: file.sha256(),
            })
            .collect(),
        entry_point: parts.entry_point.as_str(),
        build: parts.build.iter().map(CanonicalStep::of).collect(),
        run: CanonicalStep::of(&parts.run),
        outputs: &parts.outputs,
        toolchains: &parts.toolchains,
        provenance: &parts.provenance,
    };
    // Serialising fails only for maps with keys that are not text, for failing writers and for types that refuse; there is
    // none of these here, and every key is a string.
    #[allow(clippy::expect_used)]
    let json = serde_json::to_vec(&canonical).expect("plain data with text keys serialises");
    Sha256::of(&json)
}
