//! The provider `sandbox`: programs in the native sandbox, with evidence for every axis that is claimed.

mod config;
mod profile;
mod provider;
mod resource;

pub use provider::SandboxProvider;
