//! Requirements, handles, policy, capabilities, the provider contract and the manager of execution resources.
//!
//! An action says what live resource it needs (a [`Requirement`]); the [`Manager`] takes it through policy and approval, finds a
//! [`Provider`] whose probe shows that it will do, has the resource made, and hands out a [`Handle`], one caller's lease in it. The last lease
//! given back releases the resource. This crate knows no provider; anything that can implement [`Provider`] can be one.
//!
//! ```
//! use async_trait::async_trait;
//! use execres_core::{
//!     Capabilities, EnsureRequest, Health, HeldResource, Kind, Manager, Probe, ProbeRequest, ProvidedResource, Provider,
//!     ProviderError, ProviderId, Requirement,
//! };
//!
//! struct Greeter(ProviderId, [Kind; 1]);
//!
//! #[async_trait]
//! impl Provider for Greeter {
//!     fn id(&self) -> &ProviderId {
//!         &self.0
//!     }
//!     fn kinds(&self) -> &[Kind] {
//!         &self.1
//!     }
//!     async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
//!         Ok(Probe::available(Capabilities::new()))
//!     }
//!     async fn ensure(&self, _request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
//!         Ok(ProvidedResource::new(String::from("hello")))
//!     }
//!     async fn health_check(&self, _resource: &HeldResource) -> Health {
//!         Health::Healthy
//!     }
//!     async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
//!         Ok(())
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let manager = Manager::builder().build();
//! manager.register_provider(Greeter(ProviderId::new("greeter")?, [Kind::new("greeting")?]))?;
//! let handle = manager.ensure(Requirement::builder(Kind::new("greeting")?).build()?).await?;
//! assert_eq!(*handle.resource::<String>()?, "hello");
//! manager.release(&handle).await?;
//! # Ok(())
//! # }
//! ```
//!
//! # The owner runtime
//!
//! Sockets, timers and tasks of resources belong to one owner runtime (an [`Executor`]), which the process starts on first need.
//! Provider calls are polled on the caller's thread inside the owner's context, which costs entering and leaving that context a
//! poll and no hop to another thread; a call whose caller goes away half way moves to the owner and ends there. The caller's runtime can
//! be of any sort, or none. The price is a runtime of up to four idle threads, and that a provider's poll may run on any thread:
//! `spawn_blocking` works there, `block_in_place` does not. `docs/manager.md` has the whole contract.
#![forbid(unsafe_code)]

mod approval;
mod axis;
mod capabilities;
mod captured;
mod config;
mod error_code;
mod event;
mod evidence;
mod executor;
mod flight;
mod identity;
mod limits;
mod manager;
mod network;
mod outcome;
mod policy;
mod provider;
mod requirement;
mod scope;
mod settings;
mod sync;
mod usage;
mod version;

pub use approval::{
    ActionCall, ApprovalHandler, ApprovalRequest, ApprovalSettings, ApprovalSettingsError, ApprovalSource, AutoAllow,
    CallApproval, CallDigest, Decision, QuestionDigest, Risk,
};
pub use axis::{Axis, AxisSet, UnknownAxis};
pub use capabilities::{Capabilities, CapabilityRequirements, Unmet, VersionRule, WorkspaceAccess};
pub use captured::{Captured, Stream};
pub use config::{Config, ConfigError, ConfigValue};
pub use error_code::ErrorCode;
pub use event::{ApprovalGiver, Delivery, Event, Occurrence, Subject, Subscription};
pub use evidence::{Attempt, AxisEvidence, Enforcement, IsolationReport, LimitReport, Mechanism, Verdict};
pub use executor::{Executor, OwnedTask, TokioExecutor};
pub use identity::{
    ActionCallId, ApprovalRequestId, GrantId, HandleId, HandlerName, InvalidName, Kind, LeaseId, OwnerId, ProviderId,
    RequirementId, ResourceKey,
};
pub use limits::Limits;
pub use manager::{
    Blocking, BlockingInAsync, CandidateFailure, EnsureError, EnsureFailure, EnsureTarget, Filter, Handle,
    HandleSnapshot, Manager, ManagerBuilder, ProbeRecord, ProbeVerdict, RegisterError, ReleaseError, ReleaseOutcome,
    ReleaseScopeError, Selection, ShutdownReport, Status, Unavailable,
};
pub use network::NetworkMode;
pub use outcome::{Clock, LimitKind, Outcome};
pub use policy::{
    ApprovalMode, CommandPrefix, InvalidCommandPrefix, InvalidPathRule, PathRule, Policy, WriteOperation,
};
pub use provider::{
    Availability, Deadlines, EnsureRequest, Health, HeldResource, OptIn, Probe, ProbeRequest, Progress,
    ProgressReporter, ProvidedResource, Provider, ProviderError, ResourceError,
};
pub use requirement::{Approval, Candidate, CandidateError, Grant, Requirement, RequirementBuilder, RequirementError};
pub use scope::{Scope, UnknownScope};
pub use settings::{SettingKey, Settings, SettingsError, UnknownSetting};
pub use usage::{Peak, Usage, UsageSource};
pub use version::{InvalidVersion, Version};
