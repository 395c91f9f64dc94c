//! The provider `trusted_local`: programs as plain processes of the host. It isolates nothing.

mod config;
mod provider;
mod resource;

pub use provider::{HostAuthorisation, TrustedLocalProvider};
