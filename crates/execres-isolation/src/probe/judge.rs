//! From what was observed to verdicts. Proof needs what the host saw; a leak is believed from anybody.

use execres_core::{Attempt, Axis, AxisEvidence, IsolationReport, NetworkMode, Verdict};

use super::canaries::{Canaries, Canary};
use super::observe::{Observed, ProcessState};
use crate::error::LaunchError;
use crate::filter;
use crate::identity::Identity;
use crate::layer::Layer;
use crate::profile::{Confinement, Profile};
use crate::sandbox::filter_shape;
use crate::sys::kernel;
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

    fn processes(&self) -> Vec<Attempt> {
        let seen = self.seen;
        let signalled = !seen.signals.is_empty();
        let signal_control =
            if seen.control.signal_seen { Ok(()) } else { Err("the control signal was not seen".into()) };
        let (before, after) = &seen.changed;
        let changed_by_control = |field: fn(&ProcessState) -> &Option<String>, control: usize| {
            self.control(control).and_then(|()| {
                let seen_to_change = field(&seen.control.changed) != field(before);
                if seen_to_change { Ok(()) } else { Err("the control's change was not seen".to_owned()) }
            })
        };
        let mut attempts = vec![
            match (seen.marker_lived, seen.marker_left) {
                _ if !self.shape.confinement.has_pid_namespace() => leaked(
                    "outlive_the_run",
                    "without a PID namespace nothing ends a process that became another user's, or whose init was killed",
                ),
                (_, true) => {
                    leaked("outlive_the_run", "a process that left its session and its parent outlived the run")
                }
                (true, false) => verified(
                    "outlive_the_run",
                    "a process that left its session and its parent was alive, and gone after the run",
                ),
                (false, false) => unproven("outlive_the_run", "the process that was to outlive the run never lived"),
            },
            self.by_effect(
                "signal_host_process",
                attempt::SIGNAL_HOST,
                signalled,
                signal_control.clone(),
                "a signal reached a host process of the guest's own identity",
            ),
            self.by_effect(
                "signal_host_process_by_pidfd",
                attempt::PIDFD_HOST,
                signalled,
                signal_control,
                "a signal reached it through a pidfd",
            ),
            self.by_effect(
                "limit_host_process",
                attempt::LIMIT_HOST,
                before.core_limit != after.core_limit,
                changed_by_control(|state| &state.core_limit, 6),
                "its resource limits changed",
            ),
            self.by_effect(
                "slow_down_host_process",
                attempt::NICE_HOST,
                before.nice != after.nice,
                changed_by_control(|state| &state.nice, 7),
                "its priority changed",
            ),
            self.other_namespace(),
        ];
        // A run that has the host's network by its profile is not in a namespace of its own; what keeps it from the host's
        // abstract sockets then is Landlock, and the attempts below show whether it does.
        if self.shape.network != NetworkMode::Inherited {
            attempts.push(self.other_network());
        }
        let listening = self.control(2);
        let own_socket = if self.seen.control.socket_seen {
            listening.clone()
        } else {
            listening.clone().and(Err("the control connection was not seen".into()))
        };
        attempts.push(self.by_effect(
            "connect_to_host_socket",
            attempt::UNIX_PATH,
            seen.reached.socket,
            own_socket,
            "a connection reached a Unix socket of the host",
        ));
        // The host's own listener needs no control by the sacrifice: it is in another network namespace on purpose.
        attempts.push(self.by_effect(
            "connect_to_abstract_host_socket",
            attempt::ABSTRACT_HOST,
            seen.reached.abstract_socket,
            Ok(()),
            "a connection reached an abstract socket of the host",
        ));
        let twin =
            if seen.control.connection_seen { listening } else { Err("the control connection was not seen".into()) };
        attempts.push(self.by_effect(
            "connect_to_abstract_socket_of_another_run",
            attempt::ABSTRACT_TWIN,
            seen.connections > 0,
            twin,
            "a connection reached an abstract socket of the launcher's namespace",
        ));
        attempts.extend(self.ipc_object(
            "attach_host_sysv_memory",
            attempt::SYSV_SHM,
            &self.canaries.segment,
            seen.reached.segment,
            self.control(3),
            "the host's segment was written",
        ));
        attempts.extend(self.ipc_object(
            "write_host_posix_queue",
            attempt::POSIX_MQ,
            &self.canaries.queue,
            seen.reached.queue,
            self.control(4),
            "a message reached the host's queue",
        ));
        attempts
    }

    /// An attempt on an object of the host's. Where none could be set out, the namespace that would keep the guest from it is
    /// looked at, so that nobody can take a sandbox away by using up what the machine has of them.
    fn ipc_object<T>(
        &self,
        name: &'static str,
        what: u32,
        canary: &Canary<T>,
        reached: bool,
        control: Result<(), String>,
        seen: &str,
    ) -> Option<Attempt> {
        let own = std::fs::read_link("/proc/self/ns/ipc").ok();
        match (canary, &self.seen.ipc_namespace) {
            (Canary::NoSuchThing, _) => None,
            (Canary::Made(_), _) => Some(self.by_effect(name, what, reached, control, seen)),
            (Canary::None { why }, Some(guest)) if Some(guest) != own.as_ref() => {
                Some(verified(name, format!("{why}; the host sees the guest in another IPC namespace")))
            }
            (Canary::None { why }, _) => Some(unproven(name, why.clone())),
        }
    }

    fn other_namespace(&self) -> Attempt {
        let name = "see_host_processes";
        let own = std::fs::read_link("/proc/self/ns/pid").ok();
        // Where the link cannot be read, the kernel still says which numbers the process has, one for each namespace that it
        // is in and that this process can see.
        let numbers = self.seen.status.get("NSpid").map_or(0, |numbers| numbers.split_ascii_whitespace().count());
        let namespace = self.seen.pid_namespace.clone().or_else(|| match numbers {
            0 => None,
            1 => own.clone(),
            _ => Some("another".into()),
        });
        match (&namespace, self.said(attempt::SEE_HOST)) {
            (_, Some(0)) => leaked(name, "the guest saw a host process in /proc"),
            (Some(guest), Some(errno)) if Some(guest) != own.as_ref() => verified(
                name,
                format!(
                    "the guest is in a PID namespace of its own; looking for a host process in /proc got {}",
                    errno_name(errno)
                ),
            ),
            (Some(_), Some(_)) => leaked(name, "the guest is in the host's PID namespace"),
            _ => unproven(name, "the guest's PID namespace could not be looked at"),
        }
    }

    fn other_network(&self) -> Attempt {
        let name = "share_host_network_namespace";
        let own = std::fs::read_link("/proc/self/ns/net").ok();
        match &self.seen.network_namespace {
            Some(guest) if Some(guest) != own.as_ref() => {
                verified(name, "the host sees the guest in another network namespace")
            }
            Some(_) => leaked(name, "the guest is in the host's network namespace"),
            None => unproven(name, "the guest's network namespace could not be looked at"),
        }
    }

    fn files(&self) -> Vec<Attempt> {
        let write_control = || self.control(1);
        let touched = |name: &str| !self.canaries.is_untouched(name);
        let made = |name: &str| !self.canaries.is_absent(name);
        let mut attempts = vec![
            self.read_outside(),
            self.by_effect(
                "write_outside",
                attempt::WRITE_OUTSIDE,
                touched("write"),
                write_control(),
                "the file changed",
            ),
            self.by_effect(
                "truncate_outside",
                attempt::TRUNCATE_OUTSIDE,
                touched("truncate"),
                write_control(),
                "the file was cut",
            ),
            self.by_effect(
                "create_outside",
                attempt::CREATE_OUTSIDE,
                made("created"),
                write_control(),
                "a file was made",
            ),
            self.by_effect(
                "change_mode_outside",
                attempt::CHMOD_OUTSIDE,
                touched("mode"),
                self.own_file(),
                "the mode changed",
            ),
            self.by_effect(
                "change_times_outside",
                attempt::TIMES_OUTSIDE,
                touched("times"),
                self.own_file(),
                "the times changed",
            ),
            self.by_effect(
                "set_attribute_outside",
                attempt::XATTR_OUTSIDE,
                touched("xattr"),
                write_control(),
                "an extended attribute was set",
            ),
            self.by_effect(
                "link_outside",
                attempt::LINK_OUTSIDE,
                touched("link") || made("linked"),
                write_control(),
                "a link was made",
            ),
            self.by_effect(
                "rename_outside",
                attempt::RENAME_OUTSIDE,
                touched("rename") || made("renamed"),
                write_control(),
                "the file was renamed",
            ),
            self.by_effect(
                "remove_outside",
                attempt::UNLINK_OUTSIDE,
                touched("unlink"),
                write_control(),
                "the file was removed",
            ),
            self.by_effect(
                "write_through_proc_root",
                attempt::WRITE_THROUGH_PROC,
                touched("through"),
                write_control(),
                "the file changed",
            ),
            self.core_pattern(),
        ];
        // Three ways at one file, whose state shows when any of them worked.
        for (name, what) in [
            ("change_mode_of_readable_file_by_descriptor", attempt::MODE_BY_DESCRIPTOR),
            ("change_times_of_readable_file_by_descriptor", attempt::TIMES_BY_DESCRIPTOR),
            ("set_attribute_of_readable_file_by_descriptor", attempt::XATTR_BY_DESCRIPTOR),
        ] {
            attempts.push(self.by_effect(name, what, touched("granted"), self.own_file(), "the file changed"));
        }
        if self.landlock > 0 {
            attempts.push(self.by_effect(
                "write_where_only_landlock_forbids",
                attempt::LANDLOCK_CANARY,
                touched("landlock"),
                write_control(),
                "the file changed",
            ));
        }
        // Without this, a guest that can do nothing at all would pass.
        if self.said(attempt::WRITE_SCRATCH) != Some(0) {
            attempts.push(unproven(
                "write_where_granted",
                format!("writing where it is granted failed: {}", self.said_in_words(attempt::WRITE_SCRATCH)),
            ));
        }
        attempts
    }

    /// Mode and times belong to the owner, so only an attempt under the owner's identity could have worked.
    fn own_file(&self) -> Result<(), String> {
        self.control(5)
    }

    fn read_outside(&self) -> Attempt {
        let name = "read_outside";
        match (self.seen.said.get(&attempt::READ_SECRET), self.control(0)) {
            (Some((_, value)), _) if *value == self.canaries.secret => {
                leaked(name, "the guest read a secret of the host's")
            }
            (Some((0, _)), _) => leaked(name, "the guest opened a file of the host's"),
            (Some((errno, _)), Ok(())) => verified(
                name,
                format!("the guest got {} for a file that its identity could read outside", errno_name(*errno)),
            ),
            (Some(_), Err(why)) => unproven(name, why),
            (None, _) => unproven(name, "the guest did not get to it"),
        }
    }

    fn core_pattern(&self) -> Attempt {
        let name = "open_core_pattern_for_writing";
        let unchanged = std::fs::read_to_string("/proc/sys/kernel/core_pattern").ok() == self.canaries.core_pattern;
        match self.said(attempt::CORE_PATTERN) {
            Some(0) => leaked(name, "the guest opened it for writing"),
            _ if !unchanged => leaked(name, "it changed"),
            Some(errno) => verified(name, format!("unchanged; the guest got {}", errno_name(errno))),
            None => unproven(name, "the guest did not get to it"),
        }
    }

    fn privileges(&self) -> Vec<Attempt> {
        let status = |name: &str| self.seen.status.get(name).map(String::as_str);
        let mut attempts = Vec::new();

        let name = "identity_seen_from_outside";
        attempts.push(match (self.seen.uid, self.identity) {
            (None, _) => unproven(name, "the kernel did not say who the guest is"),
            (Some(0), Identity::Range { .. }) => leaked(name, "the host's kernel takes the guest for root"),
            (Some(uid), Identity::Range { id }) if uid != id => leaked(name, format!("user {uid} instead of {id}")),
            // A host that is root in a namespace of its own and an ordinary user outside sees its guest as it sees itself; one
            // that is root outside never has this identity.
            (Some(uid), Identity::Own { uid: own, .. }) if uid != own => {
                leaked(name, format!("user {uid} instead of the caller's own"))
            }
            (Some(uid), _) => verified(name, format!("user {uid}, as the kernel tells the host")),
        });
        let name = "no_new_privs_seen_from_outside";
        attempts.push(match status("NoNewPrivs") {
            Some("1") => verified(name, "set"),
            Some(_) => leaked(name, "not set"),
            None => unproven(name, "the guest's status could not be read"),
        });
        let name = "capabilities_seen_from_outside";
        let sets: Vec<&str> =
            ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].into_iter().filter_map(status).collect();
        let empty = sets.iter().all(|set| set.bytes().all(|digit| digit == b'0'));
        // An ordinary user's process cannot drop what bounds it, and with `no_new_privs` nothing comes back from there.
        let bounds_stay =
            self.shape.confinement == Confinement::InPlace && matches!(self.identity, Identity::Own { .. });
        let held = ["CapInh", "CapPrm", "CapEff", "CapAmb"].into_iter().filter_map(status);
        let held = held.filter(|set| set.bytes().any(|digit| digit != b'0')).count();
        attempts.push(match (sets.len(), empty) {
            (5, false) if bounds_stay && held == 0 && status("NoNewPrivs") == Some("1") => {
                verified(name, "the four sets that count are empty, and no_new_privs keeps the fifth from filling them")
            }
            (5, true) => verified(name, "all five sets are empty"),
            (5, false) => leaked(name, format!("not empty: {}", sets.join(" "))),
            _ => unproven(name, "the guest's status could not be read"),
        });
        if matches!(self.identity, Identity::Range { .. }) {
            let name = "groups_seen_from_outside";
            attempts.push(match status("Groups") {
                Some("") => verified(name, "none of the host's groups is left"),
                Some(groups) => leaked(name, format!("the guest is in the groups {groups}")),
                None => unproven(name, "the guest's status could not be read"),
            });
        }
        attempts.push(self.by_word("use_a_capability", attempt::CAPABILITY));

        let name = "nested_user_namespace";
        let moved = self.seen.user_namespace != self.seen.user_namespace_after;
        let errnos = (self.said(attempt::CLONE_USER), self.said(attempt::UNSHARE_USER));
        attempts.push(match errnos {
            _ if self.seen.user_namespace.is_none() => {
                unproven(name, "the guest's user namespace could not be looked at")
            }
            (Some(0), _) | (_, Some(0)) => leaked(name, "the guest made a user namespace"),
            _ if moved => leaked(name, "the guest is in another user namespace than before"),
            (Some(clone), Some(unshare)) => verified(
                name,
                format!(
                    "the host sees the same namespace as before; clone got {}, unshare got {}",
                    errno_name(clone),
                    errno_name(unshare)
                ),
            ),
            _ => unproven(name, "the guest did not get to it"),
        });
        if self.canaries.has_set_uid {
            let name = "set_uid_program_of_root";
            let gained = |ids: &String| ids.split_ascii_whitespace().any(|id| id == "0");
            attempts.push(match &self.seen.set_uid_ids {
                Some(ids) if gained(ids) => leaked(name, format!("it ran as root: {ids}")),
                Some(ids) => verified(name, format!("it ran without gaining anything: user ids {ids}")),
                // A place for temporary files that allows no programs is a common hardening, and then there is no such file for
                // the guest outside either. What would keep it from gaining anything is proven above.
                None if self.said(attempt::SET_UID_EXEC) == Some(libc::EACCES) => Attempt::new(
                    name,
                    Verdict::HostDeniesToo { errno: "EACCES".into(), setting: Some("noexec".into()) },
                    "no program can be started where this host puts temporary files",
                ),
                None if self.said(attempt::SET_UID_EXEC).is_some_and(|errno| errno != 0) => {
                    verified(name, format!("it did not start: {}", self.said_in_words(attempt::SET_UID_EXEC)))
                }
                None => unproven(name, "it did not report"),
            });
        }
        attempts
    }

    /// Where the host has nothing to look at, the word of the guest stands beside what the host saw of its capabilities.
    fn by_word(&self, name: &'static str, what: u32) -> Attempt {
        match self.said(what) {
            Some(0) => leaked(name, "the guest says that it worked"),
            Some(errno) => verified(name, format!("the guest got {}", errno_name(errno))),
            None => unproven(name, "the guest did not get to it"),
        }
    }

    fn system_calls(&self) -> Result<Vec<Attempt>, LaunchError> {
        let mut attempts = Vec::new();
        let name = "filter_seen_from_outside";
        attempts.push(match self.seen.status.get("Seccomp").map(String::as_str) {
            Some("2") => verified(name, "a filter is installed"),
            Some(_) => leaked(name, "no filter is installed"),
            None => unproven(name, "the guest's status could not be read"),
        });
        let shape = filter_shape(self.shape);
        let filter = filter::filter_of(shape).map_err(|error| LaunchError::Probe { reason: error.to_string() })?;
        let holes = filter::disagreements(&filter, shape);
        let name = "every_number_on_every_abi";
        // The evaluation says what the filter would do; that it is the one in force is the attempt before and those after.
        attempts.push(if !self.shape.layers.has(Layer::Seccomp) {
            leaked(name, "the filter was left away")
        } else if holes.is_empty() {
            verified(name, "the program refuses exactly what the policy refuses, native, x32 and i386 included")
        } else {
            leaked(name, format!("decided otherwise than the policy says: {}", holes.join("; ")))
        });
        let outside = kernel::answers_outside();
        for (name, what, refused) in [
            ("keyctl", attempt::KEYCTL, libc::EPERM),
            ("ptrace", attempt::PTRACE, libc::EPERM),
            ("io_uring_setup", attempt::IO_URING, libc::ENOSYS),
            ("clone3", attempt::CLONE3, libc::ENOSYS),
            ("mount", attempt::MOUNT, libc::EPERM),
            ("ioctl_tiocsti_with_high_bits", attempt::TIOCSTI, libc::EPERM),
        ] {
            let host = outside.iter().find(|(known, _)| *known == what).map_or(0, |(_, errno)| *errno);
            attempts.push(match self.said(what) {
                None => unproven(name, "the guest did not get to it"),
                Some(errno) if errno != refused => {
                    leaked(name, format!("the guest reached the kernel, which answered {}", errno_name(errno)))
                }
                Some(errno) if host == refused => Attempt::new(
                    name,
                    Verdict::HostDeniesToo { errno: errno_name(errno).into(), setting: None },
                    "the kernel answers the same outside",
                ),
                Some(errno) => verified(name, format!("{} inside, {} outside", errno_name(errno), errno_name(host))),
            });
        }
        #[cfg(target_arch = "x86_64")]
        attempts.push(match self.said(attempt::X32) {
            Some(libc::ENOSYS) => verified("x32_number", "ENOSYS"),
            Some(errno) => {
                leaked("x32_number", format!("the guest reached the kernel, which answered {}", errno_name(errno)))
            }
            None => unproven("x32_number", "the guest did not get to it"),
        });
        Ok(attempts)
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
