//! Why a run did not start.

use std::io;
use std::path::PathBuf;

use crate::profile::ProfileError;

/// Why a run did not start. Nothing of the guest's ran.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// This system or machine has no sandbox.
    #[error("there is no native sandbox here: it needs Linux on x86-64 or aarch64")]
    Unsupported,
    /// User namespaces are switched off or restricted.
    #[error("this host does not let programs make the namespaces of a sandbox ({cause}); {remedy}")]
    UserNamespaces {
        /// What the kernel answered, and where.
        cause: String,
        /// What to do.
        remedy: &'static str,
    },
    /// The guest could only get the identity of the host's root.
    #[error(
        "the sandbox would run with the identity of the host's root: this process is root but may not map other user ids; \
         start it as an ordinary user, or give it CAP_SETUID and CAP_SETGID"
    )]
    RootIdentity,
    /// The launcher could not be started.
    #[error("the launcher could not be started: {source}")]
    Start {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The launcher, which is run from memory, could not be started under the AppArmor profile of this program.
    #[error(
        "the launcher could not be started: {source}; the AppArmor profile that this program runs under does not let it run \
         a program from memory: give the profile `flags=(attach_disconnected)`, or run the program unconfined"
    )]
    AppArmorExec {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The kernel is told to run no program from memory.
    #[error(
        "the launcher could not be started: {source}; `vm.memfd_noexec` is 2 here, so no program is run from memory: \
         `sudo sysctl -w vm.memfd_noexec=1` allows those that say that they are programs"
    )]
    MemfdNoexec {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The launcher answered with an error.
    #[error("the launcher failed {stage}: {source}")]
    Launcher {
        /// At what.
        stage: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The launcher is gone or does not answer.
    #[error("the launcher does not answer: {source}")]
    LauncherGone {
        /// What was seen.
        source: io::Error,
    },
    /// The guest's root could not be built.
    #[error("the sandbox's root could not be built at {path:?} ({stage}): {source}")]
    Root {
        /// Which part of it.
        path: PathBuf,
        /// At what.
        stage: &'static str,
        /// The kernel's answer.
        source: io::Error,
    },
    /// This host mounts no overlay for ordinary users.
    #[error("this host does not let a sandbox lay a writable layer over a directory: {source}")]
    Overlay {
        /// The kernel's answer.
        source: io::Error,
    },
    /// There is neither a namespace nor Landlock.
    #[error(
        "this kernel has no Landlock, without which a run that has no namespaces is not confined; start the kernel with \
         `lsm=landlock,…`, or allow user namespaces"
    )]
    NoLandlock,
    /// This host refuses a `/proc` of the sandbox's own.
    #[error(
        "this host does not let a sandbox mount a /proc of its own ({source}), most likely because parts of the host's are \
         masked, as in a container; give the container an unmasked one (for Docker: `--security-opt systempaths=unconfined`), \
         or let the sandbox stand on the rung `empty_proc`"
    )]
    PrivateProc {
        /// The kernel's answer.
        source: io::Error,
    },
    /// The request is too large or malformed.
    #[error("the request cannot be launched: {reason}")]
    Request {
        /// What is wrong with it.
        reason: String,
    },
    /// A profile could not be made.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A file of `/proc` that says who we are could not be read.
    #[error("{path} cannot be read: {source}")]
    Proc {
        /// Which.
        path: PathBuf,
        /// The kernel's answer.
        source: io::Error,
    },
    /// The probe of the profile could not be carried out, so nothing is known about its isolation.
    #[error("the sandbox could not be probed: {reason}")]
    Probe {
        /// What went wrong.
        reason: String,
    },
}

impl LaunchError {
    /// Whether this host allows no run on this rung of the ladder, but may allow one on a lower rung.
    pub(crate) const fn is_about_the_host(&self) -> bool {
        matches!(self, LaunchError::UserNamespaces { .. } | LaunchError::PrivateProc { .. })
    }

    /// What to do about it, where that depends on the host.
    pub const fn remedy(&self) -> Option<&'static str> {
        match self {
            LaunchError::UserNamespaces { remedy, .. } => Some(remedy),
            LaunchError::PrivateProc { .. } => {
                Some("give the container an unmasked /proc (for Docker: `--security-opt systempaths=unconfined`)")
            }
            _ => None,
        }
    }

    /// The stable code of this error.
    pub const fn code(&self) -> &'static str {
        match self {
            LaunchError::Unsupported => "isolation.unsupported",
            LaunchError::UserNamespaces { .. } => "isolation.user_namespaces_restricted",
            LaunchError::RootIdentity => "isolation.root_identity",
            LaunchError::Start { .. } => "isolation.launcher_start_failed",
            LaunchError::AppArmorExec { .. } => "isolation.apparmor_exec_refused",
            LaunchError::MemfdNoexec { .. } => "isolation.memfd_noexec",
            LaunchError::Launcher { .. } => "isolation.launcher_failed",
            LaunchError::LauncherGone { .. } => "isolation.launcher_gone",
            LaunchError::Root { .. } => "isolation.root_failed",
            LaunchError::Overlay { .. } => "isolation.overlay_refused",
            LaunchError::NoLandlock => "isolation.no_landlock",
            LaunchError::PrivateProc { .. } => "isolation.private_proc_refused",
            LaunchError::Request { .. } => "isolation.request_invalid",
            LaunchError::Profile(error) => error.code(),
            LaunchError::Proc { .. } => "isolation.proc_unreadable",
            LaunchError::Probe { .. } => "isolation.probe_failed",
        }
    }
}
