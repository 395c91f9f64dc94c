//! Live probes: every profile shape is tried out in the real launcher before it is called isolated.

mod canaries;
mod fingerprint;
mod judge;
mod observe;
mod store;

use std::sync::Arc;

use execres_core::{Axis, IsolationReport, Mechanism, Verdict};

use crate::error::LaunchError;
use crate::launcher::Launcher;
use crate::profile::Profile;
use crate::rung::Rung;
use crate::sandbox::{Recall, Sandbox, filter_shape};
use canaries::Canaries;
use fingerprint::fingerprint;
use observe::observe;

pub use canaries::ProbeReaper;
pub(crate) use store::DIRECTORY;

/// Where on the ladder a host stands.
#[derive(Debug)]
#[non_exhaustive]
pub struct Standing {
    /// The best rung that it allows.
    pub rung: Rung,
    /// The evidence on that rung.
    pub report: Arc<IsolationReport>,
    /// What keeps it from the best rung of all; `None` when it stands there.
    pub why_not_better: Option<LaunchError>,
}

impl Sandbox {
    /// The evidence for this profile's shape on this host: from memory, or from the state directory of the owner, or tried out
    /// now. It is tried out again when anything changed that it depends on: the shape, who this process is and in which
    /// namespaces, the kernel's settings, the mounts that a guest would find, the launcher, this program, the boot.
    ///
    /// Grants do not take part: each is checked when a run is launched.
    ///
    /// # Errors
    /// [`LaunchError`] when the profile cannot be launched or tried out.
    ///
    /// # Cancel safety
    /// Dropping the future ends the probe.
    pub async fn evidence(self: &Arc<Self>, profile: &Profile) -> Result<Arc<IsolationReport>, LaunchError> {
        let key = fingerprint(self, profile);
        // Held through the probe, so that many runs that start at once are probed once.
        let mut known = self.evidence.lock().await;
        if let Some(report) = known.get(&key) {
            return Ok(Arc::clone(report));
        }
        let stored =
            self.owners().filter(|_| self.recall == Recall::Stored).and_then(|owners| store::load(owners, &key));
        // What cannot be is not believed, wherever it stands.
        let can_be = |report: &IsolationReport| {
            profile.confinement.has_pid_namespace() || !report.axes().contains(Axis::ProcessContained)
        };
        let report = match stored.filter(can_be) {
            Some(report) => Arc::new(report),
            None => {
                let sandbox = Arc::clone(self);
                let shape = Profile { mounts: Vec::new(), ..profile.clone() };
                let report = tokio::task::spawn_blocking(move || sandbox.probe(&shape))
                    .await
                    .map_err(|error| LaunchError::Probe { reason: error.to_string() })??;
                if !is_conclusive(&report) {
                    // A machine that was too busy to answer is asked again the next time.
                    return Ok(Arc::new(report));
                }
                if let Some(owners) = self.owners() {
                    store::save(owners, &key, &report);
                }
                Arc::new(report)
            }
        };
        known.insert(key, Arc::clone(&report));
        Ok(report)
    }

    /// The best rung of the ladder that this host allows for the shape of this profile, and the evidence on it. The profile's own
    /// rung does not matter, and neither do its grants: on [`Rung::NoNamespaces`] those that need mounts are refused when the run
    /// is launched. Give the answer to [`Profile::on_rung`]; what it lets hold, the evidence says.
    ///
    /// # Errors
    /// What keeps this host from the best rung, when it allows none.
    ///
    /// # Cancel safety
    /// Dropping the future ends the probe.
    pub async fn best_rung(self: &Arc<Self>, profile: &Profile) -> Result<Standing, LaunchError> {
        let mut why_not_better = None;
        for rung in Rung::ALL {
            match self.evidence(&profile.clone().on_rung(rung)).await {
                Ok(report) => return Ok(Standing { rung, report, why_not_better }),
                Err(error) if error.is_about_the_host() => why_not_better = why_not_better.or(Some(error)),
                Err(error) => return Err(why_not_better.unwrap_or(error)),
            }
        }
        Err(why_not_better.unwrap_or(LaunchError::Unsupported))
    }

    fn probe(self: &Arc<Self>, shape: &Profile) -> Result<IsolationReport, LaunchError> {
        let mut launcher = self.take_launcher(shape)?;
        let observed = Canaries::set_out(launcher.identity, self.owners()).and_then(|canaries| {
            let observed = observe(self, &mut launcher, shape, &canaries)?;
            Ok((canaries, observed))
        });
        let mechanisms = self.mechanisms(shape, &launcher);
        let limits = self.limit_reports(shape, &launcher);
        let identity = launcher.identity;
        self.put_back(launcher);
        let (canaries, observed) = observed?;
        let mut report = judge::judge(&canaries, &observed, shape, self.landlock().abi(), identity)?;
        report.mechanisms = mechanisms;
        report.limits = limits;
        Ok(report)
    }

    fn mechanisms(&self, shape: &Profile, launcher: &Launcher) -> Vec<Mechanism> {
        let mechanism = |name: &'static str, state: String| Mechanism { name: name.into(), state };
        let identity = match launcher.identity {
            crate::identity::Identity::Own { uid, .. } => format!("user {uid}, the caller's own"),
            crate::identity::Identity::Range { id } => format!("user {id}, which nobody else has"),
        };
        let groups = rustix::process::getgroups().map_or(0, |groups| groups.len());
        let groups = match launcher.identity {
            crate::identity::Identity::Range { .. } => "supplementary groups dropped".to_owned(),
            crate::identity::Identity::Own { .. } if groups == 0 => "no supplementary groups".to_owned(),
            crate::identity::Identity::Own { .. } => {
                format!("{groups} supplementary groups stay: the kernel lets only a privileged host drop them")
            }
        };
        let rung = shape.rung();
        let namespaces = match rung {
            Rung::Full | Rung::EmptyProc => "user, pid, mount, ipc, uts, cgroup, network",
            Rung::NoNamespaces => "none",
        };
        vec![
            mechanism(crate::rung::MECHANISM, rung.as_str().to_owned()),
            mechanism("namespaces", namespaces.to_owned()),
            mechanism("identity", identity),
            mechanism("groups", groups),
            mechanism("landlock", self.landlock().in_words()),
            mechanism(
                "seccomp",
                crate::filter::filter_of(filter_shape(shape))
                    .map_or_else(|error| error.to_string(), |filter| format!("{} instructions", filter.len())),
            ),
            mechanism(
                "launcher",
                if launcher.slot.is_some() { "in a cgroup of its own" } else { "in the host's cgroup" }.into(),
            ),
        ]
    }
}

/// Whether every attempt came to an end, whatever it was.
fn is_conclusive(report: &IsolationReport) -> bool {
    let attempts = report.evidence.iter().flat_map(|evidence| &evidence.attempts).chain(&report.facts);
    attempts.into_iter().all(|attempt| !matches!(attempt.verdict, Verdict::Inconclusive { .. }))
}
