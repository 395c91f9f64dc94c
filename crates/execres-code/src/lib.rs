//! From a request in some language to an immutable bundle, and the contract of whatever runs it.
//!
//! ```text
//! CodeRequest ─ language adapter ─▶ Bundle ─ materialised under a grant ─▶ CodeJob ─ CodeRunner ─▶ CodeExecution
//! ```
//!
//! A bundle is files, build steps and one run step. Steps name their tools by what they are (`python`, `c++`), and whoever
//! runs them finds the tool on its own side. Nothing here starts a process or touches a disk.
//!
//! ```
//! use execres_code::{CodeRequest, Language};
//!
//! let bundle = CodeRequest::new(Language::parse("python")?).source("print('hello')").bundle()?;
//! assert_eq!(bundle.run().shown(), ["python", "main.py"]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod bundle;
mod execution;
mod language;
mod layout;
mod request;
mod runner;
mod toolchain;

pub use bundle::{Bundle, BundleId, Program, Step, StepRole};
pub use execution::{
    Change, CodeExecution, Diagnostic, ExecutionParts, Fallback, NotKept, NotKeptList, Status, StepReport, Trust,
    not_kept,
};
pub use language::{Language, UnknownLanguage};
pub use layout::{GuestLayout, RoleUri, RoleUriError};
pub use request::{
    CodeRequest, DependencyPolicy, MAX_ARG_BYTES, MAX_ARGS, MAX_ENV, MAX_ENV_BYTES, MAX_OUTPUTS, MAX_STDIN_BYTES,
    RequestError,
};
pub use runner::{CodeJob, CodeRunner, KIND, OutputSink, SharedRunner, StepAt, WorkingDirectory};
pub use toolchain::{BinaryKind, ToolId, ToolIdError, ToolSpec, ToolchainRequirement, Version, VersionNeed};
