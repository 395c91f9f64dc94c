//! Memory controllers: which hierarchy has one, and whether a process can really be moved into a group with a limit.

use std::path::PathBuf;
use std::sync::Arc;

use execres_owner::OwnerRegistry;
use serde::Serialize;

use super::mountinfo::Mounts;
use super::rehearsal::Rehearsal;
use super::setting;
use crate::cgroup::{Parent, Version};

/// The memory controller of this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct MemoryFacts {
    /// Where the controller is.
    pub hierarchy: Hierarchy,
    /// Whether the hierarchy is mounted so that nothing can be written.
    pub read_only: bool,
    /// The group below which groups would be made.
    pub parent: Option<PathBuf>,
    /// What became of trying.
    pub control: MemoryControl,
}

/// Which hierarchy has the memory controller.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Hierarchy {
    /// A version 1 hierarchy, beside which there may be one of version 2 without it.
    V1,
    /// The one of version 2.
    V2,
    /// None that is mounted here.
    None,
}

/// What became of a group with a limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "result")]
#[non_exhaustive]
pub enum MemoryControl {
    /// A group was made, a process was moved into it, a limit was written, and the group was removed.
    Works,
    /// There is no controller for groups of ours.
    NoController,
    /// A group could not be made.
    NoGroup {
        /// The kernel's answer.
        why: String,
    },
    /// A process could not be moved.
    NoMove {
        /// The kernel's answer.
        why: String,
    },
    /// A limit could not be written.
    NoLimit {
        /// The kernel's answer.
        why: String,
    },
    /// There was no process to move.
    NotTried,
}

impl MemoryFacts {
    pub(super) fn try_with(rehearsal: Option<Rehearsal>, owners: Option<&Arc<OwnerRegistry>>, mounts: &Mounts) -> Self {
        let parent = Parent::find();
        let own = setting::read("/proc/self/cgroup").unwrap_or_default();
        let found = parent.as_ref().map(|parent| match parent.version() {
            Version::V1 => Hierarchy::V1,
            Version::V2 => Hierarchy::V2,
        });
        let hierarchy = found.unwrap_or_else(|| hierarchy(&own, mounts));
        let control = match (&parent, rehearsal) {
            (None, _) => MemoryControl::NoController,
            (Some(_), None) => MemoryControl::NotTried,
            (Some(parent), Some(rehearsal)) => try_out(parent, rehearsal, owners),
        };
        MemoryFacts {
            hierarchy,
            read_only: mount(hierarchy, mounts).is_some_and(super::mountinfo::Mount::is_read_only),
            parent: parent.map(|parent| parent.directory().to_owned()),
            control,
        }
    }
}

fn try_out(parent: &Parent, rehearsal: Rehearsal, owners: Option<&Arc<OwnerRegistry>>) -> MemoryControl {
    let slot = match parent.make_slot(owners) {
        Ok(slot) => slot,
        Err(error) => return MemoryControl::NoGroup { why: error.to_string() },
    };
    if let Err(error) = slot.adopt(rehearsal.pid()) {
        return MemoryControl::NoMove { why: error.to_string() };
    }
    // Far more than a launcher has, and less than a host.
    let limited = slot.set_memory(64 << 20);
    // It ends before the group goes, so that there is nothing in the group that has to be ended.
    drop(rehearsal);
    match limited {
        Ok(()) => MemoryControl::Works,
        Err(error) => MemoryControl::NoLimit { why: error.to_string() },
    }
}

/// Which hierarchy has the controller, whether or not groups can be made in it.
fn hierarchy(own: &str, mounts: &Mounts) -> Hierarchy {
    let v1 =
        own.lines().any(|line| line.split(':').nth(1).is_some_and(|list| list.split(',').any(|one| one == "memory")));
    match (v1, mount(Hierarchy::V2, mounts)) {
        (true, _) if mount(Hierarchy::V1, mounts).is_some() => Hierarchy::V1,
        (_, Some(_)) => Hierarchy::V2,
        _ => Hierarchy::None,
    }
}

fn mount(hierarchy: Hierarchy, mounts: &Mounts) -> Option<&super::mountinfo::Mount> {
    mounts.0.iter().find(|mount| match hierarchy {
        Hierarchy::V1 => mount.file_system == "cgroup" && mount.super_options.iter().any(|option| option == "memory"),
        Hierarchy::V2 => mount.file_system == "cgroup2",
        Hierarchy::None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hierarchy_with_the_controller_is_found_in_both_versions_and_in_hybrids() {
        let unified = Mounts::parse("35 24 0:30 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw,nsdelegate\n");
        assert_eq!(hierarchy("0::/user.slice/user-1000.slice/session-1.scope\n", &unified), Hierarchy::V2);
        assert!(mount(Hierarchy::V2, &unified).unwrap().is_read_only(), "as in a container");

        let hybrid = Mounts::parse(
            "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
             41 31 0:38 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw\n",
        );
        assert_eq!(hierarchy("4:memory:/a\n1:cpu,cpuacct:/\n0::/\n", &hybrid), Hierarchy::V1);
        // The controller can be in version 2 while others are in version 1.
        assert_eq!(hierarchy("1:cpu,cpuacct:/\n0::/\n", &hybrid), Hierarchy::V2);
        assert_eq!(hierarchy("", &Mounts::default()), Hierarchy::None);
    }
}
