//! Requirements, handles, policy, capabilities, the provider contract and the manager of execution resources.
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
mod usage;
mod version;

pub use approval::{ApprovalHandler, ApprovalRequest, ApprovalSettings, ApprovalSettingsError, AutoAllow, Decision};
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
    CandidateFailure, EnsureError, EnsureFailure, EnsureTarget, Filter, Handle, HandleSnapshot, Manager,
    ManagerBuilder, ProbeRecord, ProbeVerdict, RegisterError, ReleaseError, ReleaseOutcome, ReleaseScopeError,
    Selection, ShutdownReport, Status, Unavailable,
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
pub use usage::{Peak, Usage, UsageSource};
pub use version::{InvalidVersion, Version};
