//! Requirements, handles, policy, capabilities, the provider contract and the manager of execution resources.
#![forbid(unsafe_code)]

mod axis;
mod captured;
mod evidence;
mod limits;
mod network;
mod outcome;
mod usage;

pub use axis::{Axis, AxisSet, UnknownAxis};
pub use captured::{Captured, Stream};
pub use evidence::{Attempt, AxisEvidence, Enforcement, IsolationReport, LimitReport, Mechanism, Verdict};
pub use limits::Limits;
pub use network::NetworkMode;
pub use outcome::{Clock, LimitKind, Outcome};
pub use usage::{Peak, Usage, UsageSource};
