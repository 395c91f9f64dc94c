//! The line that says how a run went, and what else a person should know.

use execres::code::{CodeExecution, Trust};
use execres::core::{Axis, UsageSource};

use crate::quantity::show_size;

/// One line: provider, axes, time, memory, end.
pub(crate) fn line(result: &CodeExecution) -> String {
    let axes = result.isolation.axes();
    let held: Vec<&str> = Axis::ALL.into_iter().filter(|axis| axes.contains(*axis)).map(Axis::name).collect();
    let isolation = match (result.trust, held.len()) {
        (Trust::Unsafe, _) => "UNSAFE, not isolated".to_owned(),
        (_, 0) => "no axis proven".to_owned(),
        _ => held.join(" "),
    };
    let memory = match result.usage.peak_memory {
        Some(peak) if peak.source == UsageSource::LargestProcess => {
            format!("{} peak in one process", show_size(peak.value))
        }
        Some(peak) => format!("{} peak", show_size(peak.value)),
        None => "memory unknown".to_owned(),
    };
    let time = result.usage.wall.as_secs_f64();
    format!("execres: {} | {isolation} | {time:.3} s | {memory} | {}", result.provider, result.outcome)
}

/// Notes: each diagnostic with what to do, and where outputs went.
pub(crate) fn notes(result: &CodeExecution) -> Vec<String> {
    let note = |diagnostic: &execres::code::Diagnostic| match &diagnostic.suggestion {
        Some(suggestion) => format!("execres: note: {}; {suggestion}", diagnostic.message),
        None => format!("execres: note: {}", diagnostic.message),
    };
    result.diagnostics.iter().map(note).collect()
}
