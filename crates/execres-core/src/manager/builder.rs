//! Making a manager.

use std::sync::{Arc, OnceLock};

use super::face::Manager;
use super::gate::Gate;
use super::inner::Inner;
use super::reuse_key::Keyer;
use super::shards::Shards;
use crate::approval::{AutoAllow, HandlerTable};
use crate::event::EventBus;
use crate::executor::Executor;
use crate::identity::OwnerId;
use crate::policy::Policy;
use crate::provider::Deadlines;
use crate::settings::Settings;
use crate::sync::{Apart, AtomicBool, AtomicU64, RwLock};

/// Builds a [`Manager`] from the host's own settings, which nothing below the host can reach.
#[must_use]
pub struct ManagerBuilder {
    owner: Option<OwnerId>,
    policy: Policy,
    deadlines: Deadlines,
    auto_allow: AutoAllow,
    executor: Option<Arc<dyn Executor>>,
    pub(super) process: u32,
}

impl ManagerBuilder {
    pub(super) fn new() -> Self {
        ManagerBuilder {
            owner: None,
            policy: Policy::new(),
            deadlines: Deadlines::STANDARD,
            auto_allow: AutoAllow::Off,
            executor: None,
            process: std::process::id(),
        }
    }

    /// Sets the owner of requirements that name none (the setting `execution_resource.owner_id`). `execres` by default.
    pub fn owner(mut self, owner: OwnerId) -> Self {
        self.owner = Some(owner);
        self
    }

    /// Sets the host's policy, which tightens that of every requirement.
    pub fn policy(mut self, policy: Policy) -> Self {
        self.policy = policy;
        self
    }

    /// Sets how long the manager waits for providers and approval handlers.
    pub fn deadlines(mut self, deadlines: Deadlines) -> Self {
        self.deadlines = deadlines;
        self
    }

    /// Sets whether approval is given without asking (the setting `access_control_policy.auto_allow`).
    pub fn auto_allow(mut self, auto_allow: AutoAllow) -> Self {
        self.auto_allow = auto_allow;
        self
    }

    /// Sets the owner runtime. By default the process has one of its own, started on first need.
    pub fn executor(mut self, executor: impl Executor) -> Self {
        self.executor = Some(Arc::new(executor));
        self
    }

    /// The manager. Nothing is started.
    pub fn build(self) -> Manager {
        let settings = Settings::of_host(HandlerTable::new());
        if let Some(owner) = self.owner {
            settings.set_owner(owner);
        }
        // The host's own layer takes either value.
        drop(settings.set_auto_allow(self.auto_allow));
        let name = uuid::Uuid::new_v4().simple().to_string();
        let inner = Inner {
            policy: Arc::new(self.policy),
            deadlines: self.deadlines,
            process: self.process,
            name: Arc::from(&name[..8]),
            executor: self.executor.map_or_else(OnceLock::new, OnceLock::from),
            providers: RwLock::new(Vec::new()),
            requirements: Shards::new(),
            slots: Shards::new(),
            handles: Shards::new(),
            gate: Gate::new(),
            bus: EventBus::new(),
            keyer: Keyer::new(),
            closed: AtomicBool::new(false),
            generations: Apart(AtomicU64::new(0)),
        };
        Manager::new(inner, settings)
    }
}
