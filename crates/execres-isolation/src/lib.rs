//! Proven isolation on Linux: profiles, the launcher, supervision and evidence from live probes.

mod capture;
mod cgroup;
mod domain;
mod error;
mod filter;
pub mod host;
mod identity;
mod launcher;
mod layer;
mod layout;
mod leftover;
mod own_directory;
mod ownership;
mod probe;
mod profile;
mod protected;
mod run;
mod rung;
mod sandbox;
mod step;
mod sys;
mod unconfined;
mod wire;

pub use cgroup::CgroupReaper;
pub use error::LaunchError;
pub use layer::{Layer, Layers};
pub use layout::HOME;
pub use leftover::LauncherReaper;
pub use own_directory::RunDirectoryReaper;
pub use probe::{ProbeReaper, Standing};
pub use profile::{HandUp, Profile, ProfileError};
pub use run::{OutputSink, Run, RunReport, StepReport};
pub use rung::Rung;
pub use sandbox::Sandbox;
pub use step::{Stdin, Step};
