//! Supervised processes without a sandbox.

use std::sync::Arc;

use execres_core::{Enforcement, IsolationReport, LimitReport, Limits, Mechanism, NetworkMode};

use crate::error::LaunchError;
use crate::profile::Profile;
use crate::run::Run;
use crate::sandbox::Sandbox;
use crate::step::Step;

impl Sandbox {
    /// Starts a run that is **not** isolated: it has the host's identity, files and network. What it keeps of a sandbox is
    /// supervision: bounded output, deadlines, limits, an environment that holds only what is given, no inherited descriptors,
    /// and the end of its tree.
    ///
    /// The tree is ended as far as a host without namespaces allows: processes that leave their parent and their session
    /// come to the run's init, which kills them until none is left. A process that forks and ends without pause can keep
    /// ahead of that for a while, and one that outlives a killed init is not found; neither can happen in a sandbox.
    ///
    /// Paths and working directories of the steps are those of the host.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing has run then.
    ///
    /// # Cancel safety
    /// As for [`Sandbox::launch`].
    pub async fn launch_unconfined(self: &Arc<Self>, limits: &Limits, steps: Vec<Step>) -> Result<Run, LaunchError> {
        self.launch(&Profile::unconfined().with_limits(limits.clone()), steps).await
    }

    /// What is known of unconfined runs without trying: no axis holds.
    pub fn unconfined_report(&self) -> IsolationReport {
        let mut report = IsolationReport::none(NetworkMode::Inherited);
        let limit = |limit: &'static str, enforcement, mechanism: &'static str| LimitReport {
            limit: limit.into(),
            enforcement,
            mechanism: mechanism.into(),
        };
        report.limits = vec![
            limit(
                "memory",
                Enforcement::Polled,
                "a cgroup where the host lets us make one, else RLIMIT_DATA for each process",
            ),
            limit("processes", Enforcement::None, "the host's own limit"),
            limit("cpu_time", Enforcement::Enforced, "RLIMIT_CPU, for each process"),
            limit("wall_time", Enforcement::Enforced, "init, by the monotonic clock"),
            limit("file_size", Enforcement::Enforced, "RLIMIT_FSIZE"),
            limit("open_files", Enforcement::Enforced, "RLIMIT_NOFILE"),
            limit("scratch", Enforcement::None, "the host's disk"),
            limit("output", Enforcement::Enforced, "the run is ended at the hard cap"),
        ];
        report.mechanisms = vec![Mechanism { name: "supervision".into(), state: "subreaper sweep".into() }];
        report
    }
}
