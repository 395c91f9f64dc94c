//! One launcher process as the host sees it: set up once, then one run at a time.

use std::ffi::CString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::Arc;
use std::time::Duration;

use execres_owner::{OwnerRegistry, Registration};
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::process::Signal;

use crate::cgroup::{Parent, Slot};
use crate::error::LaunchError;
use crate::identity::Identity;
use crate::leftover;
use crate::sys::protocol::*;
use crate::sys::socket::{self, Message, Wait};
use crate::sys::start;

/// How long a launcher may take to answer. Generous: it tells a busy machine from a hung launcher.
const ANSWER: Duration = Duration::from_secs(20);

/// How long the end of a launcher waits for the end of its last run, which was told to end long before.
const ENDING: Duration = Duration::from_millis(200);

/// Bytes of an earlier run's files that the next run is not refused a launcher for.
const NEGLIGIBLE: u64 = 1 << 20;

/// What two runs must agree on to share a launcher: its outer namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Outer {
    Empty,
    Inherited,
    /// None at all, but an identity for its guests.
    Bare,
    /// Not a sandbox at all: the launcher only supervises.
    Unconfined,
}

/// A launcher process.
#[derive(Debug)]
pub(crate) struct Launcher {
    process: start::Launcher,
    pub(crate) slot: Option<Slot>,
    pub(crate) identity: Identity,
    pub(crate) outer: Outer,
    /// The init of the last run; the launcher is free once it is gone.
    busy: Option<OwnedFd>,
    /// Struck off when it is gone.
    registration: Option<Registration>,
    /// Whether memory of an earlier run may still be charged here: files in directories that the host holds, and what the kernel
    /// frees after the last process of a namespace is gone, such as SysV segments.
    used: bool,
    /// Only the process that started it may use it; a fork of the host has only copies of the descriptors.
    host: rustix::process::Pid,
}

/// A process that the launcher forked.
#[derive(Debug)]
pub(crate) struct Child {
    pub(crate) pid: i32,
    pub(crate) pidfd: OwnedFd,
}

impl Launcher {
    pub(crate) fn start(
        outer: Outer,
        cgroups: Option<&Parent>,
        owners: Option<&Arc<OwnerRegistry>>,
    ) -> Result<Self, LaunchError> {
        if start::image().is_none() {
            return Err(LaunchError::Unsupported);
        }
        let identity = match outer {
            Outer::Unconfined => Identity::own(),
            Outer::Empty | Outer::Inherited | Outer::Bare => Identity::next()?,
        };
        let mark = owners.map_or_else(|| "unregistered".to_owned(), |owners| owners.mark().instance.to_string());
        let mark = CString::new(mark).map_err(|error| LaunchError::Start { source: error.into() })?;
        let process = start::start(&mark).map_err(|source| match source.raw_os_error() {
            Some(libc::EACCES) if is_confined_by_apparmor() => LaunchError::AppArmorExec { source },
            Some(libc::EACCES) if forbids_programs_in_memory() => LaunchError::MemfdNoexec { source },
            _ => LaunchError::Start { source },
        })?;
        set_socket_timeout(&process.socket, Timeout::Recv, Some(ANSWER))
            .map_err(|error| LaunchError::Start { source: error.into() })?;

        // It ends by itself when this process does. It is registered for the case that somebody stopped it before.
        let registration = owners.and_then(|owners| leftover::register(owners, process.pid));

        // Moved before the namespaces are made, so that its cgroup namespace has the slot as its root.
        let slot = cgroups.and_then(|parent| parent.slot(owners)).filter(|slot| match slot.adopt(process.pid) {
            Ok(()) => true,
            Err(error) => {
                tracing::debug!(%error, "no memory controller for the launcher; memory will be polled");
                false
            }
        });
        let launcher = Launcher {
            process,
            slot,
            identity,
            outer,
            busy: None,
            used: false,
            registration,
            host: rustix::process::getpid(),
        };
        let (mut flags, uid, gid) = identity.setup();
        match outer {
            Outer::Empty => {}
            Outer::Inherited => flags |= SETUP_INHERIT_NETWORK,
            Outer::Bare | Outer::Unconfined => flags |= SETUP_BARE,
        }
        launcher.ask(&[SETUP, flags, uid, gid], &[])?;
        Ok(launcher)
    }

    /// Whether it can take a run now.
    pub(crate) fn is_free(&mut self) -> bool {
        if self.host != rustix::process::getpid() || has_ended(self.process.pidfd.as_fd()) {
            return false;
        }
        if self.busy.as_ref().is_some_and(|init| !has_ended(init.as_fd())) {
            return false;
        }
        self.busy = None;
        if self.used {
            self.used = self.slot.as_ref().is_some_and(|slot| slot.shared_memory() > NEGLIGIBLE);
        }
        !self.used
    }

    /// Whether it will never take a run again.
    pub(crate) fn is_gone(&self) -> bool {
        self.host != rustix::process::getpid() || has_ended(self.process.pidfd.as_fd())
    }

    /// Forks the init of a run.
    pub(crate) fn run(&mut self, flags: u32, fds: &[BorrowedFd<'_>]) -> Result<Child, LaunchError> {
        let child = self.fork(&[RUN, flags], fds)?;
        self.used = true;
        let again = child.pidfd.try_clone().map_err(|source| LaunchError::LauncherGone { source })?;
        self.busy = Some(again);
        Ok(child)
    }

    /// Forks a sacrifice that listens on this abstract name.
    pub(crate) fn sacrifice(&mut self, name: &str, report: BorrowedFd<'_>) -> Result<Child, LaunchError> {
        let id = match self.identity {
            // In the namespace of an ordinary user it has that user's id, whatever it is called there.
            Identity::Own { .. } => KEEP_IDENTITY,
            Identity::Range { .. } => self.identity.to_take(self.outer != Outer::Bare),
        };
        let mut words = vec![SACRIFICE, id, name.len() as u32];
        for chunk in name.as_bytes().chunks(4) {
            words.push(chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte)));
        }
        self.fork(&words, &[report])
    }

    fn fork(&self, words: &[u32], fds: &[BorrowedFd<'_>]) -> Result<Child, LaunchError> {
        let answer = self.ask(words, fds)?;
        let gone = || LaunchError::LauncherGone { source: io::ErrorKind::InvalidData.into() };
        let pid = i32::try_from(answer.words[1]).map_err(|_| gone())?;
        let pidfd = answer.fds.into_iter().next().ok_or_else(gone)?;
        Ok(Child { pid, pidfd })
    }

    fn ask(&self, words: &[u32], fds: &[BorrowedFd<'_>]) -> Result<Message, LaunchError> {
        let gone = |error: rustix::io::Errno| match error {
            // The launcher is fine, and no message with descriptors reaches it.
            rustix::io::Errno::TOOMANYREFS => LaunchError::Launcher {
                stage: "while its request was sent: descriptors of this user wait in too many sockets",
                source: error.into(),
            },
            _ => LaunchError::LauncherGone { source: error.into() },
        };
        socket::send(&self.process.socket, words, fds).map_err(gone)?;
        let answer = socket::receive(&self.process.socket, Wait::Blocking)
            .map_err(gone)?
            .ok_or(LaunchError::LauncherGone { source: io::ErrorKind::UnexpectedEof.into() })?;
        match answer.words[0] {
            READY | STARTED => Ok(answer),
            _ => Err(failure(answer.words[1], answer.words[2])),
        }
    }
}

impl Drop for Launcher {
    fn drop(&mut self) {
        if self.host != rustix::process::getpid() {
            // In a fork of the host these are copies; the launcher is not ours to end.
            return;
        }
        // The run that it may still have ends first, so that the launcher collects it and the cgroup is empty afterwards. Its
        // children have the launcher's death as their own in any case. Without a PID namespace init is the only one that can
        // end the tree, and does so by itself when its run is let go.
        let has_pid_namespace = matches!(self.outer, Outer::Empty | Outer::Inherited);
        if let Some(init) = self.busy.take().filter(|_| has_pid_namespace)
            && rustix::process::pidfd_send_signal(&init, Signal::KILL).is_ok()
        {
            let time = Timespec { tv_sec: 0, tv_nsec: ENDING.subsec_nanos().into() };
            if let Err(error) = rustix::event::poll(&mut [PollFd::new(&init, PollFlags::IN)], Some(&time)) {
                tracing::debug!(%error, "the end of a run could not be waited for");
            }
        }
        // It is a few pages with one thread, so the kernel is done with it at once.
        match rustix::process::pidfd_send_signal(&self.process.pidfd, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => {
                start::reap(&self.process.pidfd);
                if let Some(registration) = self.registration.take()
                    && let Err(error) = registration.release()
                {
                    tracing::debug!(%error, "a launcher that is gone stays in the register until it is reaped");
                }
            }
            Err(error) => tracing::debug!(%error, "a launcher could not be ended"),
        }
    }
}

/// Whether the process behind a pidfd is gone. Every process of a PID namespace is gone before its init is.
pub(crate) fn has_ended(pidfd: BorrowedFd<'_>) -> bool {
    let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
    rustix::event::poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })).is_ok_and(|ready| ready > 0)
}

/// What the launcher's error means.
fn failure(stage: u32, errno: u32) -> LaunchError {
    let source = io::Error::from_raw_os_error(errno as i32);
    match stage {
        STAGE_USER_NAMESPACE | STAGE_CAPABILITY => {
            LaunchError::UserNamespaces { cause: format!("{}: {source}", stage_name(stage)), remedy: remedy() }
        }
        STAGE_MAP | STAGE_NAMESPACES | STAGE_CLONE if errno as i32 == libc::EPERM || errno as i32 == libc::EACCES => {
            LaunchError::UserNamespaces { cause: format!("{}: {source}", stage_name(stage)), remedy: remedy() }
        }
        _ => LaunchError::Launcher { stage: stage_name(stage), source },
    }
}

/// What to do about restricted user namespaces, by what the host says of itself.
fn remedy() -> &'static str {
    let setting = |path: &str| std::fs::read_to_string(path).map(|text| text.trim().to_owned()).unwrap_or_default();
    if setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1" {
        "AppArmor restricts unprivileged user namespaces here, as Ubuntu does since 24.04: allow them for this program with \
         a profile (`profile execres /path/to/execres flags=(unconfined) { userns, }` in /etc/apparmor.d/execres, then \
         `sudo apparmor_parser -r /etc/apparmor.d/execres`), or for all programs with \
         `sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`"
    } else if setting("/proc/sys/kernel/unprivileged_userns_clone") == "0" {
        "unprivileged user namespaces are switched off: `sudo sysctl -w kernel.unprivileged_userns_clone=1` allows them"
    } else if setting("/proc/sys/user/max_user_namespaces") == "0" {
        "no user namespace may be made: `sudo sysctl -w user.max_user_namespaces=15000` allows them"
    } else if is_confined_by_apparmor() {
        "the AppArmor profile that this program runs under refuses it (`cat /proc/self/attr/apparmor/current` names the \
         profile): it needs the rules `capability,`, `mount,`, `umount,`, `pivot_root,` and, where AppArmor knows it, \
         `userns,`; or run the program unconfined"
    } else {
        "in a container, allow user namespaces in its seccomp profile (for Docker: `--security-opt seccomp=unconfined` or a \
         profile that allows unshare, clone and mount); on a hardened kernel, ask its administrator"
    }
}

/// Whether an AppArmor profile is in force on this process. A kernel without AppArmor has no such file.
fn is_confined_by_apparmor() -> bool {
    std::fs::read_to_string("/proc/self/attr/apparmor/current").is_ok_and(|label| is_confining(&label))
}

/// Whether the kernel is told to run no program from memory.
fn forbids_programs_in_memory() -> bool {
    std::fs::read_to_string("/proc/sys/vm/memfd_noexec").is_ok_and(|setting| setting.trim() == "2")
}

fn is_confining(label: &str) -> bool {
    let label = label.trim();
    !label.is_empty() && label != "unconfined" && !label.ends_with("(unconfined)")
}

pub(crate) fn stage_name(stage: u32) -> &'static str {
    match stage {
        STAGE_MAP => "writing the id map of a user namespace",
        STAGE_USER_NAMESPACE => "making a user namespace",
        STAGE_NAMESPACES => "making namespaces",
        STAGE_CAPABILITY => "using a capability inside a user namespace",
        STAGE_CLONE => "forking the init of a run",
        STAGE_BLOB => "reading the request",
        STAGE_SOURCE => "opening a granted path",
        STAGE_SOURCE_CHANGED => "a granted path is no longer what it was",
        STAGE_IDENTITY => "taking the guest's identity",
        STAGE_ROOT => "building the root",
        STAGE_PIVOT => "entering the root",
        STAGE_LANDLOCK => "making the Landlock ruleset",
        STAGE_HAND_UP => "opening a directory of the run",
        STAGE_LOOPBACK => "bringing up the loopback interface",
        STAGE_FORK => "forking",
        _ => "doing something unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_that_confines_is_told_from_one_that_does_not() {
        for label in ["unconfined\n", "", "firefox (unconfined)\n"] {
            assert!(!is_confining(label), "{label:?}");
        }
        for label in ["docker-default (enforce)\n", "agent (complain)\n", "agent"] {
            assert!(is_confining(label), "{label:?}");
        }
    }
}
