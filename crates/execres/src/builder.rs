//! Setting Execres up: what a host decides once.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use execres_core::Manager;
use execres_isolation::Sandbox;
use execres_owner::{OwnerRegistry, StateDir};
use execres_provider_local::{HostAuthorisation, SandboxProvider, Toolbox, TrustedLocalProvider};

use crate::error::BuildError;

/// The manager with the built-in providers, and what they share. One for each host process is enough.
#[derive(Debug)]
pub struct Execres {
    pub(crate) manager: Manager,
    pub(crate) owners: Arc<OwnerRegistry>,
}

impl Execres {
    /// Starts setting up.
    pub fn builder() -> Builder {
        Builder { authorisation: HostAuthorisation::Refused, tools: BTreeMap::new(), state_dir: None }
    }

    /// The manager, for those who write providers, executors and flows.
    pub fn manager(&self) -> &Manager {
        &self.manager
    }

    /// The register of everything that would outlive this process if it were killed.
    pub fn owners(&self) -> &Arc<OwnerRegistry> {
        &self.owners
    }
}

/// What a host decides once.
#[derive(Debug)]
pub struct Builder {
    authorisation: HostAuthorisation,
    tools: BTreeMap<String, PathBuf>,
    state_dir: Option<PathBuf>,
}

impl Builder {
    /// Allows runs without isolation where a call names the provider `trusted_local`: such a program has this process's
    /// identity, files and network.
    #[must_use]
    pub fn authorise_trusted_local_dangerously(mut self) -> Self {
        self.authorisation = HostAuthorisation::GrantedDangerously;
        self
    }

    /// Uses this binary for a tool (`python`, `node`, `bash`, `cc`, `c++`) instead of searching for one. Its installation is
    /// granted to programs, read-only.
    #[must_use]
    pub fn tool(mut self, id: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.tools.insert(id.into(), path.into());
        self
    }

    /// Keeps the register of what would outlive this process in this directory instead of the user's own.
    #[must_use]
    pub fn state_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(path.into());
        self
    }

    /// Sets up. Nothing is started; what a killed host of this user left behind is removed.
    ///
    /// # Errors
    /// [`BuildError`] when the state directory cannot be used.
    pub fn build(self) -> Result<Execres, BuildError> {
        let state = match &self.state_dir {
            Some(path) => StateDir::open_at(path)?,
            None => StateDir::open()?,
        };
        // Leftovers cost space and nothing else, so a failure to remove them is no reason not to work.
        match crate::leftovers::reap_in(&state) {
            Ok(report) if report.removed.is_empty() && report.failed.is_empty() => {}
            Ok(report) => tracing::info!(removed = report.removed.len(), failed = report.failed.len(), "reaped"),
            Err(error) => tracing::warn!(%error, "leftovers could not be looked for"),
        }
        let state_path = state.path().to_owned();
        let owners = OwnerRegistry::open(state)?;
        let sandbox = Sandbox::new(Some(Arc::clone(&owners)));
        let toolbox = self
            .tools
            .into_iter()
            .fold(Toolbox::new(Arc::clone(&sandbox), Some(&state_path)), |toolbox, (id, path)| {
                toolbox.with_tool(id, path)
            });
        let toolbox = Arc::new(toolbox);
        let manager = Manager::builder().build();
        manager.register_provider(SandboxProvider::new(Arc::clone(&sandbox), Arc::clone(&toolbox)))?;
        manager.register_provider(TrustedLocalProvider::new(self.authorisation, sandbox, toolbox))?;
        Ok(Execres { manager, owners })
    }
}
