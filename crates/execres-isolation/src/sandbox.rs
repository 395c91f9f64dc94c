//! The sandbox of a host process: a small pool of launchers, and the way from a request to a running program.

use std::collections::HashMap;
use std::ffi::OsString;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use execres_core::{Enforcement, IsolationReport, LimitReport, NetworkMode};
use execres_owner::OwnerRegistry;
use rustix::net::{AddressFamily, SocketFlags, SocketType};
use rustix::pipe::PipeFlags;

use crate::cgroup::{Counters, Parent};
use crate::domain::Landlock;
use crate::error::LaunchError;
use crate::filter;
use crate::identity::Identity;
use crate::launcher::{Child, Launcher, Lends, Outer, has_ended};
use crate::layer::{Layer, Layers};
use crate::layout::{HOME, Layout};
use crate::own_directory::{self, OwnDirectory};
use crate::ownership::give_to;
use crate::profile::{Confinement, Mount, Profile};
use crate::run::{Run, StepStreams};
use crate::rung::Rung;
use crate::sys::protocol::{self, MAX_FDS};
use crate::sys::start;
use crate::wire::Wire;

/// What a run is made of: build steps and a run step, one after the other, in one root.
#[derive(Debug)]
pub struct Step {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) stdin: Stdin,
    /// Descriptor 3, which only probes have.
    pub(crate) extra: Option<OwnedFd>,
}

#[derive(Debug)]
pub(crate) enum Program {
    Path(PathBuf),
    /// The launcher's own image, as the guest of a probe.
    Image,
}

/// What a step reads from its standard input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stdin {
    /// Nothing.
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Step {
    /// A step that runs `program`, a path in the guest, with `arguments` after the program's own name, in `/`, with nothing on
    /// its standard input.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let program = program.into();
        let mut all = vec![program.clone().into_os_string()];
        all.extend(arguments.into_iter().map(Into::into));
        Step {
            program: Program::Path(program),
            arguments: all,
            directory: "/".into(),
            environment: Vec::new(),
            stdin: Stdin::Empty,
            extra: None,
        }
    }

    /// The working directory in the guest.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Adds a variable for this step, over the profile's.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// What the step reads.
    #[must_use]
    pub fn with_stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }
}

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
    pub(crate) evidence: tokio::sync::Mutex<HashMap<String, Arc<IsolationReport>>>,
}

/// What a sandbox uses of its host.
struct Host {
    cgroups: Option<Parent>,
    landlock: Landlock,
}

impl Host {
    fn as_it_is() -> Self {
        Host { cgroups: Parent::find(), landlock: Landlock::of_this_kernel() }
    }
}

impl Drop for Sandbox {
    /// What is not over within this time is reaped by the next host.
    fn drop(&mut self) {
        for _ in 0..50 {
            self.remove_what_is_over();
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
        self.remove_what_is_over();
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
        if let Some(state) = &self.state {
            profile.check_against(state)?;
        }
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
        let lends = if layout.hand_up.is_empty() { Lends::Nothing } else { Lends::Directories };
        let Child { pid, pidfd } = launcher.run(run_flags(profile, self.landlock, launcher.identity), &fds, lends)?;
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

    fn blob(
        &self,
        launcher: &Launcher,
        profile: &Profile,
        layout: &Layout,
        steps: &[Wire],
    ) -> Result<Wire, LaunchError> {
        let limits = &profile.limits;
        let mut blob = Wire::default();
        blob.word(protocol::BLOB_MAGIC).word(run_flags(profile, self.landlock, launcher.identity));
        blob.word(match profile.confinement {
            Confinement::Sandbox | Confinement::InPlace => {
                launcher.identity.to_take(profile.confinement == Confinement::Sandbox)
            }
            Confinement::Unconfined => protocol::KEEP_IDENTITY,
        });
        blob.long(u64::try_from(limits.wall_time.as_nanos()).unwrap_or(u64::MAX / 2));
        // Without a controller init looks itself, every 20 ms.
        let polled = launcher.slot.is_none();
        let looks = polled && profile.rung() == Rung::Full;
        blob.long(if looks { limits.memory } else { 0 }).long(if looks { 20_000_000 } else { 0 });
        layout.write(&mut blob);
        blob.word(layout.hand_up.len() as u32);
        for path in &layout.hand_up {
            blob.path(path);
        }
        self.landlock.write(layout, profile.network, &mut blob);
        let filter = filter::compile(filter_shape(profile))
            .map_err(|error| LaunchError::Request { reason: error.to_string() })?;
        blob.bytes(&filter.bytes());
        blob.word(steps.len() as u32);
        for step in steps {
            blob.append(step);
        }
        Ok(blob)
    }

    fn wire_step(
        &self,
        launcher: &Launcher,
        profile: &Profile,
        own_directory: Option<&Path>,
        step: Step,
        outputs: [OwnedFd; 2],
        descriptors: &mut Descriptors,
    ) -> Result<Wire, LaunchError> {
        let stdin = match step.stdin {
            Stdin::Empty => std::fs::File::open("/dev/null").map_err(|error| request_failed(error_of(&error)))?.into(),
            Stdin::Bytes(bytes) => start::sealed_memfd(c"execres-stdin", &bytes, false)
                .map_err(|source| LaunchError::Launcher { stage: "writing the standard input", source })?,
        };
        if let Identity::Range { id } = launcher.identity {
            // Programs open `/dev/stdout` and `/dev/stderr`, which asks the pipe for its owner's permission.
            for output in &outputs {
                rustix::fs::fchown(output, Some(rustix::fs::Uid::from_raw(id)), None).map_err(request_failed)?;
            }
        }
        let stdin = descriptors.add(stdin);
        let [stdout, stderr] = outputs.map(|fd| descriptors.add(fd));
        let extra = step.extra.map_or(u32::MAX, |fd| descriptors.add(fd));

        let mut wire = Wire::default();
        match &step.program {
            Program::Path(path) => {
                wire.word(protocol::PROGRAM_PATH).word(0).path(path);
            }
            Program::Image => {
                let image = start::image_fd()
                    .and_then(|fd| fd.try_clone_to_owned())
                    .map_err(|source| LaunchError::Start { source })?;
                let index = descriptors.add(image);
                wire.word(protocol::PROGRAM_FD).word(index).text(b"");
            }
        }
        wire.word(stdin).word(stdout).word(stderr).word(extra).path(&step.directory);

        let limits = resource_limits(profile, launcher);
        wire.word(limits.len() as u32);
        for (resource, soft, hard) in limits {
            wire.word(resource).long(soft).long(hard);
        }
        wire.word(step.arguments.len() as u32);
        for argument in &step.arguments {
            wire.text(without_nul(argument.as_bytes())?);
        }
        let environment = environment(profile, own_directory, &step.environment);
        wire.word(environment.len() as u32);
        for (name, value) in &environment {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(LaunchError::Request { reason: format!("{name:?} cannot be the name of a variable") });
            }
            let mut line = name.as_bytes().to_vec();
            line.push(b'=');
            line.extend_from_slice(value.as_bytes());
            wire.text(without_nul(&line)?);
        }
        Ok(wire)
    }

    /// Each limit of a run with what enforces it here.
    pub(crate) fn limit_reports(&self, profile: &Profile, launcher: &Launcher) -> Vec<LimitReport> {
        let report = |limit: &'static str, enforcement, mechanism: &'static str| LimitReport {
            limit: limit.into(),
            enforcement,
            mechanism: mechanism.into(),
        };
        let memory = match &launcher.slot {
            Some(slot) => report("memory", Enforcement::Enforced, slot.mechanism()),
            None if profile.rung() == Rung::Full => {
                report("memory", Enforcement::Polled, "init, every 20 ms, and RLIMIT_DATA for each process")
            }
            None => report("memory", Enforcement::None, "RLIMIT_DATA for each process, and nothing for all together"),
        };
        let processes = match profile.confinement {
            Confinement::Sandbox => {
                report("processes", Enforcement::Enforced, "RLIMIT_NPROC in a user namespace of the run's own")
            }
            _ if counts_processes(profile, launcher.identity) => {
                report("processes", Enforcement::Enforced, "RLIMIT_NPROC of a user of the launcher's own")
            }
            _ => report("processes", Enforcement::None, "the host's own limit"),
        };
        let scratch = match profile.confinement {
            Confinement::Sandbox => report("scratch", Enforcement::Enforced, "tmpfs size and inodes"),
            _ => report("scratch", Enforcement::None, "the host's disk"),
        };
        vec![
            memory,
            processes,
            report("cpu_time", Enforcement::Enforced, "RLIMIT_CPU, for each process"),
            report("wall_time", Enforcement::Enforced, "init, by the monotonic clock"),
            report("file_size", Enforcement::Enforced, "RLIMIT_FSIZE"),
            report("open_files", Enforcement::Enforced, "RLIMIT_NOFILE"),
            scratch,
            report("output", Enforcement::Enforced, "the run is ended at the hard cap"),
        ]
    }

    /// Removes the directory of a run that nobody waits for, when its init is gone.
    pub(crate) fn remove_when_over(&self, init: Arc<OwnedFd>, directory: OwnDirectory) {
        self.over.lock().unwrap_or_else(PoisonError::into_inner).push((init, directory));
    }

    fn remove_what_is_over(&self) {
        let mut waiting = self.over.lock().unwrap_or_else(PoisonError::into_inner);
        let over: Vec<_> = waiting.extract_if(.., |(init, _)| has_ended(init.as_fd())).collect();
        drop(waiting);
        drop(over);
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

fn run_flags(profile: &Profile, landlock: Landlock, identity: Identity) -> u32 {
    // Abstract sockets belong to a network namespace. From ABI 6 on Landlock keeps runs that share one apart.
    const SCOPES_ABSTRACT_SOCKETS: i32 = 6;
    let network = match profile.network {
        NetworkMode::Loopback => protocol::RUN_LOOPBACK,
        // A profile that leaves the network namespace away does not get one of the run's own instead.
        NetworkMode::None
            if landlock.abi() < SCOPES_ABSTRACT_SOCKETS && profile.layers.has(Layer::NetworkNamespace) =>
        {
            protocol::RUN_OWN_NETWORK
        }
        _ => 0,
    };
    let groups = match identity {
        Identity::Range { .. } => protocol::RUN_DROP_GROUPS,
        Identity::Own { .. } => 0,
    };
    match profile.confinement {
        Confinement::Sandbox if profile.rung() == Rung::EmptyProc => {
            profile.layers.off_flags() | network | groups | protocol::RUN_EMPTY_PROC
        }
        Confinement::Sandbox => profile.layers.off_flags() | network | groups,
        Confinement::InPlace => profile.in_force().off_flags() | groups | protocol::RUN_IN_PLACE,
        Confinement::Unconfined => Layers::none().off_flags() | protocol::RUN_UNCONFINED,
    }
}

/// Whether the kernel counts the processes of a run apart: in a user namespace of its own, or under a user of its own.
fn counts_processes(profile: &Profile, identity: Identity) -> bool {
    match profile.confinement {
        Confinement::Sandbox => true,
        Confinement::InPlace => matches!(identity, Identity::Range { .. }),
        Confinement::Unconfined => false,
    }
}

/// What the filter depends on.
pub(crate) fn filter_shape(profile: &Profile) -> filter::Shape {
    let setting = match profile.confinement {
        Confinement::Sandbox | Confinement::Unconfined => filter::Setting::Namespaces,
        Confinement::InPlace => filter::Setting::InPlace,
    };
    filter::Shape { network: profile.network, setting }
}

fn request_failed(error: rustix::io::Errno) -> LaunchError {
    LaunchError::Launcher { stage: "preparing the request", source: error.into() }
}

fn error_of(error: &std::io::Error) -> rustix::io::Errno {
    rustix::io::Errno::from_io_error(error).unwrap_or(rustix::io::Errno::IO)
}

fn without_nul(text: &[u8]) -> Result<&[u8], LaunchError> {
    if text.contains(&0) {
        return Err(LaunchError::Request { reason: "an argument or variable has a NUL byte in it".into() });
    }
    Ok(text)
}

/// Descriptors of a run; what travels is their index, after the blob and the control socket.
#[derive(Debug, Default)]
struct Descriptors(Vec<OwnedFd>);

impl Descriptors {
    fn add(&mut self, fd: OwnedFd) -> u32 {
        debug_assert!(fd.as_raw_fd() >= 0);
        self.0.push(fd);
        self.0.len() as u32 + 1
    }
}

/// The guest's whole environment: a few names that every program expects, then the profile's, then the step's.
fn environment(
    profile: &Profile,
    own_directory: Option<&Path>,
    step: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let places = match own_directory {
        Some(own) => [own.join(own_directory::HOME), own.join(own_directory::TEMPORARY)],
        None => [HOME, "/tmp"].map(PathBuf::from),
    };
    let [home, temporary] = places.map(PathBuf::into_os_string);
    let guest = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("HOME", home),
        ("TMPDIR", temporary),
        ("LANG", "C.UTF-8".into()),
        ("USER", "execres".into()),
        ("LOGNAME", "execres".into()),
    ]
    .into_iter()
    .map(|(name, value): (&str, OsString)| (name.into(), value));
    let mut all: std::collections::BTreeMap<OsString, OsString> = match profile.confinement {
        Confinement::Sandbox | Confinement::InPlace => guest.collect(),
        Confinement::Unconfined => std::collections::BTreeMap::new(),
    };
    all.extend(profile.environment.iter().map(|(name, value)| (name.into(), value.into())));
    all.extend(step.iter().cloned());
    all.into_iter().collect()
}

/// Resource, soft and hard value. Never above what the host itself may have, which the guest could not be given.
fn resource_limits(profile: &Profile, launcher: &Launcher) -> Vec<(u32, u64, u64)> {
    use rustix::process::Resource;
    let limits = &profile.limits;
    let cpu = limits.cpu_time.as_secs() + u64::from(limits.cpu_time.subsec_nanos() > 0);
    let mut all = vec![
        // The hard value is what ends a program that ignores the signal of the soft one.
        (Resource::Cpu, libc::RLIMIT_CPU, cpu.max(1), cpu.max(1) + 1),
        (Resource::Fsize, libc::RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (Resource::Nofile, libc::RLIMIT_NOFILE, limits.open_files.into(), limits.open_files.into()),
        (Resource::Core, libc::RLIMIT_CORE, 0, 0),
        (Resource::Memlock, libc::RLIMIT_MEMLOCK, 64 << 10, 64 << 10),
        (Resource::Msgqueue, libc::RLIMIT_MSGQUEUE, 64 << 10, 64 << 10),
    ];
    if counts_processes(profile, launcher.identity) {
        // Init has the same user and counts too. A run that shares its user with everything else of the host's would be
        // refused for what that has.
        let processes = u64::from(limits.processes) + 1;
        all.push((Resource::Nproc, libc::RLIMIT_NPROC, processes, processes));
    }
    if launcher.slot.is_none() {
        all.push((Resource::Data, libc::RLIMIT_DATA, limits.memory, limits.memory));
    }
    all.into_iter()
        .map(|(resource, number, soft, hard)| {
            let ceiling = rustix::process::getrlimit(resource).maximum.unwrap_or(u64::MAX);
            (number, soft.min(ceiling), hard.min(ceiling))
        })
        .collect()
}
