//! [`CodeExecution`]: the result.

use std::collections::BTreeMap;

use execres_core::{Captured, IsolationReport, Outcome, Usage};
use execres_workspace::{Artifact, CallId, Completeness, GrantId, OutputPath, Refusal, Sha256, WorkspaceId};
use serde::{Serialize, Serializer};

use super::diagnostic::Diagnostic;
use super::not_kept::NotKept;
use crate::bundle::{BundleId, StepRole};
use crate::language::Language;

/// The one-word answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The run step exited with 0, and every declared output is there.
    Success,
    /// Anything else.
    Error,
}

/// Whether the program ran in a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Trust {
    /// It did.
    Isolated,
    /// It ran as a plain process of the host, trusted by the host's word. In JSON: `"unsafe": true`.
    Unsafe,
}

impl Serialize for Trust {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(*self == Trust::Unsafe)
    }
}

/// The job did not run where it was preferred to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fallback {
    /// The provider that was preferred.
    pub preferred: String,
    /// Why it was not used.
    pub why: String,
}

/// How one step went.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StepReport {
    /// What it did.
    pub role: StepRole,
    /// Its command, as it is shown to people.
    pub command: Vec<String>,
    /// How it ended.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// What was kept of its standard output; `None` for the step whose streams are the result's own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stdout: Option<Captured>,
    /// What was kept of its standard error, likewise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stderr: Option<Captured>,
    /// What it used.
    pub usage: Usage,
}

impl StepReport {
    /// A step that was started, or failed to.
    pub fn new(step: &crate::Step, outcome: Outcome, stdout: Captured, stderr: Captured, usage: Usage) -> Self {
        StepReport {
            role: step.role(),
            command: step.shown(),
            outcome,
            stdout: Some(stdout),
            stderr: Some(stderr),
            usage,
        }
    }
}

/// The result of a job. Its JSON is what `execres run --json` prints.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CodeExecution {
    /// The one-word answer.
    pub status: Status,
    /// How the step ended that decided: the first that did not succeed, or else the run step.
    #[serde(flatten)]
    pub outcome: Outcome,
    /// Whether the program ran in a box.
    #[serde(rename = "unsafe")]
    pub trust: Trust,
    /// Who ran it.
    pub provider: String,
    /// Its language.
    pub language: Language,
    /// Standard output of the run step; of the build step that failed, where there was no run.
    pub stdout: Captured,
    /// Standard error, likewise.
    pub stderr: Captured,
    /// The outputs that were kept.
    pub outputs: Vec<Artifact>,
    /// Declared outputs that are not there.
    pub missing_outputs: Vec<OutputPath>,
    /// What is under `output/` and was not taken, each with the reason.
    pub refused_outputs: Vec<Refusal>,
    /// Refusals that were only counted, after the first hundred.
    pub refused_more: u64,
    /// What was written into a scratch working directory, and is gone.
    pub not_kept: Vec<NotKept>,
    /// Whether `not_kept` has everything.
    pub not_kept_completeness: Completeness,
    /// What to know about the result, and what to do.
    pub diagnostics: Vec<Diagnostic>,
    /// What all steps together used.
    pub usage: Usage,
    /// Every step that was started, in order.
    pub steps: Vec<StepReport>,
    /// How well the program was isolated, with the evidence.
    pub isolation: IsolationReport,
    /// Set when another provider was preferred.
    pub fallback: Option<Fallback>,
    /// The bundle that ran.
    pub bundle_id: BundleId,
    /// Its digest.
    pub bundle_digest: Sha256,
    /// Where its code comes from, in the caller's words.
    pub provenance: BTreeMap<String, String>,
    /// The grant under which it ran.
    pub grant_id: GrantId,
    /// The call that the grant is for.
    pub call_id: CallId,
    /// The workspace of the grant.
    pub workspace_id: WorkspaceId,
}

impl CodeExecution {
    /// Whether it is a success.
    pub fn is_success(&self) -> bool {
        self.status == Status::Success
    }
}
