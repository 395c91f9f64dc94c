//! How a job went.

mod conclude;
mod diagnostic;
mod not_kept;
mod report;

pub use conclude::ExecutionParts;
pub use diagnostic::Diagnostic;
pub use not_kept::{Change, NotKept, NotKeptList, not_kept};
pub use report::{CodeExecution, Fallback, Status, StepReport, Trust};

#[cfg(test)]
mod tests;
