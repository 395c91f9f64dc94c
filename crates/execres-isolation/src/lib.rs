//! Proven isolation on Linux: profiles, the launcher, supervision and evidence from live probes.
//!
//! ```no_run
//! use std::path::Path;
//!
//! use execres_isolation::{Profile, Sandbox, Step};
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let sandbox = Sandbox::new(None);
//! // What this host allows, and what is proven there.
//! let standing = sandbox.best_rung(&Profile::deny_all()).await?;
//! println!("{}: {}", standing.rung, standing.report.axes());
//! // Nothing but the system's own programs, and one directory to read.
//! let profile = Profile::deny_all().on_rung(standing.rung).read(Path::new("/srv/data"), Path::new("/srv/data"))?;
//! let run = sandbox.launch(&profile, vec![Step::new("/bin/ls", ["/srv/data"])]).await?;
//! let report = run.finish(None, std::future::pending()).await;
//! println!("{}: {}", report.outcome, report.steps[0].stdout.text());
//! # Ok(())
//! # }
//! ```
//!
//! Limits, networks, outcomes and reports are types of `execres_core`. The example `own-sandbox` is a whole program.

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
