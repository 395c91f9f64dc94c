//! Execres gives an agent's action the live resources it needs, proves how well each one is isolated, and always gets it back.
//!
//! This crate is the facade: one [`Manager`](core::Manager) with the built-in providers registered, and the main job in a few
//! lines.
//!
//! ```no_run
//! use execres::{CodeCall, Execres};
//! use execres::code::{CodeRequest, Language};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let execres = Execres::builder().build()?;
//! let request = CodeRequest::new(Language::parse("python")?).source("print(6 * 7)");
//! let result = execres.run(CodeCall::new(request)).await?;
//! println!("{} with {}", result.stdout.text(), result.isolation.axes());
//! # Ok(())
//! # }
//! ```
//!
//! Whoever needs one part only takes that crate: [`core`] knows no provider, and each provider is a crate of its own.
#![forbid(unsafe_code)]

mod builder;
mod call;
mod deliver;
pub mod doctor;
mod error;
mod leftovers;
#[cfg(doctest)]
mod pages;
mod probes;
mod run;

pub use builder::{Builder, Execres};
pub use call::{CodeCall, Isolation};
pub use error::{BuildError, RunError};
pub use execres_code as code;
pub use execres_core as core;
pub use execres_isolation as isolation;
pub use execres_owner as owner;
pub use execres_provider_local as provider_local;
pub use execres_workspace as workspace;
pub use leftovers::reap;
pub use probes::ProviderProbe;
pub use tokio_util::sync::CancellationToken;
