//! What the manager asks of a provider.

use std::sync::Arc;

use serde::de::DeserializeOwned;

use super::{Probe, ProgressReporter};
use crate::config::{Config, ConfigError};
use crate::identity::HandleId;
use crate::policy::Policy;
use crate::requirement::Requirement;

/// Whether a resource could be made: for which requirement, with which configuration, under which policy.
#[derive(Debug, Clone)]
pub struct ProbeRequest {
    requirement: Arc<Requirement>,
    config: Config,
    policy: Arc<Policy>,
}

impl ProbeRequest {
    /// A request, for tests of a provider without a manager.
    pub fn new(requirement: Arc<Requirement>, config: Config, policy: Arc<Policy>) -> Self {
        ProbeRequest { requirement, config, policy }
    }

    /// The requirement.
    pub const fn requirement(&self) -> &Arc<Requirement> {
        &self.requirement
    }

    /// The requirement's configuration with this candidate's merged over it.
    pub const fn config(&self) -> &Config {
        &self.config
    }

    /// The configuration as the provider's own struct.
    ///
    /// # Errors
    ///
    /// As [`Config::parse`].
    pub fn parse_config<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.config.parse()
    }

    /// The policy in force: the requirement's, tightened by the host's.
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.policy
    }
}

/// The resource to make: what was probed, what the probe found, and the handle it is for.
#[derive(Debug, Clone)]
pub struct EnsureRequest {
    asked: ProbeRequest,
    probe: Probe,
    handle_id: HandleId,
    progress: ProgressReporter,
}

impl EnsureRequest {
    /// A request, for tests of a provider without a manager.
    pub fn new(asked: ProbeRequest, probe: Probe, handle_id: HandleId, progress: ProgressReporter) -> Self {
        EnsureRequest { asked, probe, handle_id, progress }
    }

    /// The requirement.
    pub const fn requirement(&self) -> &Arc<Requirement> {
        &self.asked.requirement
    }

    /// The requirement's configuration with this candidate's merged over it.
    pub const fn config(&self) -> &Config {
        &self.asked.config
    }

    /// The configuration as the provider's own struct.
    ///
    /// # Errors
    ///
    /// As [`Config::parse`].
    pub fn parse_config<T: DeserializeOwned>(&self) -> Result<T, ConfigError> {
        self.asked.config.parse()
    }

    /// The policy in force: the requirement's, tightened by the host's.
    pub const fn policy(&self) -> &Arc<Policy> {
        &self.asked.policy
    }

    /// What the provider's last probe found, immediately before.
    pub const fn probe(&self) -> &Probe {
        &self.probe
    }

    /// The handle that the resource will be known by; good for labels.
    pub const fn handle_id(&self) -> &HandleId {
        &self.handle_id
    }

    /// Takes reports of progress.
    pub const fn progress(&self) -> &ProgressReporter {
        &self.progress
    }
}
