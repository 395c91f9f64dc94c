//! The limits of a run: what the kernel is told, and what is said of what enforces them.

use execres_core::{Enforcement, LimitReport};

use crate::identity::Identity;
use crate::launcher::Launcher;
use crate::profile::{Confinement, Profile};
use crate::rung::Rung;
use crate::sandbox::Sandbox;

impl Sandbox {
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
        // Below Landlock's ABI 6 a guest without a PID namespace can stop its init, and then the host ends what it knows of.
        let steered = profile.confinement == Confinement::InPlace && self.landlock().abi() < 6;
        let (wall_time, output) = if steered {
            let by = "the host, from outside: a guest can stop its init here, and what it hides goes on";
            (report("wall_time", Enforcement::Polled, by), report("output", Enforcement::Polled, by))
        } else {
            (
                report("wall_time", Enforcement::Enforced, "init, by the monotonic clock"),
                report("output", Enforcement::Enforced, "the run is ended at the hard cap"),
            )
        };
        let scratch = match profile.confinement {
            Confinement::Sandbox => report("scratch", Enforcement::Enforced, "tmpfs size and inodes"),
            _ => report("scratch", Enforcement::None, "the host's disk"),
        };
        vec![
            memory,
            processes,
            report("cpu_time", Enforcement::Enforced, "RLIMIT_CPU, for each process"),
            wall_time,
            report("file_size", Enforcement::Enforced, "RLIMIT_FSIZE"),
            report("open_files", Enforcement::Enforced, "RLIMIT_NOFILE"),
            scratch,
            output,
        ]
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

/// Resource, soft and hard value. Never above what the host itself may have, which the guest could not be given.
pub(super) fn resource_limits(profile: &Profile, launcher: &Launcher) -> Vec<(u32, u64, u64)> {
    use rustix::process::Resource;
    let limits = &profile.limits;
    let cpu = limits.cpu_time.as_secs().saturating_add(u64::from(limits.cpu_time.subsec_nanos() > 0));
    let open_files = match (profile.confinement, launcher.identity) {
        // Descriptors that wait in sockets are counted for the user, and a process may send no more of them than it may have
        // open. A guest that has the host's user and its limit could keep the host from sending any.
        (Confinement::Sandbox | Confinement::InPlace, Identity::Own { .. }) => {
            let own = rustix::process::getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
            u64::from(limits.open_files).min((own / 2).max(16))
        }
        _ => limits.open_files.into(),
    };
    let mut all = vec![
        // The hard value is what ends a program that ignores the signal of the soft one.
        (Resource::Cpu, libc::RLIMIT_CPU, cpu.max(1), cpu.max(1).saturating_add(1)),
        (Resource::Fsize, libc::RLIMIT_FSIZE, limits.file_size, limits.file_size),
        (Resource::Nofile, libc::RLIMIT_NOFILE, open_files, open_files),
        // Too small for a file, and the one value for which the kernel starts no handler of the host's either.
        (Resource::Core, libc::RLIMIT_CORE, 1, 1),
        (Resource::Memlock, libc::RLIMIT_MEMLOCK, 64 << 10, 64 << 10),
        (Resource::Msgqueue, libc::RLIMIT_MSGQUEUE, 64 << 10, 64 << 10),
    ];
    if profile.confinement != Confinement::Unconfined {
        // What a host may have beyond the ordinary is not for its guests: with a real-time priority one of them keeps every
        // processor, and init's clock with it.
        all.extend([
            (Resource::Rtprio, libc::RLIMIT_RTPRIO, 0, 0),
            (Resource::Nice, libc::RLIMIT_NICE, 0, 0),
            (Resource::Sigpending, libc::RLIMIT_SIGPENDING, 1024, 1024),
            (Resource::Stack, libc::RLIMIT_STACK, 8 << 20, u64::MAX),
        ]);
    }
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
