//! The manager: gets resources through policy and approval, hands them over, and always gets them back.

mod blocking;
mod builder;
mod call;
mod ensure;
mod error;
mod face;
mod gate;
mod handle;
mod inner;
mod inspect;
mod managed;
mod order;
mod pinned;
mod providers;
mod release;
mod reuse_key;
mod selection;
mod shards;
mod shutdown;
mod status;
#[cfg(test)]
mod tests;

pub use blocking::{Blocking, BlockingInAsync};
pub use builder::ManagerBuilder;
pub use ensure::EnsureTarget;
pub use error::{
    CandidateFailure, EnsureError, EnsureFailure, RegisterError, ReleaseError, ReleaseScopeError, Unavailable,
};
pub use face::Manager;
pub use handle::Handle;
pub use inspect::{Filter, HandleSnapshot};
pub use release::ReleaseOutcome;
pub use selection::{ProbeRecord, ProbeVerdict, Selection};
pub use shutdown::ShutdownReport;
pub use status::Status;
