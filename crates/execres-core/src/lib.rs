//! Requirements, handles, policy, capabilities, the provider contract and the manager of execution resources.
#![forbid(unsafe_code)]
#![allow(dead_code, reason = "the manager uses the rest")]

mod axis;
mod capabilities;
mod captured;
mod config;
mod error_code;
mod evidence;
mod executor;
mod identity;
mod limits;
mod network;
mod outcome;
mod policy;
mod provider;
mod requirement;
mod scope;
mod usage;
mod version;

pub use axis::{Axis, AxisSet, UnknownAxis};
pub use capabilities::{Capabilities, CapabilityRequirements, Unmet, VersionRule, WorkspaceAccess};
pub use captured::{Captured, Stream};
pub use config::{Config, ConfigError, ConfigValue};
pub use error_code::ErrorCode;
pub use evidence::{Attempt, AxisEvidence, Enforcement, IsolationReport, LimitReport, Mechanism, Verdict};
pub use executor::{Executor, OwnedTask, TokioExecutor};
pub use identity::{
    ActionCallId, ApprovalRequestId, GrantId, HandleId, HandlerName, InvalidName, Kind, LeaseId, OwnerId, ProviderId,
    RequirementId, ResourceKey,
};
pub use limits::Limits;
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
pub use usage::{Peak, Usage, UsageSource};
pub use version::{InvalidVersion, Version};
