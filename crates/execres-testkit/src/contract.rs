//! The contract that every provider has to keep, as named tests.
//!
//! A provider's crate describes itself with a [`Subject`] and mounts the suite; every check becomes a `#[test]` of its own:
//!
//! ```
//! use std::sync::Arc;
//!
//! use execres_core::Requirement;
//! use execres_testkit::contract::Subject;
//! use execres_testkit::{Mock, MockResource, provider_contract};
//!
//! fn mock() -> Subject {
//!     let mock = Mock::new("mock", "thing");
//!     let kind = mock.kind().clone();
//!     Subject::new("mock", ["thing"], move || Arc::new(mock.provider()))
//!         .requirement(move || Requirement::builder(&kind))
//!         .used_by(|thing: Arc<MockResource>| async move {
//!             if thing.number() > 0 { Ok(()) } else { Err("it has no number".to_owned()) }
//!         })
//!         .broken_by(|thing: Arc<MockResource>| async move { thing.break_it() })
//! }
//!
//! mod the_mock {
//!     execres_testkit::provider_contract!(super::mock());
//! }
//! # use provider_contract as _;
//! # fn main() {}
//! ```
//!
//! [`code_execution_contract!`](crate::code_execution_contract) adds what a provider of the kind `code_execution` has to do besides.
//!
//! The checks of one test binary take turns, because they count the process's descriptors and children. So a file of contract tests holds nothing
//! else that starts processes or opens files.

mod axes;
mod case;
mod census;
mod check;
mod claims;
mod code;
mod config;
mod fault;
mod lifecycle;
mod mount;
mod probing;
mod subject;

pub use check::{Check, Verdict, check, checks, code_checks};
pub use fault::Fault;
pub use mount::run;
pub use subject::{Subject, files_below};
