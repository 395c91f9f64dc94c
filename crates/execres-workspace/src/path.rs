//! Paths from outside, parsed once and never checked again.

mod error;
mod output;
mod relative;
mod set;

pub use error::{PathError, PathFault};
pub use output::{OUTPUT_DIR, OutputKind, OutputPath};
pub use relative::{PRIVATE_DIR, RelativePath};
pub use set::{PathConflict, PathSet};
