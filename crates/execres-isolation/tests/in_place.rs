//! Runs without namespaces: what they reach, and what is left of them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a host of a test talks to its test")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::fs;
use std::future::pending;
use std::io::{BufRead, BufReader};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use execres_core::{Clock, Outcome};
use execres_isolation::{HandUp, Profile, RunDirectoryReaper, Rung, Sandbox};
use execres_owner::{OwnerRegistry, StateDir};
use support::*;

fn bare() -> Profile {
    Profile::deny_all().on_rung(Rung::NoNamespaces)
}

/// A directory that anybody may enter and change, with a file that anybody may change.
fn open_to_all() -> tempfile::TempDir {
    let directory = open_dir();
    let file = directory.path().join("file");
    fs::write(&file, "content").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    directory
}

#[tokio::test]
async fn grants_are_at_their_own_paths_and_hold_as_granted() {
    let (read, write, outside) = (open_to_all(), open_to_all(), open_to_all());
    let paths = [read.path(), write.path(), outside.path()].map(|path| path.display().to_string());
    let script = |[r, w, o]: &[String; 3]| {
        format!(
            "try() {{ name=$1; shift; if \"$@\" >/dev/null 2>&1; then echo $name: worked; else echo $name: refused; fi; }}\n\
             try read-read cat {r}/file\n\
             try read-write sh -c 'echo x >> {r}/file'\n\
             try read-create touch {r}/new\n\
             try write-read cat {w}/file\n\
             try write-write sh -c 'echo x >> {w}/file'\n\
             try write-create sh -c 'echo x > {w}/new'\n\
             try outside-read cat {o}/file\n\
             try outside-list ls {o}\n\
             try outside-write sh -c 'echo x >> {o}/file'\n\
             try outside-link ln {r}/file {w}/linked\n\
             try outside-mode chmod 600 {o}/file\n\
             try write-mode chmod 600 {w}/file\n\
             true"
        )
    };
    let profile = bare().read(read.path(), read.path()).unwrap().write(write.path(), write.path()).unwrap();
    let told = output(&run(&profile, vec![shell(&script(&paths))]).await);
    for line in told.lines() {
        let worked = line.ends_with("worked");
        let allowed =
            ["read-read", "write-read", "write-write", "write-create"].iter().any(|name| line.starts_with(name));
        assert_eq!(worked, allowed, "{told}");
    }
    assert_eq!(told.lines().count(), 12, "{told}");
    assert_eq!(fs::metadata(outside.path().join("file")).unwrap().permissions().mode() & 0o777, 0o666);
    fs::remove_file(write.path().join("new")).unwrap();
    // The control: the same script in a sandbox that grants everything for writing.
    let all = [&read, &write, &outside]
        .iter()
        .fold(Profile::deny_all(), |profile, directory| profile.write(directory.path(), directory.path()).unwrap());
    let control = output(&run(&all, vec![shell(&script(&paths))]).await);
    assert!(control.matches("worked").count() >= 9, "{control}");
}

#[tokio::test]
async fn what_only_a_mount_can_show_is_refused_before_anything_runs() {
    let directory = open_dir();
    let other = Path::new("/data");
    let sandbox = Sandbox::new(None);
    for profile in [
        bare().read(directory.path(), other).unwrap(),
        bare().scratch(other, HandUp::No).unwrap(),
        bare().working_copy(directory.path(), directory.path()).unwrap(),
        bare().alias(directory.path(), other).unwrap(),
    ] {
        let error = sandbox.launch(&profile, vec![shell("echo ran")]).await.unwrap_err();
        assert_eq!(error.code(), "isolation.needs_mounts", "{error}");
    }
    assert_eq!(directories().len(), 0, "nothing is left of what was refused");
    let in_place = bare().read(directory.path(), directory.path()).unwrap();
    assert_eq!(output(&run_in(&sandbox, &in_place, vec![shell("echo fine")]).await), "fine\n", "the control");
}

#[tokio::test]
async fn a_grant_that_was_swapped_is_refused() {
    let parent = open_dir();
    let granted = parent.path().join("granted");
    fs::create_dir(&granted).unwrap();
    let profile = bare().read(&granted, &granted).unwrap();
    assert_eq!(output(&run(&profile, vec![shell("echo fine")]).await), "fine\n", "the control");
    fs::rename(&granted, parent.path().join("moved")).unwrap();
    std::os::unix::fs::symlink("/etc", &granted).unwrap();
    let report = run(&profile, vec![shell("ls")]).await;
    assert!(matches!(report.outcome, Outcome::FailedToStart { .. }), "{report:#?}");
}

/// The directories of runs of this process, told apart from others' by what TMPDIR says.
fn directories() -> Vec<PathBuf> {
    let entries = fs::read_dir(std::env::temp_dir()).unwrap().flatten().map(|entry| entry.path());
    let of_runs = entries.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("execres-run-"));
    of_runs.filter(|path| fs::metadata(path).is_ok_and(|metadata| is_this_process_s(&metadata, path))).collect()
}

/// Other tests of this file run at the same time, so what a test looks for carries its own mark.
fn is_this_process_s(_: &fs::Metadata, path: &Path) -> bool {
    path.join("tmp").join(own_mark()).exists()
}

fn own_mark() -> String {
    format!("mark-{:?}", std::thread::current().id())
}

#[tokio::test]
async fn what_a_run_leaves_in_its_directory_goes_with_it_whatever_it_is() {
    let sandbox = Sandbox::new(None);
    let script = format!(
        "cd $TMPDIR; touch '{}'; echo $TMPDIR; mkdir -p a/b/c; umask 777; mkdir closed; umask 022\n\
         i=0; while [ $i -lt 300 ]; do mkdir d; cd d; i=$((i+1)); done; ln -s / link; mkfifo pipe",
        own_mark()
    );
    let run = sandbox.launch(&bare(), vec![shell(&script)]).await.unwrap();
    let report = run.finish(None, pending()).await;
    let path = output(&report).trim().to_owned();
    assert!(path.contains("/execres-run-"), "{path}");
    assert!(!Path::new(&path).exists(), "{path}");
    assert!(!Path::new(&path).parent().unwrap().exists(), "{path}");
    assert!(Path::new("/usr").exists());
}

#[tokio::test]
async fn a_daemon_is_ended_with_its_run_and_at_the_deadline() {
    let sandbox = Sandbox::new(None);
    for (wait, wanted) in
        [("exit 0", Outcome::Exited { code: 0 }), ("sleep 600", Outcome::TimedOut { clock: Clock::Wall })]
    {
        let marker = marker("daemon");
        let profile = limits(|limits| limits.wall_time = Duration::from_secs(1)).on_rung(Rung::NoNamespaces);
        let script = format!(
            "(setsid sh -c 'trap \"\" TERM; touch $TMPDIR/up; sleep 600; : {marker}' &)\n\
             while ! test -e $TMPDIR/up; do :; done; {wait}"
        );
        let started = Instant::now();
        let report = run_in(&sandbox, &profile, vec![shell(&script)]).await;
        assert_eq!(report.outcome, wanted, "{report:#?}");
        assert!(report.nothing_left);
        assert!(started.elapsed() < Duration::from_secs(10), "it returned and did not hang");
        assert_eq!(processes_with(&marker), Vec::<i32>::new());
    }
}

#[tokio::test]
async fn dropping_a_run_ends_its_tree_and_its_directory_goes_afterwards() {
    let sandbox = Sandbox::new(None);
    let marker = marker("dropped");
    let script = format!("touch \"$TMPDIR/{}\"; (setsid sleep 600 &); sleep 600; : {marker}", own_mark());
    let run = sandbox.launch(&bare(), vec![shell(&script)]).await.unwrap();
    assert!(eventually(PATIENCE, || directories().len() == 1), "the control: it is there while the run is");
    drop(run);
    assert!(eventually(PATIENCE, || processes_with(&marker).is_empty()));
    drop(sandbox);
    assert_eq!(directories(), Vec::<PathBuf>::new());
}

#[test]
fn a_killed_host_leaves_no_process_and_its_directory_is_reaped() {
    const NAME: &str = "a_killed_host_leaves_no_process_and_its_directory_is_reaped";
    let registry = |state: &Path| OwnerRegistry::open(StateDir::open_at(state).unwrap()).unwrap();
    if role().is_some() {
        let marker = std::env::var("EXECRES_TEST_MARKER").unwrap();
        let owners = registry(Path::new(&std::env::var("EXECRES_TEST_STATE").unwrap()));
        let sandbox: Arc<Sandbox> = Sandbox::new(Some(owners));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let script = format!("echo x > $TMPDIR/left; (setsid sh -c 'sleep 600; : {marker}' &); sleep 600; : {marker}");
        let _run = runtime.block_on(sandbox.launch(&bare(), vec![shell(&script)])).unwrap();
        assert!(eventually(PATIENCE, || processes_with(&marker).len() >= 2));
        println!("\nUP");
        std::thread::park();
        return;
    }
    let places = open_dir();
    let (state, tmp) = (places.path().join("state"), places.path().join("tmp"));
    fs::create_dir(&tmp).unwrap();
    fs::set_permissions(&tmp, fs::Permissions::from_mode(0o1777)).unwrap();
    let marker = marker("killed");
    let mut host = this_test_as(NAME, "host")
        .env("EXECRES_TEST_MARKER", &marker)
        .env("EXECRES_TEST_STATE", &state)
        .env("TMPDIR", &tmp)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(host.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap() == "UP"), "the host says when its run is up");
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 1, "the control: the run has its directory");
    host.kill().unwrap();
    host.wait().unwrap();
    assert!(eventually(PATIENCE, || processes_with(&marker).is_empty()));
    let report = execres_owner::reap(
        &StateDir::open_at(&state).unwrap(),
        &[&RunDirectoryReaper, &execres_isolation::CgroupReaper, &execres_isolation::LauncherReaper],
    )
    .unwrap();
    assert!(report.failed.is_empty(), "{report:?}");
    assert_eq!(fs::read_dir(&tmp).unwrap().count(), 0);
}

#[tokio::test]
async fn no_socket_of_the_host_is_in_reach_of_a_pair_that_was_taken_apart() {
    let test = "no_socket_of_the_host_is_in_reach_of_a_pair_that_was_taken_apart";
    if !has_python(test) {
        return;
    }
    let place = open_to_all();
    let path = place.path().join("host");
    let host = std::os::unix::net::UnixDatagram::bind(&path).unwrap();
    host.set_nonblocking(true).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o777)).unwrap();
    let script = |kind: &str| {
        format!(
            "import ctypes, socket\n\
             a, b = socket.socketpair(socket.AF_UNIX, {kind})\n\
             ctypes.CDLL(None).connect(a.fileno(), bytes(16), 2)\n\
             try: a.sendto(b'x', {:?}); print('sent')\n\
             except OSError as error: print('refused')\n",
            path.display().to_string()
        )
    };
    for kind in ["socket.SOCK_DGRAM", "socket.SOCK_RAW", "socket.SOCK_STREAM", "socket.SOCK_SEQPACKET"] {
        let report = run(&bare(), vec![python(&script(kind))]).await;
        // A pair of sequenced packets takes a name and sends to its other end all the same.
        let sent = report.steps[0].stdout.text().contains("sent");
        assert_eq!(sent, kind.ends_with("SEQPACKET"), "{kind}: {report:#?}");
        assert!(host.recv(&mut [0; 8]).is_err(), "{kind}: a message arrived");
    }
    // The control: where the socket itself is granted to a run with a root of its own, the same reaches it.
    let granted = Profile::deny_all().write(place.path(), place.path()).unwrap();
    assert_eq!(output(&run(&granted, vec![python(&script("socket.SOCK_DGRAM"))]).await), "sent\n");
    assert!(host.recv(&mut [0; 8]).is_ok());
}

/// Whatever ends init, the caller is told, the next run has another launcher, and nobody waits for what was left.
#[tokio::test]
async fn a_run_whose_init_was_killed_holds_up_neither_its_caller_nor_the_next_run() {
    let sandbox = Sandbox::new(None);
    let marker = marker("survivor");
    // It makes files where its directory is removed from, for as long as it lives.
    let script = format!(
        "(setsid sh -c 'i=0; touch $TMPDIR/up; while test $i -lt 200000; do i=$((i+1)); : > $TMPDIR/$i; done; : {marker}' &)\n\
         sleep 600; : {marker}"
    );
    let directory = open_dir();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let profile = bare().write(directory.path(), directory.path()).unwrap();
    let script = format!("{script}; touch {}/never", directory.path().display());
    let run = sandbox.launch(&profile, vec![shell(&script)]).await.unwrap();
    assert!(eventually(PATIENCE, || processes_with(&marker).len() >= 2));
    let init = rustix::process::Pid::from_raw(run.init_pid()).unwrap();
    rustix::process::kill_process(init, rustix::process::Signal::KILL).unwrap();
    let started = Instant::now();
    let report = run.finish(None, pending()).await;
    assert!(started.elapsed() < Duration::from_secs(10), "it returned and did not hang");
    assert!(matches!(report.outcome, Outcome::Lost { .. }), "{report:#?}");
    assert!(!report.nothing_left);
    let next = Instant::now();
    assert_eq!(output(&run_in(&sandbox, &bare(), vec![shell("echo fine")]).await), "fine\n");
    assert!(next.elapsed() < Duration::from_secs(10), "the next run was not held up");
    // Where there is a controller, the end of the launcher's group is the end of what was left; elsewhere the test ends it.
    if !sandbox_has_a_controller(&sandbox).await {
        for pid in processes_with(&marker).into_iter().filter_map(rustix::process::Pid::from_raw) {
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
    }
    assert!(eventually(PATIENCE, || processes_with(&marker).is_empty()));
    remove_directories_of_survivors();
}

async fn sandbox_has_a_controller(sandbox: &Arc<Sandbox>) -> bool {
    let report = sandbox.evidence(&bare()).await.unwrap();
    report
        .limits
        .iter()
        .any(|limit| limit.limit == "memory" && limit.enforcement == execres_core::Enforcement::Enforced)
}

/// Without a register nobody else removes them.
fn remove_directories_of_survivors() {
    for entry in fs::read_dir(std::env::temp_dir()).unwrap().flatten() {
        if entry.path().join("tmp/up").exists() && entry.file_name().to_string_lossy().starts_with("execres-run-") {
            fs::remove_dir_all(entry.path()).unwrap();
        }
    }
}

#[tokio::test]
async fn no_request_changes_a_file_that_can_only_be_read() {
    let test = "no_request_changes_a_file_that_can_only_be_read";
    if !has_python(test) {
        return;
    }
    let granted = open_dir();
    fs::write(granted.path().join("file"), "content").unwrap();
    // Generation, flags, project, verity, encryption, a subvolume, and a hole.
    let requests = "0x40087602, 0x40086604, 0x40086602, 0x401c5820, 0x40806685, 0x800c6613, 0x5000940e, 0x4030582b";
    let script = format!(
        "import fcntl\n\
         for name in ('', '/file'):\n\
         \x20   f = __import__('os').open('{}' + name, 0)\n\
         \x20   for request in ({requests}):\n\
         \x20       try: fcntl.ioctl(f, request, bytes(128)); print('worked')\n\
         \x20       except OSError as error: print(error.errno)\n",
        granted.path().display()
    );
    let profile = bare().read(granted.path(), granted.path()).unwrap();
    let told = output(&run(&profile, vec![python(&script)]).await);
    assert_eq!(told.lines().count(), 16, "{told}");
    assert!(told.lines().all(|line| line == "1"), "each is EPERM: {told}");
    // What programs ask for all the time.
    let everyday = "import os, fcntl, termios\n\
                    r, w = os.pipe(); os.write(w, b'abc')\n\
                    print(int.from_bytes(fcntl.ioctl(r, termios.FIONREAD, bytes(4)), 'little'), os.isatty(0))";
    assert_eq!(output(&run(&bare(), vec![python(everyday)]).await), "3 False\n");
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn attributes_of_files_and_the_mounts_of_the_host_are_not_told() {
    let test = "attributes_of_files_and_the_mounts_of_the_host_are_not_told";
    if !has_python(test) {
        return;
    }
    let outside = open_to_all();
    let file = outside.path().join("file");
    fs::write(&file, "content").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    if rustix::fs::setxattr(&file, "user.execres", b"secret", rustix::fs::XattrFlags::empty()).is_err() {
        eprintln!("EXECRES-SKIP: {test}: optional: the temporary directory has no attributes");
        return;
    }
    // statmount and listmount get an address that no kernel takes.
    let script = format!(
        "import os, ctypes\n\
         for ask in (lambda: os.getxattr('{0}', 'user.execres'), lambda: os.listxattr('{0}')):\n\
         \x20   try: print('told', ask())\n\
         \x20   except OSError as error: print(error.errno)\n\
         call = ctypes.CDLL(None, use_errno=True).syscall\n\
         for number in (457, 458): call(number, 1, 0, 0, 0); print(ctypes.get_errno())\n",
        file.display()
    );
    let told = output(&run(&bare(), vec![python(&script)]).await);
    let (unsupported, absent) = (libc::EOPNOTSUPP, libc::ENOSYS);
    assert_eq!(told, format!("{unsupported}\n{unsupported}\n{absent}\n{absent}\n"));
    // The control: the same outside.
    let control = Command::new("/usr/bin/python3").args(["-c", &script]).output().unwrap();
    let told = String::from_utf8_lossy(&control.stdout);
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(&lines[..2], ["told b'secret'", "told ['user.execres']"], "{told}");
    // Kernels before 6.8 do not have the two.
    if lines[2..] == [absent.to_string(), absent.to_string()] {
        eprintln!("EXECRES-SKIP: {test}: optional: this kernel has neither statmount nor listmount");
    }
}

/// A chain of processes that get the processor last dies slowly, and is waited for as long as somebody dies.
#[tokio::test]
async fn a_long_chain_that_dies_slowly_is_ended_whole() {
    let marker = marker("chain");
    let source = format!(
        "#define _GNU_SOURCE\n#include <sched.h>\n#include <unistd.h>\n#include <signal.h>\n\
         int main(void) {{\n\
             struct sched_param none = {{0}};\n\
             const char *mark = \"{marker}\";\n\
             if (fork()) {{ usleep(300000); return 0; }}\n\
             setsid(); sched_setscheduler(0, SCHED_IDLE, &none);\n\
             for (int i = 0; i < 40; i++) if (fork()) {{ pause(); return mark[0]; }}\n\
             for (int i = 0; i < 2; i++) fork();\n\
             for (;;);\n\
         }}"
    );
    let Some((directory, program)) = compile(&source, &[]) else {
        eprintln!("EXECRES-SKIP: a_long_chain_that_dies_slowly_is_ended_whole: there is no gcc");
        return;
    };
    let profile = bare().read(directory.path(), directory.path()).unwrap();
    let step = execres_isolation::Step::new(&program, [&marker]);
    let report = run(&profile, vec![step]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
    assert!(report.nothing_left, "{report:#?}");
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
}
