//! Memory controllers: one slot for each launcher, so that limits cost a write and not a migration.
//!
//! Moving a process between groups costs 5 to 11 ms on a v1 hierarchy; rewriting the limit of the group that it lives in
//! costs 4 µs. So a launcher is moved once, and each run it forks is born inside.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use execres_owner::{Leftover, OwnerRegistry, Reap, ReapError, Reaper, Registration};
use rustix::process::{Pid, PidfdFlags, Signal};

/// Where slots can be made on this host.
#[derive(Debug, Clone)]
pub(crate) struct Parent {
    directory: PathBuf,
    version: Version,
}

/// Which kind of hierarchy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    V1,
    V2,
}

/// A group of our own with a memory limit.
#[derive(Debug)]
pub(crate) struct Slot {
    directory: PathBuf,
    version: Version,
    /// The peak of version 2, open where the kernel can forget earlier ones (6.12). Older kernels only tell the peak of the
    /// group's whole life, which says nothing about one run.
    peak: Option<File>,
    /// Struck off when the directory is gone.
    registration: Option<Registration>,
}

/// What a controller counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Counters {
    /// Processes that the controller killed for memory.
    pub(crate) oom_kills: u64,
    /// Peak bytes since the limit was written, where the kernel can forget earlier ones.
    pub(crate) peak: Option<u64>,
}

/// The kind under which slots are registered.
pub(crate) const REGISTERED_AS: &str = "cgroup";

impl Parent {
    /// Looks for a hierarchy in which this process may make groups. Whether it really may is seen when it tries.
    pub(crate) fn find() -> Option<Parent> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
        v1(&own, &mounts).or_else(|| v2(&own, &mounts))
    }

    /// Where slots are made.
    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }

    /// In which kind of hierarchy.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// A new group. `None` when the host does not let us, which the caller reports as a limit that is polled.
    pub(crate) fn slot(&self, owners: Option<&Arc<OwnerRegistry>>) -> Option<Slot> {
        match self.make_slot(owners) {
            Ok(slot) => Some(slot),
            Err(error) => {
                tracing::debug!(%error, "this host lets us make no cgroup");
                None
            }
        }
    }

    /// A new group, or why there is none.
    pub(crate) fn make_slot(&self, owners: Option<&Arc<OwnerRegistry>>) -> io::Result<Slot> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let pid = rustix::process::getpid();
        let directory = match owners {
            Some(owners) => self.directory.join(format!("execres-{}-{number}", owners.mark().instance)),
            None => self.directory.join(format!("execres-{}-{number}", pid.as_raw_nonzero())),
        };
        // Registered first, so that a host that dies in between leaves nothing that nobody knows.
        let registration = match owners {
            Some(owners) => {
                let id = format!("{number}");
                Some(owners.register(REGISTERED_AS, &id, &directory).map_err(io::Error::other)?)
            }
            None => None,
        };
        if let Err(error) = fs::create_dir(&directory) {
            strike_off(registration);
            return Err(error);
        }
        let peak = match self.version {
            Version::V1 => None,
            // Root may open the file for writing on every kernel, so that the kernel can forget is seen when it does.
            Version::V2 => File::options()
                .read(true)
                .write(true)
                .open(directory.join("memory.peak"))
                .ok()
                .filter(|peak| forget(peak).is_ok()),
        };
        Ok(Slot { directory, version: self.version, peak, registration })
    }
}

fn v1(own: &str, mounts: &str) -> Option<Parent> {
    let path = own.lines().find_map(|line| {
        let mut parts = line.splitn(3, ':');
        let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
        controllers.split(',').any(|controller| controller == "memory").then_some(path)
    })?;
    let mount = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let memory =
            after.starts_with("cgroup ") && after.rsplit(' ').next()?.split(',').any(|option| option == "memory");
        memory.then(|| before.split(' ').nth(4)).flatten()
    })?;
    let below = Path::new(mount).join(path.trim_start_matches('/'));
    // In a container the path is that of the outer hierarchy and may not exist here.
    let directory = if below.join("memory.limit_in_bytes").exists() { below } else { PathBuf::from(mount) };
    Some(Parent { directory, version: Version::V1 })
}

fn v2(own: &str, mounts: &str) -> Option<Parent> {
    let path = own.lines().find_map(|line| line.strip_prefix("0::"))?;
    let mount = mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        after.starts_with("cgroup2 ").then(|| before.split(' ').nth(4)).flatten()
    })?;
    let own = Path::new(mount).join(path.trim_start_matches('/'));
    // A group with processes cannot hand controllers to groups below it, so a slot is made beside our own group.
    let beside = if path == "/" { own } else { own.parent()?.to_owned() };
    let enabled = fs::read_to_string(beside.join("cgroup.subtree_control")).ok()?;
    let has = |text: &str| text.split_ascii_whitespace().any(|controller| controller == "memory");
    if has(&enabled) || fs::write(beside.join("cgroup.subtree_control"), "+memory").is_ok() {
        return Some(Parent { directory: beside, version: Version::V2 });
    }
    None
}

impl Slot {
    /// Moves a process here, with everything that it forks from then on.
    pub(crate) fn adopt(&self, pid: i32) -> io::Result<()> {
        fs::write(self.directory.join("cgroup.procs"), pid.to_string())
    }

    /// Writes the limit for the next run and forgets the peak of the last one.
    pub(crate) fn set_memory(&self, limit: u64) -> io::Result<()> {
        let write = |file: &str, value: &str| fs::write(self.directory.join(file), value);
        let bytes = limit.to_string();
        match self.version {
            Version::V1 => {
                // The two limits have to keep their order, so the order of writing depends on the direction.
                let both = |first: &str, second: &str| write(first, &bytes).and_then(|()| write(second, &bytes));
                let (memory, swap) = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
                if !self.directory.join(swap).exists() {
                    write(memory, &bytes)?;
                } else if let Err(error) = both(memory, swap) {
                    // When neither order is accepted, the first answer is the one that says why.
                    both(swap, memory).map_err(|_| error)?;
                }
                write("memory.max_usage_in_bytes", "0")
            }
            Version::V2 => {
                self.make_room(limit)?;
                write("memory.max", &bytes)?;
                // Kernels without swap have no such file.
                if let Err(error) = write("memory.swap.max", "0")
                    && error.kind() != io::ErrorKind::NotFound
                {
                    return Err(error);
                }
                self.peak.as_ref().map_or(Ok(()), forget)
            }
        }
    }

    /// Sees to it that a limit that is about to be written is not passed already.
    ///
    /// Version 1 refuses such a limit. Version 2 takes it and kills for it, and what it would kill is the launcher.
    fn make_room(&self, bytes: u64) -> io::Result<()> {
        let used = || -> io::Result<u64> {
            let text = fs::read_to_string(self.directory.join("memory.current"))?;
            text.trim().parse().map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
        };
        if used()? <= bytes {
            return Ok(());
        }
        // This limit makes the kernel give up caches and never kills. It is no limit for the run, which it would only slow.
        let soft = self.directory.join("memory.high");
        fs::write(&soft, bytes.to_string())?;
        let left = used();
        fs::write(&soft, "max")?;
        if left? > bytes { Err(io::ErrorKind::ResourceBusy.into()) } else { Ok(()) }
    }

    /// The peak of version 2 since it was forgotten.
    fn peak_since(&self) -> Option<u64> {
        let mut text = [0; 24];
        let read = self.peak.as_ref()?.read_at(&mut text, 0).ok()?;
        std::str::from_utf8(text.get(..read)?).ok()?.trim().parse().ok()
    }

    /// What the controller has counted.
    pub(crate) fn counters(&self) -> Counters {
        let read = |file: &str| fs::read_to_string(self.directory.join(file)).ok();
        let events = read(match self.version {
            Version::V1 => "memory.oom_control",
            Version::V2 => "memory.events",
        });
        let oom_kills = events
            .iter()
            .flat_map(|text| text.lines())
            .find_map(|line| line.strip_prefix("oom_kill ")?.parse().ok())
            .unwrap_or(0);
        let peak = match self.version {
            Version::V1 => read("memory.max_usage_in_bytes").and_then(|text| text.trim().parse().ok()),
            Version::V2 => self.peak_since(),
        };
        Counters { oom_kills, peak }
    }

    /// Bytes of shared memory that are charged here: files in scratch spaces, of a run in progress or kept by the host.
    pub(crate) fn shared_memory(&self) -> u64 {
        let stat = fs::read_to_string(self.directory.join("memory.stat")).unwrap_or_default();
        stat.lines().find_map(|line| line.strip_prefix("shmem ")?.parse().ok()).unwrap_or(0)
    }

    /// What enforces the limit, for reports.
    pub(crate) fn mechanism(&self) -> &'static str {
        match self.version {
            Version::V1 => "cgroup v1 memory",
            Version::V2 => "cgroup v2 memory",
        }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // The launcher was collected before, but the kernel takes its children out of the group a moment later. What is
        // still there then is left to `reap`, which knows it from the register.
        let mut gone = false;
        for _ in 0..500 {
            match fs::remove_dir(&self.directory) {
                // The kernel offers nothing to wait on here that works in both versions.
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                    // Only a run without a PID namespace leaves anything here.
                    end_everything_in(&self.directory);
                    std::thread::sleep(std::time::Duration::from_millis(1));
                }
                Err(error) => {
                    gone = error.kind() == io::ErrorKind::NotFound;
                    break;
                }
                Ok(()) => {
                    gone = true;
                    break;
                }
            }
        }
        if gone {
            strike_off(self.registration.take());
        }
    }
}

/// Makes the kernel forget a peak of version 2, for this descriptor alone. What is written does not matter.
fn forget(peak: &File) -> io::Result<()> {
    peak.write_all_at(b"reset", 0)
}

fn strike_off(registration: Option<Registration>) {
    if let Some(Err(error)) = registration.map(Registration::release) {
        tracing::debug!(%error, "a cgroup that is gone stays in the register until it is reaped");
    }
}

/// Removes the groups of dead owners.
#[derive(Debug, Clone, Copy, Default)]
pub struct CgroupReaper;

impl Reaper for CgroupReaper {
    fn kind(&self) -> &str {
        REGISTERED_AS
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        let path = &leftover.path;
        let ours = format!("execres-{}-", leftover.owner.instance);
        let named = path.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with(&ours));
        if !named {
            return Err(ReapError::NotOurs { path: path.clone() });
        }
        let give_up = Instant::now() + EMPTYING;
        loop {
            match fs::remove_dir(path) {
                Ok(()) => return Ok(Reap::Removed),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Reap::Absent),
                Err(error) if error.kind() == io::ErrorKind::ResourceBusy && Instant::now() < give_up => {
                    // Whatever is in the group was put there by the dead owner's launcher.
                    end_everything_in(path);
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(error) => return Err(ReapError::Failed { path: path.clone(), why: error.to_string() }),
            }
        }
    }
}

/// How long the kernel may take to empty a group whose processes are dead.
const EMPTYING: Duration = Duration::from_secs(2);

fn end_everything_in(group: &Path) {
    let listed = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
    for pid in listed.lines().filter_map(|line| line.parse().ok()).filter_map(Pid::from_raw) {
        let Ok(pidfd) = rustix::process::pidfd_open(pid, PidfdFlags::empty()) else { continue };
        // Listed again after the pidfd was opened, so that the number still means a process of the group.
        let still = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
        let number = pid.as_raw_nonzero().to_string();
        if still.lines().any(|line| line == number)
            && let Err(error) = rustix::process::pidfd_send_signal(&pidfd, Signal::KILL)
        {
            tracing::debug!(%error, "a process in a group of ours could not be ended");
        }
    }
}
