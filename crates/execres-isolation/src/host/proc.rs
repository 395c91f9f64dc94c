//! What covers parts of `/proc`.
//!
//! The kernel lets a namespace mount a `/proc` of its own only where nothing of the one around it is hidden, because the new one
//! would show it again. Container engines hide parts by default.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::mountinfo::Mounts;

/// `/proc` as this process sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ProcFacts {
    /// Whether it is mounted at all.
    pub mounted: bool,
    /// What is mounted over parts of it, in the order of their names.
    pub masks: Vec<PathBuf>,
}

/// A mount below `/proc` that hides nothing: the kernel makes an empty directory for it.
const HARMLESS: [&str; 2] = ["/proc/sys/fs/binfmt_misc", "/proc/fs/nfsd"];

impl ProcFacts {
    pub(super) fn of(mounts: &Mounts) -> Self {
        let proc = Path::new("/proc");
        let below = mounts.0.iter().map(|mount| &mount.point).filter(|point| *point != proc && point.starts_with(proc));
        let mut masks: Vec<PathBuf> =
            below.filter(|point| !HARMLESS.iter().any(|harmless| *point == Path::new(harmless))).cloned().collect();
        masks.sort();
        masks.dedup();
        ProcFacts { mounted: mounts.at(proc).is_some_and(|mount| mount.file_system == "proc"), masks }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn docker_s_masks_are_found_and_an_ordinary_host_has_none() {
        let docker = "\
690 688 0:64 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
700 690 0:64 /bus /proc/bus ro,nosuid,nodev,noexec,relatime - proc proc rw
701 690 0:64 /sys /proc/sys ro,nosuid,nodev,noexec,relatime - proc proc rw
702 690 0:70 / /proc/acpi ro,relatime - tmpfs tmpfs ro
703 690 0:65 /null /proc/kcore rw,nosuid - tmpfs tmpfs rw,size=65536k,mode=755
";
        let facts = ProcFacts::of(&Mounts::parse(docker));
        assert!(facts.mounted);
        assert_eq!(facts.masks, ["/proc/acpi", "/proc/bus", "/proc/kcore", "/proc/sys"].map(PathBuf::from));

        let plain = "\
22 27 0:21 / /proc rw,nosuid - proc proc rw
40 22 0:30 / /proc/sys/fs/binfmt_misc rw,relatime - autofs systemd-1 rw,fd=30
";
        let facts = ProcFacts::of(&Mounts::parse(plain));
        assert_eq!(facts, ProcFacts { mounted: true, masks: Vec::new() });
    }
}
