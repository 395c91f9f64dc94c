//! A provider that does what a test tells it, and remembers what it saw.

mod act;
mod assert;
mod gate;
mod provider;
mod record;
mod resource;
#[cfg(test)]
mod tests;

pub use act::Act;
pub use assert::Assertion;
pub use gate::Gate;
pub use provider::{Mock, MockProvider};
pub use record::{Call, Counts};
pub use resource::MockResource;
