//! From what was observed to verdicts. Proof needs what the host saw; a leak is believed from anybody.

mod files;
mod privileges;
mod processes;
mod system_calls;

use execres_core::{Attempt, Axis, AxisEvidence, IsolationReport, NetworkMode, Verdict};

use super::canaries::Canaries;
use super::observe::Observed;
use crate::error::LaunchError;
use crate::identity::Identity;
use crate::profile::Profile;
use crate::sys::protocol::attempt;

/// One probe's case.
struct Case<'a> {
    canaries: &'a Canaries,
    seen: &'a Observed,
    shape: &'a Profile,
    landlock: i32,
    identity: Identity,
}

pub(super) fn judge(
    canaries: &Canaries,
    seen: &Observed,
    shape: &Profile,
    landlock: i32,
    identity: Identity,
) -> Result<IsolationReport, LaunchError> {
    let case = Case { canaries, seen, shape, landlock, identity };
    let evidence = vec![
        AxisEvidence { axis: Axis::ProcessContained, attempts: case.processes() },
        AxisEvidence { axis: Axis::HostFilesystemRestricted, attempts: case.files() },
        AxisEvidence { axis: Axis::PrivilegeEscalationBlocked, attempts: case.privileges() },
        AxisEvidence { axis: Axis::SyscallsRestricted, attempts: case.system_calls()? },
    ];
    let mut report = IsolationReport::new(uuid::Uuid::new_v4().to_string(), shape.network, evidence);
    report.facts = case.facts();
    Ok(report)
}

fn verified(name: &'static str, observed: impl Into<String>) -> Attempt {
    Attempt::new(name, Verdict::Verified, observed)
}

fn leaked(name: &'static str, observed: impl Into<String>) -> Attempt {
    Attempt::new(name, Verdict::NotEnforced, observed)
}

fn unproven(name: &'static str, why: impl Into<String>) -> Attempt {
    let why = why.into();
    Attempt::new(name, Verdict::Inconclusive { why: why.clone() }, why)
}

fn errno_name(errno: i32) -> String {
    match errno {
        0 => "success".into(),
        libc::EPERM => "EPERM".into(),
        libc::ENOENT => "ENOENT".into(),
        libc::ESRCH => "ESRCH".into(),
        libc::EACCES => "EACCES".into(),
        libc::EROFS => "EROFS".into(),
        libc::ENOSYS => "ENOSYS".into(),
        libc::ECONNREFUSED => "ECONNREFUSED".into(),
        libc::EAFNOSUPPORT => "EAFNOSUPPORT".into(),
        libc::ENETUNREACH => "ENETUNREACH".into(),
        libc::EINVAL => "EINVAL".into(),
        other => format!("errno {other}"),
    }
}

impl Case<'_> {
    /// What the guest says of an attempt; `None` when it never made it.
    fn said(&self, what: u32) -> Option<i32> {
        self.seen.said.get(&what).map(|(errno, _)| *errno)
    }

    fn said_in_words(&self, what: u32) -> String {
        self.said(what).map_or_else(
            || "the guest did not get to it".into(),
            |errno| format!("the guest got {}", errno_name(errno)),
        )
    }

    /// The control of an attempt: the same done from outside by a process with the guest's identity.
    fn control(&self, which: usize) -> Result<(), String> {
        match self.seen.control.errnos.map(|errnos| errnos[which]) {
            Some(0) => Ok(()),
            Some(errno) => Err(format!("the control outside got {} as well", errno_name(errno as i32))),
            None => Err("the control outside did not answer".into()),
        }
    }

    /// An attempt whose effect the host looks for: an effect is a leak, no effect is proof when the control had one.
    fn by_effect(
        &self,
        name: &'static str,
        what: u32,
        effect: bool,
        control: Result<(), String>,
        seen: &str,
    ) -> Attempt {
        if effect {
            return leaked(name, format!("{seen}: yes; {}", self.said_in_words(what)));
        }
        match (self.said(what), control) {
            (None, _) => unproven(name, "the guest did not get to it"),
            (Some(0), _) => leaked(name, format!("{seen}: no; but the guest says that it worked")),
            (_, Err(why)) => unproven(name, why),
            (_, Ok(())) => verified(name, format!("{seen}: no; {}", self.said_in_words(what))),
        }
    }

    /// Where the host has nothing to look at, the word of the guest stands beside what the host saw of its capabilities.
    fn by_word(&self, name: &'static str, what: u32) -> Attempt {
        match self.said(what) {
            Some(0) => leaked(name, "the guest says that it worked"),
            Some(errno) => verified(name, format!("the guest got {}", errno_name(errno))),
            None => unproven(name, "the guest did not get to it"),
        }
    }

    fn facts(&self) -> Vec<Attempt> {
        let mut facts = Vec::new();
        let by = |name: &'static str, attempts: &[Attempt], wanted: &dyn Fn(&str) -> bool| {
            let relevant: Vec<&Attempt> = attempts.iter().filter(|attempt| wanted(&attempt.name)).collect();
            match relevant.iter().find(|attempt| !attempt.verdict.proves()) {
                Some(failed) => {
                    Attempt::new(name, failed.verdict.clone(), format!("{}: {}", failed.name, failed.observed))
                }
                None => verified(name, format!("no effect; attempts: {}", relevant.len())),
            }
        };
        let files = self.files();
        facts.push(by("host_reads_restricted", &files, &|name| name == "read_outside"));
        facts.push(by("host_writes_restricted", &files, &|name| name != "read_outside"));
        // Nothing of it shows on the host, so the guest's word is all there is: it can accuse, and this is no axis.
        facts.push(self.by_word("see_names_and_sizes_outside", attempt::STAT_OUTSIDE));
        let name = "connect_to_host_loopback";
        facts.push(match (self.shape.network, self.seen.reached.tcp) {
            (NetworkMode::Inherited, true) => {
                leaked(name, "a connection reached a listener of the host, as this network mode allows")
            }
            (_, true) => leaked(name, "a connection reached a listener of the host"),
            (_, false) => {
                self.by_effect(name, attempt::TCP_HOST, false, Ok(()), "a connection reached a listener of the host")
            }
        });
        facts
    }
}
