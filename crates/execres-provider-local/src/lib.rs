//! Code execution on this machine: the native sandbox, which is the default, and `trusted_local`, which isolates nothing and
//! runs only where the host says so.
//!
//! Both offer the kind `code_execution`; their live resource is a [`SharedRunner`](execres_code::SharedRunner).
#![forbid(unsafe_code)]

mod error;
mod finish;
mod limits;
mod sandbox;
mod sink;
mod tools;
mod trusted_local;

pub use sandbox::SandboxProvider;
pub use tools::{Tool, ToolError, Toolbox};
pub use trusted_local::{HostAuthorisation, TrustedLocalProvider};
