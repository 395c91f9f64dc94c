//! The memory controller.

use execres_core::{Enforcement, IsolationReport};
use execres_isolation::host::{Hierarchy, HostFacts, MemoryControl};

use super::report::{Check, Group, Importance, Remedy, Status};

const WHY: &str =
    "with a controller the kernel holds the memory limit of a run; otherwise it is looked at, or not held";

pub(super) fn memory(host: &HostFacts, report: Option<&IsolationReport>) -> Check {
    let check =
        |found: String| Check::ok("cgroup.memory", Group::Isolation, WHY, found).of_importance(Importance::Useful);
    let hierarchy = match host.memory.hierarchy {
        Hierarchy::V1 => "version 1",
        Hierarchy::V2 => "version 2",
        _ => {
            return check("no hierarchy with a memory controller is mounted".to_owned())
                .with_status(Status::Degraded)
                .with_remedy(remedy(host));
        }
    };
    let refused = match &host.memory.control {
        MemoryControl::Works => {
            // What a run got is what counts; the trial before it only says why.
            let limits = report.map_or(&[][..], |report| report.limits.as_slice());
            let polled =
                limits.iter().any(|limit| limit.limit == "memory" && limit.enforcement != Enforcement::Enforced);
            let found = format!("{hierarchy}: made a group, moved a process into it, set its limit, removed it");
            return if polled {
                check(format!("{found}; and yet a run had none")).with_status(Status::Degraded)
            } else {
                check(found)
            };
        }
        MemoryControl::NoController => "the memory controller is not given to groups of ours".to_owned(),
        MemoryControl::NoGroup { why } => format!("a group cannot be made: {why}"),
        MemoryControl::NoMove { why } => format!("a process cannot be moved into a group of ours: {why}"),
        MemoryControl::NoLimit { why } => format!("a limit cannot be written: {why}"),
        _ => return check(format!("{hierarchy}; could not be tried")).with_status(Status::Unknown),
    };
    let read_only = if host.memory.read_only { " (it is mounted read-only)" } else { "" };
    check(format!("{hierarchy}, not delegated: {refused}{read_only}"))
        .with_status(Status::Degraded)
        .with_remedy(remedy(host))
}

fn remedy(host: &HostFacts) -> Remedy {
    match (&host.container, host.memory.hierarchy) {
        (Some(container), _) if container.engine == "docker" || container.engine == "podman" => Remedy::commands(
            "Limit the whole container, which then holds every run in it:",
            [format!("{} run --memory 4g …", container.engine)],
        ),
        (Some(_), _) => Remedy::advice("Limit the whole container, which then holds every run in it."),
        (None, Hierarchy::V2) if host.identity.uid != 0 => Remedy::commands(
            "Start it in a group that systemd delegates to you:",
            ["systemd-run --user --scope -p Delegate=yes execres doctor"],
        ),
        (None, Hierarchy::V2) => Remedy::commands(
            "Start it in a group that systemd delegates:",
            ["sudo systemd-run --scope -p Delegate=yes execres doctor"],
        ),
        (None, Hierarchy::V1) => Remedy::advice(
            "On version 1 only root makes groups: start it as root, whose runs get another identity, or boot with \
             systemd.unified_cgroup_hierarchy=1.",
        ),
        (None, _) => Remedy::commands("Mount one:", ["sudo mount -t cgroup2 none /sys/fs/cgroup"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::surroundings::tests::host;

    #[test]
    fn a_refused_move_is_not_taken_for_delegation() {
        let mut facts = host();
        facts.memory.hierarchy = Hierarchy::V2;
        facts.memory.control = MemoryControl::NoMove { why: "Permission denied".into() };
        facts.identity.uid = 1000;
        facts.container = None;
        let check = memory(&facts, None);
        assert_eq!(check.status, Status::Degraded);
        assert!(check.found.contains("cannot be moved"), "{}", check.found);
        assert!(check.remedies[0].commands[0].starts_with("systemd-run --user --scope"), "{:?}", check.remedies);
        // The control.
        facts.memory.control = MemoryControl::Works;
        assert_eq!(memory(&facts, None).status, Status::Ok);
    }

    #[test]
    fn what_a_run_got_counts_more_than_the_trial() {
        let mut facts = host();
        facts.memory.control = MemoryControl::Works;
        let mut report = IsolationReport::none(execres_core::NetworkMode::None);
        let memory_limit =
            |enforcement| execres_core::LimitReport { limit: "memory".into(), enforcement, mechanism: "x".into() };
        report.limits = vec![memory_limit(Enforcement::Polled)];
        assert_eq!(memory(&facts, Some(&report)).status, Status::Degraded);
        report.limits = vec![memory_limit(Enforcement::Enforced)];
        assert_eq!(memory(&facts, Some(&report)).status, Status::Ok);
    }
}
