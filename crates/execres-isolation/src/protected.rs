//! Paths of the host that no ordinary grant may expose.

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use execres_owner::StateDir;

/// Places where a granted root, or a root inside them, would show the host's kernel, devices or processes.
const INSIDE: &[(&str, &str)] = &[
    ("/proc", "shows the host's processes and kernel settings"),
    ("/sys", "shows the host's kernel and devices"),
    ("/dev", "holds the host's devices"),
];

/// Places that a granted root must not contain.
const CONTAINS: &[(&str, &str)] = &[
    ("/etc/shadow", "contains the host's passwords"),
    ("/run/docker.sock", "contains the socket of a container engine, which is as good as root"),
    ("/var/run/docker.sock", "contains the socket of a container engine, which is as good as root"),
    ("/run/podman", "contains the socket of a container engine, which is as good as root"),
    ("/run/containerd", "contains the socket of a container engine, which is as good as root"),
    ("/run/execres", "contains the records of running sandboxes"),
    ("/var/run", "contains the sockets of the host's services"),
    ("/run/user", "contains the sockets of the users' sessions"),
    ("/home", "contains the users' home directories"),
    ("/root", "contains the home directory of root"),
    ("/tmp", TEMPORARY),
    ("/var/tmp", TEMPORARY),
];

/// How directories start that belong to one run or one probe.
const OF_A_RUN: [&str; 2] = ["execres-run-", "execres-probe-"];

/// Why a path must not be granted, or `None` when it may be. `identity` is the device and inode of what is there: a protected
/// place is protected under every name that a bind mount gives it.
pub(crate) fn exposed_by(path: &Path, identity: (u64, u64)) -> Option<&'static str> {
    let is = |place: &Path| fs::metadata(place).is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == identity);
    let inside = INSIDE
        .iter()
        .find(|(place, _)| path.starts_with(place) || Path::new(place).starts_with(path) || is(Path::new(place)));
    let contains = || CONTAINS.iter().find(|(place, _)| Path::new(place).starts_with(path) || is(Path::new(place)));
    if let Some((_, reason)) = inside.or_else(contains) {
        return Some(reason);
    }
    // Home directories, wherever they are: the caller's own, and whatever lies directly in /home.
    let own = std::env::home_dir().is_some_and(|home| home.starts_with(path) || is(&home));
    let somebodys = path.parent() == Some(Path::new("/home"));
    if own || somebodys {
        return Some("is a home directory, with keys and tokens in it");
    }
    let temporary = std::env::temp_dir();
    if temporary.starts_with(path) || is(&temporary) {
        return Some(TEMPORARY);
    }
    let of_a_run = |part: std::path::Component<'_>| {
        part.as_os_str().to_str().is_some_and(|part| OF_A_RUN.iter().any(|prefix| part.starts_with(prefix)))
    };
    path.components().any(of_a_run).then_some("belongs to a run or a probe")
}

const TEMPORARY: &str = "contains the temporary files of every program, those of other runs among them";

/// Why a path must not be granted because of a state directory of this user's, whichever host it belongs to: a guest that could
/// write there would forge evidence, and one that could read there would learn of other runs. `own` is that of the host itself.
pub(crate) fn exposed_of_state(path: &Path, identity: (u64, u64), own: Option<&Path>) -> Option<&'static str> {
    let is = |place: &Path| fs::metadata(place).is_ok_and(|metadata| (metadata.dev(), metadata.ino()) == identity);
    let exposes = |place: &Path| {
        let place = place.canonicalize().unwrap_or_else(|_| place.to_owned());
        place.starts_with(path) || path.starts_with(&place) || is(&place) || is(&place.join(crate::probe::DIRECTORY))
    };
    let mut places = StateDir::places();
    places.extend(own.map(Path::to_owned));
    places
        .iter()
        .any(|place| exposes(place))
        .then_some("belongs to the records of running sandboxes and the evidence about them, or contains them")
}

/// File systems that are views of the kernel or of its processes, whatever directory they are mounted on.
const OF_THE_KERNEL: [&str; 16] = [
    "proc",
    "sysfs",
    "cgroup",
    "cgroup2",
    "devpts",
    "debugfs",
    "tracefs",
    "securityfs",
    "bpf",
    "mqueue",
    "binfmt_misc",
    "efivarfs",
    "pstore",
    "selinuxfs",
    "configfs",
    "devtmpfs",
];

/// Why a place must not be granted for what is mounted on it or below it: binds are recursive.
pub(crate) fn shows_the_kernel(path: &Path, open: impl AsFd) -> Option<&'static str> {
    // A bind of such a file system to another place has its kind and not its name.
    const PROC: u64 = 0x9fa0;
    const SYSFS: u64 = 0x6265_6572;
    let kind = rustix::fs::fstatfs(open).map_or(0, |stat| stat.f_type as u64);
    let mounts = fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    (kind == PROC || kind == SYSFS || mounted_below(path, &mounts))
        .then_some("has a view of the kernel, or of the host's processes, mounted in it")
}

fn mounted_below(path: &Path, mountinfo: &str) -> bool {
    mountinfo.lines().any(|line| {
        let Some((before, after)) = line.split_once(" - ") else { return false };
        let place = before.split(' ').nth(4).unwrap_or_default();
        let kind = after.split(' ').next().unwrap_or_default();
        OF_THE_KERNEL.contains(&kind) && Path::new(&unescaped(place)).starts_with(path)
    })
}

/// The kernel writes spaces and the like as three octal digits.
fn unescaped(place: &str) -> String {
    [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")]
        .into_iter()
        .fold(place.to_owned(), |place, (escape, character)| place.replace(escape, character))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_view_of_the_kernel_is_found_below_a_place_and_not_beside_it() {
        let mounts = "22 27 0:21 / /srv/a\\040b/proc rw - proc proc rw\n27 1 254:0 / / rw - ext4 /dev/vda rw\n";
        assert!(mounted_below(Path::new("/srv/a b"), mounts));
        assert!(mounted_below(Path::new("/srv"), mounts));
        assert!(!mounted_below(Path::new("/srv/a b/etc"), mounts));
        assert!(!mounted_below(Path::new("/data"), mounts));
    }
}
