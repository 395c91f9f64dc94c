//! User namespaces: whether they can be made and used, and which setting decides it.

use std::io;

use serde::Serialize;

use super::rehearsal::Rehearsal;
use super::setting;

/// What became of making the namespaces of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "result")]
#[non_exhaustive]
pub enum NamespaceTrial {
    /// They were made, and a capability worked in them.
    Worked,
    /// The kernel or a policy refused.
    Refused {
        /// What was being done.
        stage: &'static str,
        /// The kernel's answer.
        why: String,
    },
    /// It could not be tried.
    NotTried {
        /// Why not.
        why: String,
    },
}

/// Settings that restrict user namespaces. `None` where the kernel has no such setting.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NamespaceSettings {
    /// `kernel.apparmor_restrict_unprivileged_userns`, of Ubuntu since 23.10: 1 lets only programs with an AppArmor profile
    /// that says `userns` use them.
    pub apparmor_restricts: Option<u64>,
    /// `kernel.unprivileged_userns_clone`, of Debian and Arch: 0 lets only root make them.
    pub unprivileged_clone: Option<u64>,
    /// `user.max_user_namespaces`: how many each user may have.
    pub most: Option<u64>,
}

/// User namespaces on this host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NamespaceFacts {
    /// What became of trying.
    pub trial: NamespaceTrial,
    /// What the host has set.
    pub settings: NamespaceSettings,
}

impl NamespaceFacts {
    pub(super) fn try_with(rehearsal: io::Result<Rehearsal>) -> Self {
        let trial = match rehearsal {
            Ok(rehearsal) => rehearsal.make_namespaces(),
            Err(error) => NamespaceTrial::NotTried { why: format!("the launcher could not be started: {error}") },
        };
        NamespaceFacts { trial, settings: NamespaceSettings::of_this_host() }
    }
}

impl NamespaceSettings {
    fn of_this_host() -> Self {
        NamespaceSettings {
            apparmor_restricts: setting::number("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"),
            unprivileged_clone: setting::number("/proc/sys/kernel/unprivileged_userns_clone"),
            most: setting::number("/proc/sys/user/max_user_namespaces"),
        }
    }
}
