//! Runs the probe's guest and its sacrifice, and writes down what the host sees.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::net::sockopt::{Timeout, set_socket_passcred, set_socket_timeout};
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::canaries::{self, Canaries};
use crate::error::LaunchError;
use crate::launcher::{Child, Launcher};
use crate::layer::Layer;
use crate::profile::{Access, Confinement, HandUp, Profile};
use crate::sandbox::Sandbox;
use crate::step::{Program, Stdin, Step};
use crate::sys::protocol::{self, attempt};
use crate::sys::socket::{self, Wait};

/// How long any one thing of a probe may take. Generous: it tells a busy machine from a hung guest.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a process that escaped would still hold its end of the socket at least.
const GONE: Duration = Duration::from_secs(1);

/// What the host saw.
#[derive(Debug, Default)]
pub(super) struct Observed {
    /// What the guest says: errno and value, by attempt.
    pub(super) said: HashMap<u32, (i32, u32)>,
    /// The guest's user id, as the kernel tells the host.
    pub(super) uid: Option<u32>,
    /// `/proc/<pid>/status` of the guest, read by the host.
    pub(super) status: HashMap<String, String>,
    pub(super) pid_namespace: Option<PathBuf>,
    pub(super) network_namespace: Option<PathBuf>,
    pub(super) ipc_namespace: Option<PathBuf>,
    /// What tells one user namespace from another: its link, or its id map where this process may not read the links of
    /// others, as in a container without CAP_SYS_PTRACE. A new namespace has another map, or none.
    pub(super) user_namespace: Option<PathBuf>,
    /// The same after all attempts.
    pub(super) user_namespace_after: Option<PathBuf>,
    /// The four user ids of the set-uid canary, where it ran.
    pub(super) set_uid_ids: Option<String>,
    /// Whether a process of the guest's held on to the host's socket after the run was over.
    pub(super) marker_left: bool,
    pub(super) marker_lived: bool,
    /// Signals that reached the sacrifice before the control.
    pub(super) signals: Vec<u32>,
    /// Connections that reached the sacrifice before the control.
    pub(super) connections: u32,
    /// The process that the guest must not change, before and after.
    pub(super) changed: (ProcessState, ProcessState),
    pub(super) reached: Reached,
    pub(super) control: Control,
}

/// What another process could change about one.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct ProcessState {
    pub(super) core_limit: Option<String>,
    pub(super) nice: Option<String>,
}

impl ProcessState {
    fn of(pid: i32) -> Self {
        let read = |file: &str| std::fs::read_to_string(format!("/proc/{pid}/{file}")).unwrap_or_default();
        let limit = read("limits").lines().find(|line| line.starts_with("Max core file size")).map(ToOwned::to_owned);
        // The nineteenth field, counted after the name, which may hold anything.
        let nice = read("stat")
            .rsplit_once(')')
            .and_then(|(_, after)| after.split_ascii_whitespace().nth(16).map(ToOwned::to_owned));
        ProcessState { core_limit: limit, nice }
    }
}

/// What reached the host's own canaries before the control.
#[derive(Debug, Default)]
pub(super) struct Reached {
    pub(super) socket: bool,
    pub(super) datagram: bool,
    pub(super) abstract_socket: bool,
    pub(super) tcp: bool,
    pub(super) segment: bool,
    pub(super) queue: bool,
}

/// What happened when the sacrifice did the same from outside.
#[derive(Debug, Default)]
pub(super) struct Control {
    /// errno of reading, writing, connecting, attaching, queueing, changing a file of one's own, limiting and being nice to a
    /// process, and sending to a name; absent when the sacrifice did not answer.
    pub(super) errnos: Option<[u32; 9]>,
    pub(super) changed: ProcessState,
    pub(super) signal_seen: bool,
    pub(super) connection_seen: bool,
    pub(super) socket_seen: bool,
    pub(super) datagram_seen: bool,
}

/// Where the guest finds what the probe grants on purpose.
const LANDLOCK_CANARY: &str = "/run/execres-canary/landlock";
const GRANTED_CANARY: &str = "/run/execres-canary/granted";
const SET_UID_CANARY: &str = "/run/execres-canary/set-uid";
const SCRATCH: &str = "/run/execres-scratch";

pub(super) fn observe(
    sandbox: &Arc<Sandbox>,
    launcher: &mut Launcher,
    shape: &Profile,
    canaries: &Canaries,
) -> Result<Observed, LaunchError> {
    let (suffering, theirs) = channel()?;
    let sacrifice = launcher.sacrifice(&canaries.nonce, theirs.as_fd())?;
    drop(theirs);
    expect(&suffering, protocol::SUFFERS)?;
    let before = ProcessState::of(sacrifice.pid);

    let (guest, theirs) = channel()?;
    set_socket_passcred(&guest, true).map_err(failed)?;
    let has_root = shape.in_force().has(Layer::MountNamespace);
    let port = canaries.tcp.local_addr().map_or(0, |address| address.port());
    // Without a root of its own the guest sees the host's paths.
    let own = |guest_path: &str, host_name: &str| -> PathBuf {
        if has_root { guest_path.into() } else { canaries.path(host_name) }
    };
    let landlock = own(LANDLOCK_CANARY, "landlock");
    let granted = own(GRANTED_CANARY, "granted");
    let mut profile = shape
        .clone()
        .bind_own(&canaries.path("landlock"), &landlock, Access::WriteUnlessLandlock)?
        .bind_own(&canaries.path("granted"), &granted, Access::Read)?;
    let scratch = own(SCRATCH, canaries::SCRATCH);
    profile = match profile.confinement {
        Confinement::Sandbox | Confinement::Unconfined => profile.scratch(SCRATCH.as_ref(), HandUp::No)?,
        Confinement::InPlace => profile.bind_own(&scratch, &scratch, Access::Write)?,
    };
    let set_uid = own(SET_UID_CANARY, "set-uid");
    if canaries.has_set_uid {
        profile = profile.bind_own(&canaries.path("set-uid"), &set_uid, Access::Read)?;
    }
    let arguments: Vec<OsString> = vec![
        "execres-probe".into(),
        "probe".into(),
        canaries.directory().into(),
        sacrifice.pid.to_string().into(),
        format!("{}-host", canaries.nonce).into(),
        canaries.nonce.clone().into(),
        canaries.segment.made().map_or(0, |segment| segment.id()).to_string().into(),
        canaries.nonce.clone().into(),
        port.to_string().into(),
        landlock.into(),
        if canaries.has_set_uid { set_uid.into() } else { OsString::new() },
        scratch.into(),
        granted.into(),
    ];
    let step = Step {
        program: Program::Image,
        arguments,
        directory: "/".into(),
        environment: Vec::new(),
        stdin: Stdin::Empty,
        extra: Some(theirs),
    };
    let (run, _) = sandbox.launch_with(launcher, &profile, vec![step])?;

    let mut observed = Observed::default();
    if let Err(error) = listen(&guest, &mut observed) {
        wait_readable(run.as_fd(), PATIENCE);
        let report = run.what_went_wrong();
        return Err(report.failure.unwrap_or_else(|| probe_failed(&format!("{error}; its run {}", report.outcome))));
    }
    if !wait_readable(run.as_fd(), PATIENCE) {
        return Err(probe_failed("the run of the probe did not end"));
    }
    // Every process of the run is gone, unless one got out. The socket ends with its last holder.
    observed.marker_left = !ends(&guest, &mut observed, GONE);

    observed.reached = Reached {
        socket: canaries.socket.accept().is_ok(),
        datagram: canaries.datagram.recv(&mut [0; 8]).is_ok(),
        abstract_socket: canaries.abstract_socket.accept().is_ok(),
        tcp: canaries.tcp.accept().is_ok(),
        segment: canaries.segment.made().is_some_and(|segment| segment.was_written()),
        queue: canaries.queue.made().is_some_and(|queue| queue.messages() != 0),
    };
    hear_sacrifice(&suffering, &mut observed)?;
    observed.changed = (before, ProcessState::of(sacrifice.pid));
    control(&suffering, &sacrifice, canaries, &mut observed)?;
    Ok(observed)
}

fn channel() -> Result<(OwnedFd, OwnedFd), LaunchError> {
    let (ours, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)
            .map_err(failed)?;
    set_socket_timeout(&ours, Timeout::Recv, Some(PATIENCE)).map_err(failed)?;
    Ok((ours, theirs))
}

fn failed(error: rustix::io::Errno) -> LaunchError {
    probe_failed(&error.to_string())
}

fn probe_failed(reason: &str) -> LaunchError {
    LaunchError::Probe { reason: reason.to_owned() }
}

fn expect(from: &OwnedFd, kind: u32) -> Result<(), LaunchError> {
    match socket::receive(from, Wait::Blocking) {
        Ok(Some(message)) if message.words[0] == kind => Ok(()),
        Ok(_) => Err(probe_failed("the process outside that the guest must not reach ended early")),
        Err(error) => Err(failed(error)),
    }
}

/// Hears the guest out, and looks at it from outside where it waits for that.
fn listen(guest: &OwnedFd, observed: &mut Observed) -> Result<(), LaunchError> {
    loop {
        let message = match socket::receive(guest, Wait::Blocking).map_err(failed)? {
            Some(message) => message,
            None if observed.said.is_empty() => return Err(probe_failed("the probe's guest did not start")),
            None => return Err(probe_failed("the probe's guest ended early")),
        };
        let (what, errno, value) = (message.words[0], message.words[1] as i32, message.words[2]);
        observed.said.insert(what, (errno, value));
        let sender = message.sender.map(|sender| (sender.pid.as_raw_nonzero().get(), sender.uid.as_raw()));
        let link = |name: &str| sender.and_then(|(pid, _)| std::fs::read_link(format!("/proc/{pid}/ns/{name}")).ok());
        let id_map = || sender.and_then(|(pid, _)| std::fs::read_to_string(format!("/proc/{pid}/uid_map")).ok());
        let user_namespace = || link("user").or_else(|| id_map().map(PathBuf::from));
        match what {
            attempt::HELLO => {
                observed.uid = sender.map(|(_, uid)| uid);
                observed.status = sender.map(|(pid, _)| status(pid)).unwrap_or_default();
                observed.pid_namespace = link("pid");
                observed.network_namespace = link("net");
                observed.ipc_namespace = link("ipc");
                observed.user_namespace = user_namespace();
            }
            attempt::SET_UID_RAN => {
                observed.set_uid_ids = sender.and_then(|(pid, _)| status(pid).remove("Uid"));
            }
            attempt::MARKER => {
                observed.marker_lived = errno == 0;
                continue;
            }
            attempt::DONE => observed.user_namespace_after = user_namespace(),
            _ => continue,
        }
        socket::send(guest, &[1], &[]).map_err(failed)?;
        if what == attempt::DONE {
            return Ok(());
        }
    }
}

fn status(pid: i32) -> HashMap<String, String> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    text.lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.into(), value.trim().into()))
        .collect()
}

fn wait_readable(fd: impl AsFd, patience: Duration) -> bool {
    let fd = fd.as_fd();
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    let time = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: patience.subsec_nanos().into() };
    rustix::event::poll(&mut fds, Some(&time)).is_ok_and(|ready| ready > 0)
}

/// Whether the stream ends within the time.
fn ends(guest: &OwnedFd, observed: &mut Observed, patience: Duration) -> bool {
    while wait_readable(guest, patience) {
        match socket::receive(guest, Wait::NonBlocking) {
            Ok(Some(message)) if message.words[0] == attempt::MARKER => observed.marker_lived = message.words[1] == 0,
            Ok(Some(_)) => {}
            Ok(None) => return true,
            Err(_) => return false,
        }
    }
    false
}

fn hear_sacrifice(suffering: &OwnedFd, observed: &mut Observed) -> Result<(), LaunchError> {
    loop {
        match socket::receive(suffering, Wait::NonBlocking) {
            Ok(Some(message)) => match message.words[0] {
                protocol::SIGNALLED => observed.signals.push(message.words[1]),
                protocol::CONNECTED => observed.connections += 1,
                _ => {}
            },
            // It was killed, which only the guest can have done.
            Ok(None) => {
                observed.signals.push(libc::SIGKILL as u32);
                return Ok(());
            }
            Err(rustix::io::Errno::AGAIN) => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
    }
}

/// Lets the sacrifice do from outside what the guest tried, and signals it once.
fn control(
    suffering: &OwnedFd,
    child: &Child,
    canaries: &Canaries,
    observed: &mut Observed,
) -> Result<(), LaunchError> {
    let (pidfd, sacrifice) = (&child.pidfd, child.pid);
    let directory = canaries.directory().as_os_str().as_encoded_bytes();
    let id = canaries.segment.made().map_or(0, |segment| segment.id());
    let mut words = vec![protocol::CONTROL, id as u32, directory.len() as u32];
    words
        .extend(directory.chunks(4).map(|chunk| chunk.iter().rev().fold(0, |word, byte| word << 8 | u32::from(*byte))));
    if rustix::process::pidfd_send_signal(pidfd, rustix::process::Signal::USR2).is_err()
        || socket::send(suffering, &words, &[]).is_err()
    {
        // A sacrifice that is gone is no control; the verdicts say so.
        return Ok(());
    }
    while observed.control.errnos.is_none() || !observed.control.connection_seen || !observed.control.signal_seen {
        if !wait_readable(suffering, PATIENCE) {
            return Ok(());
        }
        match socket::receive(suffering, Wait::NonBlocking) {
            Ok(Some(message)) => match message.words[0] {
                protocol::SIGNALLED => observed.control.signal_seen |= message.words[1] == libc::SIGUSR2 as u32,
                protocol::CONNECTED => observed.control.connection_seen = true,
                protocol::STILL_HERE => {
                    let [_, errnos @ ..] = message.words;
                    let connect = errnos[2];
                    observed.control.errnos = errnos.first_chunk().copied();
                    observed.control.changed = ProcessState::of(sacrifice);
                    if connect != 0 {
                        break;
                    }
                }
                _ => {}
            },
            Ok(None) | Err(_) => return Ok(()),
        }
    }
    observed.control.datagram_seen = canaries.datagram.recv(&mut [0; 8]).is_ok();
    observed.control.socket_seen =
        !matches!(canaries.socket.accept(), Err(error) if error.kind() == io::ErrorKind::WouldBlock);
    Ok(())
}
