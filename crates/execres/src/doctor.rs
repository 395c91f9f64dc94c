//! What this host can do for isolated programs, what it lacks, and what to type to get it.
//!
//! Everything is found out by trying, harmlessly, and nothing is left behind: the sandbox is probed as before a run, a process is
//! moved into a group, interpreters and drivers are asked for their version, sockets of container engines are asked whether they
//! answer. Settings of the host only explain what was refused.
//!
//! ```
//! use execres::doctor::{Doctor, Readiness, Status};
//!
//! # async fn example() {
//! let report = Doctor::new().examine().await;
//! println!("{}", report.best.sentence);
//! if report.verdict == Readiness::Blocked {
//!     println!("no isolated program runs here");
//! }
//! for check in report.checks.iter().filter(|check| check.status != Status::Ok) {
//!     println!("{}: {}", check.id, check.found);
//!     for remedy in &check.remedies {
//!         println!("  {}\n  {}", remedy.says, remedy.commands.join("\n  "));
//!     }
//! }
//! # }
//! # tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(example());
//! ```

mod best;
mod browser;
mod engine;
mod examination;
mod install;
mod interpreter;
mod kernel;
mod language;
mod limits;
mod mcp;
mod namespaces;
mod program;
mod report;
mod sandbox;
mod surroundings;
mod trial;

pub use best::BestProfile;
pub use examination::Doctor;
pub use execres_isolation::Rung;
pub use report::{Check, Group, Importance, Readiness, Remedy, Report, Status};
