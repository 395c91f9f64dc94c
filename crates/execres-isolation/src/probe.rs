//! Live probes: every profile shape is tried out in the real launcher before it is called isolated.

mod canaries;
mod fingerprint;
mod judge;
mod observe;
mod store;

use std::sync::Arc;

use execres_core::{IsolationReport, Mechanism, Verdict};

use crate::error::LaunchError;
use crate::launcher::Launcher;
use crate::profile::Profile;
use crate::sandbox::Sandbox;
use canaries::Canaries;
use fingerprint::fingerprint;
use observe::observe;

pub use canaries::ProbeReaper;
pub(crate) use store::DIRECTORY;

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
        let stored = self.owners().and_then(|owners| store::load(owners, &key));
        let report = match stored {
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

    fn probe(self: &Arc<Self>, shape: &Profile) -> Result<IsolationReport, LaunchError> {
        let mut launcher = self.take_launcher(shape)?;
        let observed = Canaries::set_out(launcher.identity, self.owners()).and_then(|canaries| {
            let observed = observe(self, &mut launcher, shape, &canaries)?;
            Ok((canaries, observed))
        });
        let mechanisms = self.mechanisms(shape, &launcher);
        let limits = self.limit_reports(&launcher);
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
        let abi = self.landlock().abi();
        vec![
            mechanism("namespaces", "user, pid, mount, ipc, uts, cgroup, network".to_owned()),
            mechanism("identity", identity),
            mechanism("groups", groups),
            mechanism("landlock", if abi > 0 { format!("ABI {abi}") } else { "not available".to_owned() }),
            mechanism(
                "seccomp",
                crate::filter::compile(shape.network)
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
