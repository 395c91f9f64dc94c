//! Looks at everything, in an order in which nothing is asked twice.

use std::path::PathBuf;
use std::sync::Arc;

use execres_core::AxisSet;
use execres_isolation::host::HostFacts;
use execres_isolation::{LaunchError, Profile, Sandbox, Standing};
use execres_owner::{OwnerRegistry, StateDir};
use execres_provider_local::Toolbox;

use super::best::BestProfile;
use super::program::Programs;
use super::report::{Readiness, Report};
use super::{browser, engine, interpreter, kernel, language, limits, mcp, namespaces, sandbox, surroundings, trial};

/// Looks at this host.
#[derive(Debug, Clone)]
pub struct Doctor {
    state_dir: Option<PathBuf>,
    required: AxisSet,
}

impl Doctor {
    /// One that looks at what [`Execres::builder`](crate::Execres::builder) would use, and requires all four axes.
    pub fn new() -> Self {
        Doctor { state_dir: None, required: AxisSet::ALL }
    }

    /// Requires these axes. They decide the verdict and nothing else.
    #[must_use]
    pub fn requiring(mut self, axes: AxisSet) -> Self {
        self.required = axes;
        self
    }

    /// Uses this state directory, as [`Builder::state_dir`](crate::Builder::state_dir) does.
    #[must_use]
    pub fn state_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.state_dir = Some(path.into());
        self
    }

    /// Looks. It takes about a second: the sandbox is probed, and every program that is found is asked for its version.
    ///
    /// What does not work is in the report; there is no host that cannot be looked at. No program of the network is asked
    /// anything, and of sockets only those of container engines on this machine.
    ///
    /// # Cancel safety
    /// Dropping the future leaves nothing behind.
    pub async fn examine(&self) -> Report {
        let state = match &self.state_dir {
            Some(path) => StateDir::open_at(path),
            None => StateDir::open(),
        };
        let state_check = surroundings::state_dir(&state);
        let owners = state.ok().and_then(|state| OwnerRegistry::open(state).ok());
        let host = gather(owners.clone()).await;

        // The very probe that runs rely on, made now and not remembered. What has to be asked afterwards is asked in its sandbox.
        let sandbox = Sandbox::trying_anew(owners);
        let tried = sandbox.best_rung(&Profile::deny_all()).await;
        let best = BestProfile::of(&tried);
        let programs = Programs::new(Arc::clone(&sandbox), best.rung);
        // Versions that an earlier process remembered are not taken for an answer.
        let toolbox = Toolbox::new(Arc::clone(&sandbox), None);

        let mut checks = vec![
            sandbox::axes(&tried),
            namespaces::check(&host),
            kernel::proc(&host, &tried),
            kernel::landlock(&host),
            kernel::seccomp(&host, &tried),
            limits::memory(&host, tried.as_ref().ok().map(|standing| standing.report.as_ref())),
            kernel::version(&host, &tried),
            surroundings::identity(&host, &tried),
            surroundings::container(&host),
            surroundings::wsl(&host),
            surroundings::temporary(&host),
            state_check,
        ];
        let (languages, interpreters, engines, browsers, runtimes) = tokio::join!(
            language::checks(&toolbox),
            interpreter::checks(&programs),
            engine::checks(&programs),
            browser::checks(&programs),
            mcp::checks(&programs),
        );
        checks.push(trial::check(self.state_dir.as_deref(), best.rung, &languages).await);
        checks.extend([languages, interpreters, engines, browsers, runtimes].into_iter().flatten());
        let verdict = Readiness::of(self.required, &best, &checks);
        Report { version: env!("CARGO_PKG_VERSION"), verdict, required_axes: self.required, best, checks, host }
    }
}

impl Default for Doctor {
    fn default() -> Self {
        Doctor::new()
    }
}

/// Off the async threads, because it waits for processes.
async fn gather(owners: Option<Arc<OwnerRegistry>>) -> HostFacts {
    match tokio::task::spawn_blocking({
        let owners = owners.clone();
        move || HostFacts::gather(owners.as_ref())
    })
    .await
    {
        Ok(facts) => facts,
        // The runtime is going down; the facts are cheap enough to be had here.
        Err(_) => HostFacts::gather(owners.as_ref()),
    }
}

/// What probing the sandbox answered.
pub(super) type Tried = Result<Standing, LaunchError>;
