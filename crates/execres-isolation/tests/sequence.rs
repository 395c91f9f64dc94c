//! The privileged sequence, line by line: what each line is good for, seen where it shows.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::future::pending;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::Command;

use execres_isolation::{HandUp, Profile, Sandbox};
use support::*;

/// What a guest with every kind of mount sees mounted: flags and kind, by place.
async fn mounts() -> BTreeMap<String, (Vec<String>, String)> {
    let (read, write, copy) = (open_dir(), open_dir(), open_dir());
    // A place for files that lies among the devices is no device for that.
    let in_memory = tempfile::tempdir_in("/dev/shm").unwrap();
    fs::set_permissions(in_memory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    let profile = Profile::deny_all()
        .read_dangerously(in_memory.path(), Path::new("/data/memory"))
        .unwrap()
        .read(read.path(), Path::new("/data/read"))
        .unwrap()
        .write(write.path(), Path::new("/data/write"))
        .unwrap()
        .scratch(Path::new("/data/scratch"), HandUp::No)
        .unwrap()
        .working_copy(copy.path(), Path::new("/data/copy"))
        .unwrap()
        .alias(Path::new("/data/scratch"), Path::new("/data/alias"))
        .unwrap();
    let text = output(&run(&profile, vec![shell("cat /proc/self/mountinfo")]).await);
    let of = |line: &str| {
        let fields: Vec<&str> = line.split(' ').collect();
        let kind = fields.iter().skip_while(|field| **field != "-").nth(1).unwrap();
        (fields[4].to_owned(), (fields[5].split(',').map(ToOwned::to_owned).collect(), (*kind).to_owned()))
    };
    text.lines().map(of).collect()
}

#[tokio::test]
async fn every_mount_has_the_flags_that_it_should_have() {
    let mounts = mounts().await;
    let has = |place: &str, flag: &str| mounts[place].0.iter().any(|one| one == flag);
    for place in mounts.keys() {
        assert!(has(place, "nosuid"), "{place}: {mounts:#?}");
        let device = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/pts"];
        assert_eq!(has(place, "nodev"), !device.contains(&&**place), "{place}: {mounts:#?}");
    }
    for place in ["/", "/usr", "/proc", "/data/read", "/data/memory", "/dev/null", "/.execres/0-lower"] {
        assert!(has(place, "ro"), "{place}: {mounts:#?}");
    }
    for place in ["/tmp", "/home/execres", "/dev/shm", "/data/write", "/data/scratch", "/data/alias", "/data/copy"] {
        assert!(has(place, "rw"), "{place}: {mounts:#?}");
    }
    assert!(has("/proc", "noexec") && has("/dev/pts", "noexec"));
    assert_eq!((mounts["/"].1.as_str(), mounts["/data/copy"].1.as_str()), ("tmpfs", "overlay"));
}

#[tokio::test]
async fn a_mount_below_a_grant_is_read_only_like_the_grant_and_one_that_comes_later_does_not_arrive() {
    const NAME: &str = "a_mount_below_a_grant_is_read_only_like_the_grant_and_one_that_comes_later_does_not_arrive";
    if role().is_none() {
        return in_a_mount_namespace(NAME);
    }
    let granted = open_dir();
    let mount = |at: &Path| {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "mode=0777", "none"]).arg(at).status().unwrap();
        assert!(mounted.success());
        fs::write(at.join("mark"), "there").unwrap();
        fs::set_permissions(at.join("mark"), fs::Permissions::from_mode(0o666)).unwrap();
    };
    for name in ["before", "after"] {
        fs::create_dir(granted.path().join(name)).unwrap();
    }
    mount(&granted.path().join("before"));
    let sandbox = Sandbox::new(None);
    let read = Profile::deny_all().read(granted.path(), Path::new("/data")).unwrap();
    let script = "cat /data/before/mark; echo; if echo x > /data/before/mark; then echo written; else echo refused; fi";
    let told = output(&run_in(&sandbox, &read, vec![shell(script)]).await);
    assert_eq!(told, "there\nrefused\n");
    let write = Profile::deny_all().write(granted.path(), Path::new("/data")).unwrap();
    assert_eq!(output(&run_in(&sandbox, &write, vec![shell(script)]).await), "there\nwritten\n", "the control");

    // A run that is up, and a mount of the host's afterwards. The launcher is there already and sees it.
    let script = "touch /data/up; while test -e /data/up; do :; done; ls -A /data/after";
    fs::set_permissions(granted.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let run = sandbox.launch(&write, vec![shell(script)]).await.unwrap();
    let up = granted.path().join("up");
    assert!(eventually(PATIENCE, || up.exists()));
    mount(&granted.path().join("after"));
    fs::remove_file(&up).unwrap();
    let told = output(&run.finish(None, pending()).await);
    assert_eq!(told, "", "the mount arrived in a run that was up");
    let told = output(&run_in(&sandbox, &write, vec![shell("ls -A /data/after")]).await);
    assert_eq!(told, "mark\n", "the control: a run that starts afterwards sees it");
}

/// Runs a test as root of a mount namespace of its own whose mounts are shared, as a machine's are.
fn in_a_mount_namespace(name: &str) {
    let test = this_test_as(name, "host");
    let mut host = Command::new("unshare");
    if !is_root() {
        host.args(["--user", "--map-root-user"]);
    }
    host.args(["--mount", "sh", "-c", "mount --make-rshared / || exit 77; exec \"$0\" \"$@\""]);
    host.arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host");
    let output = host.output().unwrap();
    if output.status.code() == Some(77) || String::from_utf8_lossy(&output.stderr).contains("unshare:") {
        eprintln!("EXECRES-SKIP: {name}: optional: no mount namespace to test in can be made here");
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[tokio::test]
async fn init_cannot_be_looked_into_by_its_own_user() {
    let sandbox = Sandbox::new(None);
    let run = sandbox.launch(&Profile::deny_all(), vec![shell("sleep 60")]).await.unwrap();
    let owner = |pid: i32| fs::metadata(format!("/proc/{pid}/status")).map(|metadata| metadata.uid());
    // The files in /proc of a process that is not dumpable belong to root and not to its user.
    assert!(eventually(PATIENCE, || owner(run.init_pid()).is_ok_and(|uid| uid == 0)));
    let children = children_of(run.init_pid() as u32);
    let guest = children.first().map(|(pid, _)| *pid);
    if let Some(guest) = guest.filter(|_| !is_root()) {
        // From the moment that it is the program; before, it is a copy of init.
        let is_its_users = eventually(PATIENCE, || owner(guest).is_ok_and(|uid| uid != 0));
        assert!(is_its_users, "the control: the guest's own belong to its user");
    }
    drop(run);
}

#[tokio::test]
async fn the_guest_goes_before_its_init_when_memory_runs_out() {
    let score = |pid: i32| {
        let text = fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap_or_default();
        text.trim().parse::<i32>().unwrap_or(i32::MIN)
    };
    let own = score(std::process::id() as i32);
    let sandbox = Sandbox::new(None);
    for rung in execres_isolation::Rung::ALL {
        let profile = Profile::deny_all().on_rung(rung);
        let steps = vec![shell("true"), shell("echo up; kill -STOP $$")];
        let run = sandbox.launch(&profile, steps).await.unwrap();
        let init = run.init_pid();
        let guest = || children_of(init as u32).first().map(|(pid, _)| *pid);
        assert!(eventually(PATIENCE, || guest().is_some_and(|guest| score(guest) == 500)), "{rung}");
        assert!(eventually(PATIENCE, || score(init) == own), "{rung}: {} and not {own}", score(init));
        drop(run);
    }
}

#[tokio::test]
async fn the_guest_learns_no_group_of_the_host_and_leads_a_session_of_its_own() {
    let cgroup = output(&run(&Profile::deny_all(), vec![shell("cat /proc/self/cgroup")]).await);
    assert!(!cgroup.is_empty());
    assert!(cgroup.lines().all(|line| line.ends_with(":/")), "{cgroup}");
    // A session has no terminal, and its number is that of its first process.
    let session = output(&run(&Profile::deny_all(), vec![shell("cut -d' ' -f 1,6,7 /proc/$$/stat")]).await);
    let numbers: Vec<&str> = session.split_ascii_whitespace().collect();
    assert_eq!(numbers[0], numbers[1], "{session}");
    assert_eq!(numbers[2], "0", "{session}");
}

#[tokio::test]
async fn capabilities_cannot_come_back_by_becoming_root() {
    let source = "#include <stdio.h>\n#include <sys/prctl.h>\nint main(void) { printf(\"%d\\n\", prctl(PR_GET_SECUREBITS)); return 0; }";
    let Some((directory, program)) = compile(source, &[]) else {
        eprintln!("EXECRES-SKIP: capabilities_cannot_come_back_by_becoming_root: there is no gcc");
        return;
    };
    let profile = Profile::deny_all().read(directory.path(), directory.path()).unwrap();
    let bits = output(&run(&profile, vec![execres_isolation::Step::new(program, [""; 0])]).await);
    // SECBIT_NOROOT, SECBIT_NO_SETUID_FIXUP, SECBIT_NO_CAP_AMBIENT_RAISE, and each locked.
    const LOCKED: u32 = 0b1100_1111;
    assert_eq!(bits.trim().parse::<u32>().unwrap() & LOCKED, LOCKED, "{bits}");
}

#[tokio::test]
async fn priorities_of_the_host_beyond_the_ordinary_are_not_the_guests() {
    const NAME: &str = "priorities_of_the_host_beyond_the_ordinary_are_not_the_guests";
    let script = "cut -d' ' -f 18,19,41 /proc/self/stat; cat /proc/self/personality; cat /proc/self/timerslack_ns";
    if role().is_some() {
        let told = output(&run(&Profile::deny_all(), vec![shell(script)]).await);
        let told: Vec<&str> = told.lines().collect();
        // Priority 20 and nice 0, or those of a host that is slower; class 0; no personality; the usual slack.
        let [priorities, "00000000", "50000"] = told.as_slice() else { panic!("{told:?}") };
        let numbers: Vec<i32> = priorities.split(' ').map(|number| number.parse().unwrap()).collect();
        assert!(matches!(*numbers, [priority, nice, 0] if priority == 20 + nice && nice >= 0), "{told:?}");
        return;
    }
    let test = this_test_as(NAME, "host");
    let mut host = Command::new("setarch");
    host.arg("-R");
    if is_root() {
        host.args(["nice", "-n", "-40", "ionice", "-c", "1", "-n", "0"]);
    }
    host.arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host");
    let finished = host.output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
}

#[tokio::test]
async fn a_view_of_the_kernel_below_a_grant_is_refused() {
    const NAME: &str = "a_view_of_the_kernel_below_a_grant_is_refused";
    if role().is_none() {
        return in_a_mount_namespace(NAME);
    }
    let root = open_dir();
    for name in ["proc", "elsewhere", "harmless"] {
        fs::create_dir(root.path().join(name)).unwrap();
    }
    assert!(Profile::deny_all().read(root.path(), Path::new("/data")).is_ok(), "the control");
    for at in ["proc", "elsewhere"] {
        let at = root.path().join(at);
        assert!(Command::new("mount").args(["--bind", "/proc"]).arg(&at).status().unwrap().success());
        for granted in [root.path(), &at] {
            let error = Profile::deny_all().read(granted, Path::new("/data")).unwrap_err();
            assert_eq!(error.code(), "isolation.root_protected", "{granted:?}: {error}");
        }
        assert!(Command::new("umount").arg(&at).status().unwrap().success());
    }
    assert!(Profile::deny_all().read(&root.path().join("harmless"), Path::new("/data")).is_ok());
}
