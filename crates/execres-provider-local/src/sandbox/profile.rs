//! The profile of a job.

use std::path::Path;

use execres_code::{CodeJob, GuestLayout, WorkingDirectory};
use execres_core::{Limits, NetworkMode};
use execres_isolation::{HandUp, Profile, ProfileError, Rung};
use execres_workspace::{AccessMode, OUTPUT_DIR, PRIVATE_DIR, Role};

use crate::tools::{Tool, grant};

/// Where a run's handed-up directories are in the report.
pub(super) const OUTPUT: usize = 0;
pub(super) const SCRATCH: usize = 1;

/// Everything that the job's program may touch: its source, its own places to write, and what its tools need.
pub(super) fn of(job: &CodeJob, working_directory: WorkingDirectory, tools: &[Tool]) -> Result<Profile, ProfileError> {
    let mut profile = Profile::deny_all()
        .with_limits(job.limits.clone())
        .with_network(job.network)
        .scratch(Path::new(GuestLayout::OUTPUT), HandUp::Yes)?
        .scratch(Path::new(GuestLayout::BUILD), HandUp::No)?;
    let (host, guest) = (job.grant.root(Role::Source), Path::new(GuestLayout::SOURCE));
    profile = match working_directory {
        WorkingDirectory::Scratch => profile.working_copy(host, guest)?,
        WorkingDirectory::ReadOnly => profile.read(host, guest)?,
    };
    profile = profile.alias(Path::new(GuestLayout::OUTPUT), &guest.join(OUTPUT_DIR))?;
    if let Some((workspace, _)) = job.grant.workspace_root() {
        let at = Path::new(GuestLayout::WORKSPACE);
        profile = match job.grant.mode() {
            AccessMode::ReadWrite => profile.write(workspace, at)?,
            _ => profile.read(workspace, at)?,
        };
        // The areas of every grant lie in there, with marks and collected outputs that are the host's alone. What is mounted
        // over the directory hides it, and keeps it from being moved or removed. It exists: the area of this grant is in it.
        profile = profile.scratch(&at.join(PRIVATE_DIR), HandUp::No)?;
    }
    for tool in tools {
        profile = grant(profile, tool)?;
    }
    if job.network == NetworkMode::Inherited {
        // Names are looked up as the host does it.
        for file in ["/etc/resolv.conf", "/etc/hosts"].map(Path::new) {
            if file.exists() {
                profile = profile.read(file, file)?;
            }
        }
    }
    Ok(with_environment(profile, job))
}

/// The same where there are no mounts: the directories of the grant themselves, which are copies that go with it.
pub(super) fn in_place(
    job: &CodeJob,
    working_directory: WorkingDirectory,
    tools: &[Tool],
) -> Result<Profile, ProfileError> {
    let mut profile =
        Profile::deny_all().on_rung(Rung::NoNamespaces).with_limits(job.limits.clone()).with_network(job.network);
    for role in [Role::Build, Role::Output] {
        profile = profile.write(job.grant.root(role), job.grant.root(role))?;
    }
    let source = job.grant.root(Role::Source);
    profile = match working_directory {
        WorkingDirectory::Scratch => profile.write(source, source)?,
        WorkingDirectory::ReadOnly => profile.read(source, source)?,
    };
    for tool in tools {
        profile = grant(profile, tool)?;
    }
    if let Some(resolver) =
        Path::new("/etc/resolv.conf").canonicalize().ok().filter(|_| job.network == NetworkMode::Inherited)
    {
        profile = profile.read(&resolver, &resolver)?;
    }
    let build = job.grant.root(Role::Build);
    let below = |name: &str| build.join(name).display().to_string();
    Ok(with_environment(profile, job)
        .with_variable("MPLCONFIGDIR", below("matplotlib"))
        .with_variable("XDG_CACHE_HOME", below("cache")))
}

/// Variables that libraries read, and that follow from the profile.
fn with_environment(profile: Profile, job: &CodeJob) -> Profile {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = numeric_threads(cores, &job.limits).to_string();
    ["OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS"]
        .into_iter()
        .fold(profile, |profile, name| profile.with_variable(name, threads.clone()))
        .with_variable("MPLCONFIGDIR", "/tmp/matplotlib")
        .with_variable("XDG_CACHE_HOME", "/tmp/cache")
}

/// How many threads numeric libraries are told to use. They start one for each core that they see, and fail where they may not.
/// OpenBLAS also maps 128 MiB for each, of which it uses little; where no controller counts memory, what is mapped counts, and
/// it waits without end for what it does not get. Half of the memory is left for the data.
fn numeric_threads(cores: usize, limits: &Limits) -> usize {
    const MAPPED_BY_EACH: u64 = 128 << 20;
    let by_processes = u64::from(limits.processes / 4);
    let by_memory = limits.memory / 2 / MAPPED_BY_EACH;
    cores.min(usize::try_from(by_processes.min(by_memory)).unwrap_or(usize::MAX)).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numeric_libraries_get_the_threads_that_processes_and_memory_allow() {
        let threads =
            |cores, memory, processes| numeric_threads(cores, &Limits { memory, processes, ..Limits::STANDARD });
        assert_eq!(threads(2, 1 << 30, 256), 2, "the cores");
        assert_eq!(threads(64, 1 << 30, 256), 4, "the memory");
        assert_eq!(threads(64, 64 << 30, 256), 64);
        assert_eq!(threads(64, 64 << 30, 20), 5, "the processes");
        assert_eq!(threads(8, 64 << 20, 2), 1, "one at least");
    }
}
