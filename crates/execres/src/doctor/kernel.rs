//! What the kernel has beside namespaces.

use execres_core::Axis;
use execres_isolation::host::{HostFacts, LandlockState, SeccompMode};
use execres_isolation::{LaunchError, Rung, Standing};

use super::examination::Tried;
use super::report::{Check, Group, Importance, Remedy, Status};

/// What `mount_setattr`, `close_range` and Landlock came with.
const OLDEST: (u32, u32) = (5, 13);

pub(super) fn version(host: &HostFacts, tried: &Tried) -> Check {
    let kernel = &host.kernel;
    let found = format!("Linux {} on {}", kernel.release, kernel.machine);
    let check = Check::ok("host.kernel", Group::Host, "the launcher needs Linux 5.13 on x86-64 or aarch64", found)
        .of_importance(Importance::Required);
    if !kernel.has_launcher() {
        return check
            .with_status(Status::Missing)
            .with_remedy(Remedy::advice("There is no launcher for this machine: use a provider of another kind."));
    }
    match kernel.version() {
        Some(version) if version >= OLDEST => check,
        // Distributions bring features to older kernels; what works is not to be argued with.
        _ if tried.as_ref().is_ok_and(|standing| !standing.report.axes().is_empty()) => check,
        Some(_) => check.with_status(Status::Missing).with_remedy(Remedy::advice("Use a newer kernel: 5.13 at least.")),
        None => check.with_status(Status::Unknown),
    }
}

pub(super) fn landlock(host: &HostFacts) -> Check {
    const WHY: &str = "a second wall around files, and what keeps the abstract sockets of runs apart";
    let check =
        |found: String| Check::ok("kernel.landlock", Group::Isolation, WHY, found).of_importance(Importance::Useful);
    match &host.landlock {
        LandlockState::Available { abi } => {
            let newer = host.landlock.newer_adds();
            if newer.is_empty() {
                return check(format!("ABI {abi}"));
            }
            let check = check(format!("ABI {abi}; newer kernels add {}", newer.join(", ")));
            // From ABI 6 on runs can share the empty network namespace; what is missing before is made up for.
            if *abi >= 6 {
                check
            } else {
                check.with_status(Status::Degraded).with_remedy(Remedy::advice(
                    "Use Linux 6.12 or newer. Until then each run gets a network namespace of its own.",
                ))
            }
        }
        LandlockState::OffAtBoot { started } => {
            // The list on the command line takes the place of the one that the kernel was built with, so it has to be whole.
            let others = started.iter().filter(|module| *module != "capability").map(String::as_str);
            let list: Vec<&str> = ["landlock"].into_iter().chain(others).collect();
            check("built in, and not started at boot".to_owned()).with_status(Status::Degraded).with_remedy(
                Remedy::commands(
                    format!(
                        "Put landlock in front of the security modules on the kernel's command line: add lsm={} to \
                         GRUB_CMDLINE_LINUX in /etc/default/grub, then:",
                        list.join(",")
                    ),
                    ["sudo update-grub", "sudo reboot"],
                ),
            )
        }
        LandlockState::NotBuilt => check("this kernel was built without it".to_owned())
            .with_status(Status::Degraded)
            .with_remedy(Remedy::advice(
                "Use a kernel with CONFIG_SECURITY_LANDLOCK=y; those of the large distributions have it.",
            )),
        _ => check("it does not answer, as under a system-call filter that does not know it".to_owned())
            .with_status(Status::Degraded)
            .with_remedy(Remedy::commands(
                "See whether the kernel has it, and whether `landlock` is among the modules that were started:",
                ["grep LANDLOCK /boot/config-$(uname -r)", "cat /sys/kernel/security/lsm"],
            )),
    }
}

pub(super) fn seccomp(host: &HostFacts, tried: &Tried) -> Check {
    const WHY: &str = "a filter refuses the calls by which programs attack the kernel";
    let under = match host.seccomp.mode {
        Some(SeccompMode::Filter) => "; this process is under a filter itself, which every run inherits",
        Some(SeccompMode::Strict) => "; this process is in strict mode",
        _ => "",
    };
    let check = |found: String| Check::ok("kernel.seccomp", Group::Isolation, WHY, found);
    // A run whose filter was seen from outside says more than what the kernel lists.
    let installed = tried.as_ref().is_ok_and(|standing| standing.report.axes().contains(Axis::SyscallsRestricted));
    if installed {
        check(format!("filters work{under}"))
    } else if host.seccomp.has_filters() {
        check(format!("the kernel has filters{under}"))
    } else {
        check("this kernel has no filters".to_owned())
            .with_status(Status::Missing)
            .with_remedy(Remedy::advice("Use a kernel with CONFIG_SECCOMP_FILTER=y."))
    }
}

pub(super) fn proc(host: &HostFacts, tried: &Tried) -> Check {
    const WHY: &str = "runtimes read /proc; a private one shows a program nothing but itself";
    let check = |found: String| Check::ok("kernel.proc", Group::Isolation, WHY, found);
    let masks = &host.proc.masks;
    let named: Vec<String> = masks.iter().take(4).map(|mask| mask.display().to_string()).collect();
    let more =
        if masks.len() > named.len() { format!(" and {} more", masks.len() - named.len()) } else { String::new() };
    let covered = format!("{}{more}", named.join(", "));
    if !host.proc.mounted {
        return check("no /proc is mounted".to_owned())
            .with_status(Status::Missing)
            .with_remedy(Remedy::commands("Mount it:", ["sudo mount -t proc proc /proc"]));
    }
    match tried {
        Ok(Standing { rung: Rung::Full, .. }) => {
            let covered = if masks.is_empty() { String::new() } else { format!(", though {covered} is covered") };
            check(format!("a run mounted a private one{covered}"))
        }
        Ok(Standing { rung: Rung::EmptyProc, .. }) => {
            let cause = if masks.is_empty() { String::new() } else { format!(", because something covers {covered}") };
            uncover(check(format!("a private one is refused, and programs find it empty{cause}")), host)
                .with_status(Status::Degraded)
        }
        Ok(_) => check("programs cannot open it, as there are no namespaces".to_owned())
            .with_status(Status::Degraded)
            .with_remedy(Remedy::advice(
                "With user namespaces programs get one of their own: see kernel.user_namespaces.",
            )),
        Err(_) if !masks.is_empty() => {
            uncover(check(format!("something covers {covered}, so the kernel refuses a private one")), host)
                .with_status(Status::Missing)
        }
        Err(error) if is_about_proc(error) => {
            uncover(check(format!("a private one is refused: {error}")), host).with_status(Status::Missing)
        }
        Err(_) => check("nothing covers it; a private one could not be tried, as no run started".to_owned())
            .with_status(Status::Unknown),
    }
}

fn is_about_proc(error: &LaunchError) -> bool {
    matches!(error, LaunchError::PrivateProc { .. })
}

fn uncover(check: Check, host: &HostFacts) -> Check {
    let engine = host.container.as_ref().map(|container| container.engine.as_str());
    check.with_remedy(match engine {
        Some("docker") => Remedy::commands(
            "Start the container with an uncovered /proc:",
            ["docker run --security-opt systempaths=unconfined …"],
        ),
        Some("podman") => {
            Remedy::commands("Start the container with an uncovered /proc:", ["podman run --security-opt unmask=ALL …"])
        }
        Some("kubernetes") => Remedy::advice(
            "Set procMount: Unmasked in the container's securityContext, with hostUsers: false in the pod.",
        ),
        _ => Remedy::commands(
            "Take off what covers parts of /proc, or start outside what put it there. To see it:",
            ["grep ' /proc/' /proc/self/mountinfo"],
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::surroundings::tests::host;

    #[test]
    fn landlock_s_three_answers_read_differently() {
        let of = |state| {
            let mut facts = host();
            facts.landlock = state;
            landlock(&facts)
        };
        assert_eq!(of(LandlockState::Available { abi: 7 }).status, Status::Ok);
        let old = of(LandlockState::Available { abi: 4 });
        assert_eq!(old.status, Status::Degraded);
        assert!(old.found.contains("abstract sockets and signals (6.12)"), "{}", old.found);
        let off = || LandlockState::OffAtBoot { started: ["capability", "yama", "apparmor"].map(str::to_owned).into() };
        assert!(of(off()).found.contains("not started at boot"));
        assert!(of(off()).remedies[0].says.contains("lsm=landlock,yama,apparmor to"), "{:?}", of(off()).remedies);
        assert!(of(LandlockState::NotBuilt).found.contains("built without"));
        for state in [LandlockState::NotBuilt, LandlockState::Absent] {
            assert!(!of(state.clone()).remedies.is_empty(), "{state:?}");
        }
    }

    #[test]
    fn a_covered_proc_is_said_with_the_option_of_the_engine() {
        let mut facts = host();
        facts.proc.masks = ["/proc/acpi", "/proc/bus", "/proc/fs", "/proc/irq", "/proc/kcore"].map(Into::into).into();
        let refused = || Err(LaunchError::Probe { reason: "the root could not be built".into() });
        let check = proc(&facts, &refused());
        assert_eq!(check.status, Status::Missing);
        assert!(check.found.contains("/proc/acpi, /proc/bus, /proc/fs, /proc/irq and 1 more"), "{}", check.found);
        facts.container = Some(execres_isolation::host::Container::named("docker"));
        assert!(proc(&facts, &refused()).remedies[0].commands[0].contains("systempaths=unconfined"));
        // The control: nothing is covered, and something else refused.
        assert_eq!(proc(&host(), &refused()).status, Status::Unknown);
    }

    #[test]
    fn an_old_kernel_is_missing() {
        let mut facts = host();
        let refused = Err(LaunchError::Probe { reason: "something is not there".into() });
        assert_eq!(version(&facts, &refused).status, Status::Ok);
        facts.kernel.release = "4.18.0-513.el8.x86_64".into();
        assert_eq!(version(&facts, &refused).status, Status::Missing);
    }
}
