//! For tests of managers, providers, and whatever uses them.
//!
//! - [`Mock`]: a provider that does what a test tells it, and an [`Assertion`] on what it saw.
//! - [`contract`]: the checks that every provider has to pass. A provider's crate describes itself and gets one named test a check.
//! - [`Redactor`]: replaces what differs from run to run by stable placeholders, for snapshots.
//! - [`Canaries`]: secrets that are planted, and must be found nowhere.
//!
//! ```
//! use execres_core::{Manager, Requirement};
//! use execres_testkit::{Act, Call, Mock};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let mock = Mock::new("mock", "thing");
//! let manager = Manager::builder().build();
//! manager.register_provider(mock.provider())?;
//!
//! mock.next(Call::Ensure, [Act::fail("not yet")]);
//! let requirement = Requirement::builder(mock.kind()).build()?;
//! assert!(manager.ensure(&requirement).await.is_err());
//! let handle = manager.ensure(&requirement).await?;
//! manager.release(&handle).await?;
//! mock.assert().ensured(2).released(1).nothing_live().nothing_leaked();
//! # Ok(())
//! # }
//! ```
#![forbid(unsafe_code)]

mod canaries;
pub mod contract;
mod mock;
#[cfg(doctest)]
mod pages;
mod redact;

pub use canaries::{Canaries, CanaryFound};
pub use mock::{Act, Assertion, Call, Counts, Gate, Mock, MockProvider, MockResource};
pub use redact::Redactor;
