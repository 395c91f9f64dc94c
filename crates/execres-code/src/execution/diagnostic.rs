//! What to know about a result, and what to do.

use std::borrow::Cow;

use execres_core::Outcome;
use execres_workspace::{Completeness, OutputPath, Refusal};
use serde::Serialize;

use super::not_kept::NotKeptList;
use super::report::StepReport;
use crate::bundle::StepRole;

/// One thing to know: a stable code, words, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The stable code.
    pub code: Cow<'static, str>,
    /// What happened.
    pub message: String,
    /// What to do, where there is something.
    pub suggestion: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without a suggestion.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Diagnostic { code: code.into(), message: message.into(), suggestion: None }
    }

    /// Says what to do.
    #[must_use]
    pub fn suggest(mut self, what: impl Into<String>) -> Self {
        self.suggestion = Some(what.into());
        self
    }

    /// A declared output is not there. When a file of its name was written elsewhere, that is what went wrong.
    pub(super) fn missing(path: &OutputPath, not_kept: &NotKeptList) -> Self {
        let name = path.within().map(|within| within.file_name());
        let elsewhere = not_kept.files.iter().find(|file| name.is_some_and(|name| file.file_name() == name));
        let suggestion = match elsewhere {
            Some(file) => format!("the program wrote {} instead; write {path}", file.path),
            None => format!("write {path}, relative to the working directory"),
        };
        Diagnostic::new("code_execution.output_missing", format!("the declared output {path} was not written"))
            .suggest(suggestion)
    }

    /// Something under `output/` was not taken.
    pub(super) fn refused(refusal: &Refusal) -> Self {
        Diagnostic::new(refusal.reason.code(), format!("{} {}", refusal.path, refusal.reason))
    }

    /// A build step failed, so there was no run.
    pub(super) fn build_failed(step: &StepReport) -> Option<Self> {
        if step.role != StepRole::Build || step.outcome.is_success() {
            return None;
        }
        let tool = step.command.first().map_or("", String::as_str);
        let message = format!("the build step {tool} {}, so the program was not run", step.outcome);
        let diagnostic = Diagnostic::new("code_execution.build_failed", message);
        Some(match step.outcome {
            Outcome::Exited { .. } => diagnostic.suggest("correct what its standard error names"),
            _ => diagnostic,
        })
    }

    /// Files were written into a working directory that is thrown away.
    pub(super) fn not_kept(list: &NotKeptList) -> Option<Self> {
        const NAMED: usize = 5;
        let count = list.files.len();
        if count == 0 {
            return None;
        }
        let mut names = list.files.iter().take(NAMED).map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
        if count > NAMED {
            names.push_str(", …");
        }
        let all = match list.completeness {
            Completeness::Complete => format!("{count} in all"),
            Completeness::Cut => format!("at least {count} in all"),
        };
        let message = format!("written outside output/ and not kept: {names} ({all})");
        Some(Diagnostic::new("code_execution.not_kept", message).suggest("write under output/ to keep a file"))
    }
}
