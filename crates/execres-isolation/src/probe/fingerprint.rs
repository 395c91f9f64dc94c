//! What evidence depends on: when any of this differs, what was found before says nothing.

use std::fmt::Write;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::OnceLock;

use sha2::{Digest, Sha256};

use crate::filter;
use crate::profile::Profile;
use crate::sandbox::{Sandbox, filter_shape};
use crate::sys::start;

/// Settings of the kernel that decide what a guest can do, or whether there is a sandbox at all.
const SETTINGS: &[&str] = &[
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
    "/proc/sys/kernel/unprivileged_userns_clone",
    "/proc/sys/kernel/yama/ptrace_scope",
    "/proc/sys/vm/memfd_noexec",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/seccomp/actions_avail",
    "/proc/sys/fs/protected_hardlinks",
    "/proc/sys/fs/protected_symlinks",
    "/proc/sys/fs/suid_dumpable",
    "/proc/sys/user/max_user_namespaces",
    "/proc/sys/user/max_pid_namespaces",
    "/proc/sys/user/max_mnt_namespaces",
    "/proc/sys/user/max_net_namespaces",
];

/// Namespaces of this process, in which a launcher begins.
const NAMESPACES: &[&str] = &["user", "mnt", "pid", "net", "ipc", "uts", "cgroup"];

/// Lines of `/proc/self/status` that a launcher inherits.
const STATUS: &[&str] =
    &["Uid", "Gid", "Groups", "NoNewPrivs", "Seccomp", "Seccomp_filters", "CapInh", "CapPrm", "CapEff", "CapBnd"];

/// Where a mount changes what a guest finds.
const ROOTS: &[&str] = &["/usr", "/bin", "/sbin", "/lib", "/etc", "/nix", "/proc", "/sys", "/dev", "/tmp"];

/// Everything that the evidence for this profile's shape depends on, as text that two processes write alike.
///
/// Grants do not take part: each is checked when a run is launched. Neither do limits, which are reported beside the axes.
pub(super) fn fingerprint(sandbox: &Sandbox, profile: &Profile) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string does not fail.
        if writeln!(text, "{name}={}", value.trim().escape_debug()).is_err() {}
    };
    line("network", &profile.network.to_string());
    line("rung", profile.rung().as_str());
    line("layers", &format!("{:?}", profile.layers));
    line("landlock", &sandbox.landlock().abi().to_string());
    line("controllers", if sandbox.has_controllers() { "used" } else { "not used" });
    line("launcher", launcher_digest());
    line(
        "filter",
        &filter::filter_of(filter_shape(profile)).map_or_else(|error| error.to_string(), |one| digest(&one.bytes())),
    );
    line("program", &program());
    line("boot", &read("/proc/sys/kernel/random/boot_id"));
    line("kernel", &read("/proc/version"));
    for name in NAMESPACES {
        line(name, &fs::read_link(format!("/proc/self/ns/{name}")).unwrap_or_default().to_string_lossy());
    }
    let status = read("/proc/self/status");
    for one in status.lines() {
        if STATUS.iter().any(|name| one.split_once(':').is_some_and(|(before, _)| before == *name)) {
            line("status", one);
        }
    }
    line("label", &read("/proc/self/attr/current"));
    line("cgroup", &read("/proc/self/cgroup"));
    for setting in SETTINGS {
        line(setting, &read(setting));
    }
    line("mounts", &digest(relevant_mounts(&read("/proc/self/mountinfo")).as_bytes()));
    // The canaries are set out there, and a place that allows no programs changes what can be tried.
    line("temporary", &std::env::temp_dir().to_string_lossy());
    text
}

fn read(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_default()
}

fn digest(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}

fn launcher_digest() -> &'static str {
    static DIGEST: OnceLock<String> = OnceLock::new();
    DIGEST.get_or_init(|| digest(start::image().unwrap_or_default()))
}

/// Which program judges: another build of this library judges for itself.
fn program() -> String {
    let stamp = |metadata: fs::Metadata| {
        let (size, seconds, nanoseconds) = (metadata.size(), metadata.mtime(), metadata.mtime_nsec());
        format!("{}:{}:{size}:{seconds}.{nanoseconds}", metadata.dev(), metadata.ino())
    };
    fs::metadata("/proc/self/exe").map_or_else(|_| "unknown".into(), stamp)
}

/// The mounts at, above and below the places that matter, without the numbers that the kernel gives them.
fn relevant_mounts(mountinfo: &str) -> String {
    let matters = |place: &Path| {
        ROOTS.iter().map(Path::new).any(|root| place.starts_with(root) || root.starts_with(place))
            && !place.starts_with("/sys/fs/cgroup")
            && !place.starts_with("/tmp/")
    };
    let wanted = |line: &&str| line.split(' ').nth(4).is_some_and(|place| matters(Path::new(place)));
    let without_numbers = |line: &str| line.splitn(3, ' ').nth(2).unwrap_or_default().to_owned() + "\n";
    mountinfo.lines().filter(wanted).map(without_numbers).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_process_is_told_alike_and_another_shape_otherwise() {
        let sandbox = Sandbox::new(None);
        let profile = Profile::deny_all();
        let one = fingerprint(&sandbox, &profile);
        assert_eq!(one, fingerprint(&Sandbox::new(None), &profile));
        assert_ne!(one, fingerprint(&sandbox, &profile.clone().with_network(execres_core::NetworkMode::Loopback)));
        assert_ne!(one, fingerprint(&Sandbox::without_controllers(None), &profile));
        for name in ["boot=", "launcher=", "filter=", "user=user:[", "status=Uid", "mounts=", "program="] {
            assert!(one.lines().any(|line| line.starts_with(name) && line.len() > name.len()), "{name} in {one}");
        }
    }

    #[test]
    fn a_mount_over_what_a_guest_finds_is_another_host_and_one_elsewhere_is_not() {
        let host = "22 27 0:21 / /proc rw - proc proc rw\n27 1 254:0 / / rw - ext4 /dev/vda rw\n";
        let same = |more: &str| relevant_mounts(host) == relevant_mounts(&format!("{host}{more}"));
        assert!(same("40 27 0:9 / /mnt/data rw - ext4 /dev/vdb rw\n"));
        assert!(same("40 27 0:9 / /srv rw - ext4 /dev/vdb rw\n"));
        assert!(!same("40 22 0:9 / /proc/kcore ro - tmpfs tmpfs ro\n"));
        assert!(!same("40 27 0:9 / /usr/lib ro - ext4 /dev/vdb ro\n"));
        let renumbered = host.replace("22 27", "99 98");
        assert_eq!(relevant_mounts(host), relevant_mounts(&renumbered));
    }
}
