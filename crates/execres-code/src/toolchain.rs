//! Toolchains: what a bundle needs, and how a tool of a host is found and asked for its version.
//!
//! Only the part without processes is here. Whoever starts processes looks up [`ToolSpec::places`], finds the binary behind
//! links and shims, and gives what it printed to [`ToolSpec::parse_version`].

mod id;
mod need;
mod spec;

pub use id::{ToolId, ToolIdError};
pub use need::{ToolchainRequirement, VersionNeed};
pub use spec::{BinaryKind, ToolSpec};

pub use execres_core::Version;
