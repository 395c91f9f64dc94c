//! The line that says how a run went, and what else a person should know.

use execres::code::{CodeExecution, Status, StepRole, Trust};
use execres::core::{Axis, Outcome, UsageSource};

use crate::quantity::show_size;

/// One line: provider, axes, time, memory, end.
pub(crate) fn line(result: &CodeExecution) -> String {
    let axes = result.isolation.axes();
    let held: Vec<&str> = Axis::ALL.into_iter().filter(|axis| axes.contains(*axis)).map(Axis::name).collect();
    let missing: Vec<&str> = Axis::ALL.into_iter().filter(|axis| !axes.contains(*axis)).map(Axis::name).collect();
    let nothing_ran = matches!(result.outcome, Outcome::FailedToStart { .. } | Outcome::Blocked { .. });
    let isolation = match (result.trust, held.len(), missing.is_empty()) {
        (Trust::Unsafe, ..) => "UNSAFE, not isolated".to_owned(),
        _ if nothing_ran => "nothing ran".to_owned(),
        (_, 0, _) => "no axis proven".to_owned(),
        (_, _, true) => held.join(" "),
        _ => format!("{} NOT {}", held.join(" "), missing.join(" ")),
    };
    let memory = match result.usage.peak_memory {
        Some(peak) if peak.source == UsageSource::LargestProcess => {
            format!("{} peak in one process", show_size(peak.value))
        }
        Some(peak) => format!("{} peak", show_size(peak.value)),
        None => "memory unknown".to_owned(),
    };
    let time = result.usage.wall.as_secs_f64();
    format!("execres: {} | {isolation} | {time:.3} s | {memory} | {}", result.provider, end(result))
}

/// How it ended, in agreement with the exit code.
fn end(result: &CodeExecution) -> String {
    let ran = result.steps.iter().any(|step| step.role == StepRole::Run);
    let build = result.steps.last().filter(|_| !ran).and_then(|step| step.command.first());
    match (build, &result.outcome) {
        (Some(tool), outcome) => format!("the build ({tool}) {outcome}"),
        (None, Outcome::Exited { code: 0 }) if result.status == Status::Error => {
            "exited with code 0, but not every declared output was kept".to_owned()
        }
        (None, outcome) => outcome.to_string(),
    }
}

/// Notes: each diagnostic with what to do, and where outputs went.
pub(crate) fn notes(result: &CodeExecution) -> Vec<String> {
    let note = |diagnostic: &execres::code::Diagnostic| match &diagnostic.suggestion {
        Some(suggestion) => format!("execres: note: {}; {suggestion}", diagnostic.message),
        None => format!("execres: note: {}", diagnostic.message),
    };
    result.diagnostics.iter().map(note).collect()
}
