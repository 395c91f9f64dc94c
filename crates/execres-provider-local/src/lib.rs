//! Code execution on this machine: the native sandbox, which is the default, and `trusted_local`, which isolates nothing and
//! runs only where the host says so.
//!
//! Both offer the kind `code_execution`; their live resource is a [`SharedRunner`].
#![forbid(unsafe_code)]

mod error;
mod finish;
mod limits;
mod sandbox;
mod sink;
mod tools;
mod trusted_local;

use std::sync::Arc;

pub use sandbox::SandboxProvider;
pub use tools::{Tool, ToolError, Toolbox};
pub use trusted_local::{HostAuthorisation, TrustedLocalProvider};

/// The kind that both providers offer.
pub const KIND: &str = "code_execution";

/// The live resource of the kind `code_execution`.
pub type SharedRunner = Arc<dyn execres_code::CodeRunner>;
