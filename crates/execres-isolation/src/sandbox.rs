//! The sandbox of a host process: a small pool of launchers, and the way from a request to a running program.

mod limits;
mod request;

use std::collections::HashMap;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use execres_core::{IsolationReport, NetworkMode};
use execres_owner::OwnerRegistry;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;

use crate::cgroup::{Counters, Parent};
use crate::domain::Landlock;
use crate::error::LaunchError;
use crate::identity::Identity;
use crate::launcher::{Child, Launcher, Outer, has_ended};
use crate::layer::Layer;
use crate::layout::Layout;
use crate::own_directory::OwnDirectory;
use crate::ownership::give_to;
use crate::profile::{Confinement, Mount, Profile};
use crate::run::{Run, StepStreams};
use crate::step::Step;
use crate::sys::protocol::MAX_FDS;
use crate::sys::start;
pub(crate) use request::filter_shape;
use request::{Descriptors, request_failed, run_flags};

/// The sandbox of a host process. One is enough; it can be shared and used from any number of threads and runtimes.
#[derive(Debug)]
pub struct Sandbox {
    launchers: Mutex<Vec<Launcher>>,
    cgroups: Option<Parent>,
    owners: Option<Arc<OwnerRegistry>>,
    /// The state directory of the owner, by its real name.
    state: Option<PathBuf>,
    landlock: Landlock,
    /// Directories of runs that nobody waits for, with the init whose end makes them free.
    over: Mutex<Vec<(Arc<OwnedFd>, OwnDirectory)>>,
    pub(crate) recall: Recall,
    pub(crate) evidence: tokio::sync::Mutex<HashMap<String, Arc<IsolationReport>>>,
}

/// Whether evidence that an earlier process found is good enough.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Recall {
    /// It is, where it was found under the very same conditions.
    Stored,
    /// Everything is tried out once by this process.
    Nothing,
}

/// What a sandbox uses of its host.
struct Host {
    cgroups: Option<Parent>,
    landlock: Landlock,
    recall: Recall,
}

impl Host {
    fn as_it_is() -> Self {
        Host { cgroups: Parent::find(), landlock: Landlock::of_this_kernel(), recall: Recall::Stored }
    }
}

impl Drop for Sandbox {
    /// What is not over within this time is reaped by the next host.
    fn drop(&mut self) {
        for _ in 0..50 {
            drop(self.what_is_over());
            let waiting = self.over.get_mut().unwrap_or_else(PoisonError::into_inner);
            let Some((init, _)) = waiting.first() else { return };
            let time = rustix::event::Timespec { tv_sec: 0, tv_nsec: 10_000_000 };
            let fds = &mut [rustix::event::PollFd::new(init, rustix::event::PollFlags::IN)];
            if rustix::event::poll(fds, Some(&time)).is_err() {
                return;
            }
        }
    }
}

/// Idle launchers that are kept for the next runs. Each is a process of a few pages.
const KEPT: usize = 8;

impl Sandbox {
    /// The sandbox of this process. `owners` is where things that would outlive a killed host are written down, and evidence
    /// for the next process.
    pub fn new(owners: Option<Arc<OwnerRegistry>>) -> Arc<Self> {
        Self::on(Host::as_it_is(), owners)
    }

    /// The same, for those who want to know how things are now: what earlier processes found is not looked at.
    pub fn trying_anew(owners: Option<Arc<OwnerRegistry>>) -> Arc<Self> {
        Self::on(Host { recall: Recall::Nothing, ..Host::as_it_is() }, owners)
    }

    /// A sandbox that uses no memory controller, as on a host that delegates none.
    #[doc(hidden)]
    pub fn without_controllers(owners: Option<Arc<OwnerRegistry>>) -> Arc<Self> {
        Self::on(Host { cgroups: None, ..Host::as_it_is() }, owners)
    }

    /// A sandbox that uses no more of Landlock than a kernel with this ABI has; 0 is a kernel without Landlock.
    #[doc(hidden)]
    pub fn with_landlock_abi(abi: i32, owners: Option<Arc<OwnerRegistry>>) -> Arc<Self> {
        let host = Host::as_it_is();
        Self::on(Host { landlock: host.landlock.at_most(abi), ..host }, owners)
    }

    fn on(host: Host, owners: Option<Arc<OwnerRegistry>>) -> Arc<Self> {
        let state = owners.as_ref().map(|owners| owners.state().path());
        Arc::new(Sandbox {
            launchers: Mutex::new(Vec::new()),
            cgroups: host.cgroups,
            state: state.map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned())),
            owners,
            landlock: host.landlock,
            over: Mutex::new(Vec::new()),
            recall: host.recall,
            evidence: tokio::sync::Mutex::new(HashMap::new()),
        })
    }

    /// Starts a run.
    ///
    /// # Errors
    /// [`LaunchError`]; nothing of the guest's has run then.
    ///
    /// # Cancel safety
    /// Dropping the future leaves nothing running: a run that has started by then is ended as if its [`Run`] were dropped.
    pub async fn launch(self: &Arc<Self>, profile: &Profile, steps: Vec<Step>) -> Result<Run, LaunchError> {
        let sandbox = Arc::clone(self);
        let profile = profile.clone();
        // Half a millisecond of system calls, which an async thread should not wait for.
        tokio::task::spawn_blocking(move || sandbox.launch_blocking(&profile, steps))
            .await
            .map_err(|error| LaunchError::LauncherGone { source: std::io::Error::other(error) })?
    }

    /// [`Sandbox::launch`] on a thread that may block. The run it answers with needs a tokio runtime to be waited for.
    pub(crate) fn launch_blocking(self: &Arc<Self>, profile: &Profile, steps: Vec<Step>) -> Result<Run, LaunchError> {
        let mut launcher = self.take_launcher(profile)?;
        let result = self.launch_with(&mut launcher, profile, steps);
        let (run, before) = match result {
            Ok(started) => started,
            Err(error) => {
                // The end of its socket is seen before the end of the process, so a launcher that is gone can look alive.
                if !matches!(error, LaunchError::LauncherGone { .. }) {
                    self.put_back(launcher);
                }
                return Err(error);
            }
        };
        Ok(run.owned_by(Arc::clone(self), launcher, before))
    }

    /// A free launcher for this profile: an idle one, or a new one.
    pub(crate) fn take_launcher(&self, profile: &Profile) -> Result<Launcher, LaunchError> {
        let inherited = profile.network == NetworkMode::Inherited || !profile.layers.has(Layer::NetworkNamespace);
        let outer = match (profile.confinement, inherited) {
            (Confinement::Unconfined, _) => Outer::Unconfined,
            (Confinement::InPlace, _) => Outer::Bare,
            (Confinement::Sandbox, true) => Outer::Inherited,
            (Confinement::Sandbox, false) => Outer::Empty,
        };
        let over = self.what_is_over();
        if !over.is_empty() {
            // A guest can have left as many files as it liked, and nobody who launches a run waits for their end.
            drop(std::thread::spawn(move || drop(over)));
        }
        let mut gone = Vec::new();
        let idle = {
            let mut launchers = self.launchers.lock().unwrap_or_else(PoisonError::into_inner);
            gone.extend(launchers.extract_if(.., |launcher| launcher.is_gone()));
            let free = launchers.iter_mut().position(|launcher| launcher.outer == outer && launcher.is_free());
            free.map(|index| launchers.swap_remove(index))
        };
        // Collected outside the lock.
        drop(gone);
        match idle {
            Some(launcher) => Ok(launcher),
            None => Launcher::start(outer, self.cgroups.as_ref(), self.owners.as_ref()),
        }
    }

    pub(crate) fn put_back(&self, launcher: Launcher) {
        let mut launchers = self.launchers.lock().unwrap_or_else(PoisonError::into_inner);
        if launchers.len() < KEPT && !launcher.is_gone() {
            launchers.push(launcher);
        }
    }

    pub(crate) fn launch_with(
        &self,
        launcher: &mut Launcher,
        profile: &Profile,
        steps: Vec<Step>,
    ) -> Result<(Run, Option<Counters>), LaunchError> {
        profile.check_against(self.state.as_deref())?;
        let own_directory = match profile.confinement {
            Confinement::InPlace => Some(self.own_directory(profile, launcher)?),
            Confinement::Sandbox | Confinement::Unconfined => None,
        };
        let layout = match &own_directory {
            Some(own) => Layout::in_place(profile, own.path())?,
            None if profile.confinement == Confinement::Sandbox => Layout::of(profile)?,
            None => Layout::none(),
        };
        let before = match &launcher.slot {
            Some(slot) => {
                slot.set_memory(profile.limits.memory)
                    .map_err(|source| LaunchError::Launcher { stage: "writing the memory limit", source })?;
                Some(slot.counters())
            }
            None => None,
        };
        if let Identity::Range { id } = launcher.identity {
            for mount in &profile.mounts {
                if let Mount::Overlay { lower, .. } = mount {
                    give_to(lower, id).map_err(|source| LaunchError::Root {
                        path: lower.path.clone(),
                        stage: "giving a working copy to the guest's user",
                        source,
                    })?;
                }
            }
        }
        let mut descriptors = Descriptors::default();
        let (ours, theirs) = rustix::net::socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC | SocketFlags::NONBLOCK,
            None,
        )
        .map_err(request_failed)?;
        // Init waits on its end; only ours is polled.
        rustix::io::ioctl_fionbio(&theirs, false).map_err(request_failed)?;

        let mut streams = Vec::new();
        let mut wired = Vec::new();
        for step in steps {
            let (stdout, stdout_write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(request_failed)?;
            let (stderr, stderr_write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(request_failed)?;
            for ours in [&stdout, &stderr] {
                rustix::io::ioctl_fionbio(ours, true).map_err(request_failed)?;
            }
            streams.push(StepStreams { stdout: Arc::new(stdout), stderr: Arc::new(stderr) });
            let own = own_directory.as_ref().map(OwnDirectory::path);
            wired.push(self.wire_step(launcher, profile, own, step, [stdout_write, stderr_write], &mut descriptors)?);
        }
        let blob = self.blob(launcher, profile, &layout, &wired)?;
        let blob = start::sealed_memfd(c"execres-run", blob.as_bytes(), false)
            .map_err(|source| LaunchError::Launcher { stage: "writing the request", source })?;

        let mut fds: Vec<BorrowedFd<'_>> = vec![blob.as_fd(), theirs.as_fd()];
        fds.extend(descriptors.0.iter().map(AsFd::as_fd));
        if fds.len() > MAX_FDS {
            return Err(LaunchError::Request { reason: "it has too many steps".into() });
        }
        let Child { pid, pidfd } = launcher.run(run_flags(profile, self.landlock, launcher.identity), &fds)?;
        let run = Run::new(pid, pidfd, ours, streams, layout, profile.limits.clone(), profile.confinement);
        Ok((run.with_directory(own_directory), before))
    }

    /// The directory of a run that has no root of its own, when there can be such a run at all.
    fn own_directory(&self, profile: &Profile, launcher: &Launcher) -> Result<OwnDirectory, LaunchError> {
        if self.landlock.abi() == 0 && profile.layers.has(Layer::Landlock) {
            return Err(LaunchError::NoLandlock);
        }
        if profile.network == NetworkMode::Loopback {
            return Err(LaunchError::Request { reason: "without namespaces there is no loopback of its own".into() });
        }
        OwnDirectory::for_run(launcher.identity, self.owners.as_ref()).map_err(|source| LaunchError::Root {
            path: std::env::temp_dir(),
            stage: "making the directory of the run",
            source,
        })
    }

    /// Removes the directory of a run that nobody waits for, when its init is gone.
    pub(crate) fn remove_when_over(&self, init: Arc<OwnedFd>, directory: OwnDirectory) {
        self.over.lock().unwrap_or_else(PoisonError::into_inner).push((init, directory));
    }

    /// Directories of runs that are over. They are removed when they are dropped.
    fn what_is_over(&self) -> Vec<(Arc<OwnedFd>, OwnDirectory)> {
        let mut waiting = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.extract_if(.., |(init, _)| has_ended(init.as_fd())).collect()
    }

    /// Whether guests have a user of their own, as those of a root host have, and not the user of this process. Without
    /// namespaces such a guest enters only directories that every user may enter.
    pub fn guests_have_a_user_of_their_own(&self) -> bool {
        Identity::is_separate()
    }

    pub(crate) fn has_controllers(&self) -> bool {
        self.cgroups.is_some()
    }

    pub(crate) fn owners(&self) -> Option<&Arc<OwnerRegistry>> {
        self.owners.as_ref()
    }

    pub(crate) fn landlock(&self) -> Landlock {
        self.landlock
    }
}
