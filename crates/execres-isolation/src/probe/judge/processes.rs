//! Attempts on the host's processes, and on what processes talk through.

use execres_core::{Attempt, NetworkMode};

use super::{Case, errno_name, leaked, unproven, verified};
use crate::probe::canaries::Canary;
use crate::probe::observe::ProcessState;
use crate::sys::protocol::attempt;

/// The nice value that the attempt asks for; the control asks for one more.
const SLOWED_DOWN_TO: i32 = 18;

impl Case<'_> {
    pub(super) fn processes(&self) -> Vec<Attempt> {
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
        ];
        // Below a host that is as slow already, there is nothing that the attempt could change. The one before it asks the same
        // of the kernel.
        if before.nice.as_deref().and_then(|nice| nice.parse().ok()).is_none_or(|nice: i32| nice < SLOWED_DOWN_TO) {
            attempts.push(self.by_effect(
                "slow_down_host_process",
                attempt::NICE_HOST,
                before.nice != after.nice,
                changed_by_control(|state| &state.nice, 7),
                "its priority changed",
            ));
        }
        attempts.push(self.other_namespace());
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
        let sent = self.control(8).and_then(|()| {
            if seen.control.datagram_seen { Ok(()) } else { Err("the control's message was not seen".to_owned()) }
        });
        attempts.push(self.by_effect(
            "send_to_host_socket_from_a_pair",
            attempt::PAIR_TO_PATH,
            seen.reached.datagram,
            sent,
            "a message reached a datagram socket of the host",
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
}
