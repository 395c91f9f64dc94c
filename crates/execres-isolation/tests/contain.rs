//! What a guest finds, and what it cannot reach. Each attempt that must fail is first seen to work where nothing forbids it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts and compilers")]

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::future::pending;
use std::io::{Read, Write};
use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

use execres_core::{NetworkMode, Outcome};
use execres_isolation::{HOME, Profile, Sandbox};
use support::*;

/// Runs a Python script in a sandbox with nothing granted; what it printed.
async fn told(script: &str) -> String {
    output(&run(&Profile::deny_all(), vec![python(script)]).await)
}

/// The same script outside, as the control.
fn told_outside(script: &str) -> String {
    let output = Command::new("/usr/bin/python3").args(["-c", script]).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// Python that prints `name: worked` or `name: EPERM` for each attempt.
const ATTEMPTS: &str = "\
import ctypes, errno, os, socket, signal
libc = ctypes.CDLL(None, use_errno=True)
def attempt(name, what):
    try:
        what(); print(name + ': worked')
    except OSError as error: print(name + ': ' + errno.errorcode.get(error.errno, str(error.errno)))
def call(*args):
    if libc.syscall(*args) < 0: raise OSError(ctypes.get_errno(), 'call')
";

fn answers(text: &str) -> Vec<(String, String)> {
    text.lines().filter_map(|line| line.split_once(": ")).map(|(a, b)| (a.to_owned(), b.to_owned())).collect()
}

#[tokio::test]
async fn the_guest_is_not_root_on_the_host() {
    let sandbox = Sandbox::new(None);
    let marker = marker("identity");
    let run = sandbox.launch(&Profile::deny_all(), vec![shell(&format!("kill -STOP $$; : {marker}"))]).await.unwrap();
    // Looked at while it is stopped, in its own code and not on the way there.
    let stopped =
        |pid: &i32| fs::read_to_string(format!("/proc/{pid}/status")).is_ok_and(|text| text.contains("T (stopped)"));
    assert!(eventually(PATIENCE, || processes_with(&marker).iter().any(stopped)));
    let pid = processes_with(&marker)[0];
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_owned();
    for name in ["Uid:", "Gid:"] {
        assert!(field(name).split_ascii_whitespace().all(|id| id != "0"), "{name} {}", field(name));
    }
    for name in ["CapInh:", "CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        assert_eq!(field(name), "0000000000000000", "{name}");
    }
    assert_eq!(field("NoNewPrivs:"), "1");
    assert_eq!(field("Seccomp:"), "2");
    assert_eq!(field("SigBlk:"), "0000000000000000");
    assert_eq!(field("SigIgn:"), "0000000000000000");
    assert_eq!(fs::read_to_string(format!("/proc/{pid}/oom_score_adj")).unwrap().trim(), "500");
    if is_root() {
        assert_eq!(field("Groups:"), "");
    }
    drop(run);
}

#[tokio::test]
async fn files_of_the_host_cannot_be_read_or_changed() {
    let test = "files_of_the_host_cannot_be_read_or_changed";
    if !has_python(test) {
        return;
    }
    let outside = open_dir();
    let secret = outside.path().join("secret");
    fs::write(&secret, "untouched").unwrap();
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o666)).unwrap();
    fs::set_permissions(outside.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let script = format!(
        "{ATTEMPTS}\n\
         p = '{}'\n\
         attempt('read', lambda: open(p).read())\n\
         attempt('through init', lambda: open('/proc/1/root' + p).read())\n\
         attempt('chmod', lambda: os.chmod(p, 0o666))\n\
         attempt('times', lambda: os.utime(p))\n\
         attempt('write', lambda: open(p, 'r+').close())\n",
        secret.display()
    );
    let inside = told(&script).await;
    assert!(answers(&inside).iter().all(|(_, answer)| answer != "worked"), "{inside}");
    assert_eq!(answers(&inside).len(), 5);
    let control = told_outside(&script.replace("'/proc/1/root' + p", "'/proc/self/root' + p"));
    assert!(answers(&control).iter().all(|(_, answer)| answer == "worked"), "{control}");

    let system = told(&format!(
        "{ATTEMPTS}\n\
         attempt('shadow', lambda: open('/etc/shadow').read())\n\
         attempt('core_pattern', lambda: open('/proc/sys/kernel/core_pattern', 'w'))\n\
         attempt('hostname', lambda: open('/proc/sys/kernel/hostname', 'w'))\n\
         attempt('oom', lambda: open('/proc/self/oom_score_adj', 'w'))\n\
         attempt('sysrq', lambda: open('/proc/sysrq-trigger', 'w'))\n\
         attempt('kcore', lambda: open('/proc/kcore', 'rb').read(1))\n\
         attempt('kmsg', lambda: open('/proc/kmsg', 'rb').read(1))\n\
         attempt('usr', lambda: open('/usr/x', 'w'))\n\
         attempt('usr chmod', lambda: os.chmod('/usr/bin/env', 0o755))\n\
         attempt('root', lambda: open('/x', 'w'))\n\
         attempt('root dir', lambda: os.mkdir('/x'))\n\
         attempt('etc', lambda: open('/etc/passwd', 'a'))\n\
         attempt('sys', lambda: os.listdir('/sys'))\n\
         attempt('mem', lambda: open('/dev/mem'))\n\
         attempt('kvm', lambda: open('/dev/kvm'))\n\
         attempt('tty', lambda: open('/dev/tty'))\n\
         attempt('mknod', lambda: os.mknod('/tmp/null', 0o20666, os.makedev(1, 3)))\n\
         open('/tmp/mine', 'w').close()\n\
         attempt('link', lambda: os.link('/tmp/mine', '/dev/shm/mine'))\n\
         attempt('rename', lambda: os.rename('/tmp/mine', '/dev/shm/mine'))\n\
         attempt('link of usr', lambda: os.link('/usr/bin/env', '/tmp/env'))\n"
    ))
    .await;
    assert!(answers(&system).iter().all(|(_, answer)| answer != "worked"), "{system}");
    assert_eq!(answers(&system).len(), 20, "{system}");
}

#[tokio::test]
async fn granted_roots_are_readable_or_writable_as_granted() {
    let test = "granted_roots_are_readable_or_writable_as_granted";
    if !has_python(test) {
        return;
    }
    let (read, write) = (open_dir(), open_dir());
    for directory in [&read, &write] {
        fs::write(directory.path().join("file"), "content").unwrap();
        fs::set_permissions(directory.path().join("file"), fs::Permissions::from_mode(0o666)).unwrap();
        fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o777)).unwrap();
    }
    let profile = Profile::deny_all()
        .read(read.path(), Path::new("/data/read"))
        .unwrap()
        .write(write.path(), Path::new("/data/write"))
        .unwrap();
    let script = format!(
        "{ATTEMPTS}\n\
         for d in ('read', 'write'):\n\
         \x20   f = '/data/' + d + '/file'\n\
         \x20   attempt(d + ' read', lambda: open(f).read())\n\
         \x20   attempt(d + ' write', lambda: open(f, 'a').close())\n\
         \x20   attempt(d + ' create', lambda: open(f + '2', 'w').close())\n\
         \x20   attempt(d + ' chmod', lambda: os.chmod(f + '2', 0o600))\n\
         \x20   attempt(d + ' times', lambda: os.utime(f))\n\
         \x20   attempt(d + ' unlink', lambda: os.unlink(f + '2'))\n\
         attempt('across', lambda: os.link('/data/read/file', '/data/write/linked'))\n\
         attempt('exchange', lambda: os.rename('/data/read/file', '/data/write/renamed'))\n"
    );
    let answers = answers(&output(&run(&profile, vec![python(&script)]).await));
    for (name, answer) in &answers {
        let allowed = name == "read read" || name.starts_with("write");
        assert_eq!(answer == "worked", allowed, "{name}: {answer}");
    }
    // Times are what Landlock does not look at: the mount itself has to be read-only.
    assert!(answers.contains(&("read times".to_owned(), "EROFS".to_owned())), "{answers:?}");
    assert_eq!(answers.len(), 14);
}

#[tokio::test]
async fn the_environment_is_the_documented_list() {
    const NAME: &str = "the_environment_is_the_documented_list";
    if role().is_none() {
        let output = this_test_as(NAME, "host").env("EXECRES_SECRET", "hunter2-in-the-host").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    // The control: the host has the secret, where a guest would find it if it were the host.
    let own = fs::read("/proc/self/environ").unwrap();
    assert!(String::from_utf8_lossy(&own).contains("hunter2"));
    let cat = execres_isolation::Step::new("/bin/cat", ["/proc/self/environ"]);
    let report = run(&Profile::deny_all().with_variable("ADDED", "yes"), vec![cat]).await;
    let text = output(&report);
    let lines: BTreeSet<&str> = text.split_terminator('\0').collect();
    let home = format!("HOME={HOME}");
    let expected = [
        "ADDED=yes",
        home.as_str(),
        "LANG=C.UTF-8",
        "LOGNAME=execres",
        "PATH=/usr/local/bin:/usr/bin:/bin",
        "TMPDIR=/tmp",
        "USER=execres",
    ];
    assert_eq!(lines, BTreeSet::from(expected));
    // Init and the launcher keep nothing of the host's either, and init shows nothing to the guest.
    let peek = shell("cat /proc/1/environ /proc/1/mem /proc/1/fd/3; ls /proc/1/fd; readlink /proc/1/exe; :");
    let peek = run(&Profile::deny_all(), vec![peek]).await;
    assert_eq!(peek.steps[0].stdout.total_bytes(), 0, "{peek:#?}");
    let sandbox = Sandbox::new(None);
    let sleeper = sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")]).await.unwrap();
    for (pid, name) in children_of(std::process::id()) {
        let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
        assert!(environment.is_empty(), "{name} has {}", String::from_utf8_lossy(&environment));
    }
    drop(sleeper);
}

#[tokio::test]
async fn nothing_of_the_process_state_is_inherited() {
    const NAME: &str = "nothing_of_the_process_state_is_inherited";
    if role().is_none() {
        let test = this_test_as(NAME, "host");
        let mut env = Command::new("sh");
        env.args(["-c", "umask 077; ulimit -c unlimited 2>/dev/null; cd /; exec env \"$@\"", "sh"]);
        env.args(["--ignore-signal=PIPE,INT,USR1", "--block-signal=TERM,USR2"]).arg(test.get_program());
        let output = env.args(test.get_args()).env("EXECRES_TEST_ROLE", "host").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    // Descriptors without close-on-exec, low and high.
    let secret = fs::File::open("/proc/self/environ").unwrap();
    let mut leaks = Vec::new();
    for _ in 0..20 {
        let leak = rustix::io::dup(&secret).unwrap();
        rustix::io::fcntl_setfd(&leak, rustix::io::FdFlags::empty()).unwrap();
        leaks.push(leak);
    }
    // The control: a child of the ordinary kind has them.
    let control = Command::new("sh").args(["-c", "ls /proc/self/fd | wc -l"]).output().unwrap();
    assert!(String::from_utf8(control.stdout).unwrap().trim().parse::<u32>().unwrap() >= 20);

    let script = "ls -C -w 200 /proc/self/fd; umask; pwd; grep -E 'SigBlk|SigIgn' /proc/self/status; ulimit -c; \
                  cat /proc/self/oom_score_adj; cut -d' ' -f7 /proc/self/stat; cat /proc/self/sessionid 2>/dev/null; :";
    let text = output(&run(&Profile::deny_all(), vec![shell(script)]).await);
    let lines: Vec<&str> = text.lines().collect();
    // The fourth is the directory that `ls` itself has open.
    assert_eq!(lines[0].split_ascii_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"], "{text}");
    assert_eq!(lines[1], "0022");
    assert_eq!(lines[2], "/");
    assert!(lines[3].ends_with("0000000000000000") && lines[4].ends_with("0000000000000000"), "{text}");
    assert_eq!(lines[5], "0");
    assert_eq!(lines[6], "500");
    assert_eq!(lines[7], "0", "a controlling terminal: {text}");
    // SIGPIPE ends a program as it should.
    let report = run(&Profile::deny_all(), vec![shell("(yes; echo $? >&2) | head -n1")]).await;
    assert_eq!(report.steps[0].stderr.text().trim(), "141", "{report:#?}");
}

#[tokio::test]
async fn only_its_own_processes_are_visible_and_the_hosts_cannot_be_signalled() {
    let test = "only_its_own_processes_are_visible_and_the_hosts_cannot_be_signalled";
    if !has_python(test) {
        return;
    }
    let mut victim = Command::new("sleep").arg("600").spawn().unwrap();
    let script = format!(
        "{ATTEMPTS}\n\
         pids = sorted(int(p) for p in os.listdir('/proc') if p.isdigit())\n\
         print('pids:', pids == [1, os.getpid()])\n\
         attempt('see', lambda: open('/proc/{0}/cmdline').read())\n\
         attempt('signal', lambda: os.kill({0}, 0))\n\
         attempt('init mem', lambda: open('/proc/1/mem', 'rb'))\n\
         attempt('init root', lambda: os.listdir('/proc/1/root'))\n\
         attempt('init cwd', lambda: os.listdir('/proc/1/cwd'))\n\
         attempt('init fds', lambda: os.listdir('/proc/1/fd'))\n\
         attempt('init maps', lambda: open('/proc/1/maps').read())\n\
         attempt('ptrace init', lambda: call(101, 16, 1, 0, 0))\n\
         attempt('vm read', lambda: call(310, 1, 0, 0, 0, 0, 0))\n",
        victim.id()
    );
    let inside = told(&script).await;
    let inside = answers(&inside);
    assert_eq!(inside[0].1, "True", "{inside:?}");
    assert!(inside[1..].iter().all(|(_, answer)| answer != "worked"), "{inside:?}");
    let control = told_outside(&format!(
        "{ATTEMPTS}\n\
         attempt('see', lambda: open('/proc/{0}/cmdline').read())\n\
         attempt('signal', lambda: os.kill({0}, 0))\n",
        victim.id()
    ));
    assert!(answers(&control).iter().all(|(_, answer)| answer == "worked"), "{control}");
    assert!(victim.try_wait().unwrap().is_none());
    victim.kill().unwrap();
    victim.wait().unwrap();
}

#[tokio::test]
async fn init_survives_every_signal_of_the_guest_and_still_reports() {
    let test = "init_survives_every_signal_of_the_guest_and_still_reports";
    if !has_python(test) {
        return;
    }
    let sandbox = Sandbox::new(None);
    // The first lines are for the day on which there is no PID namespace: then these signals would be the user's own.
    let script = "import os, signal\n\
                  if os.getpid() > 20: os._exit(99)\n\
                  for s in range(1, 65):\n\
                  \x20   try: os.kill(1, s)\n\
                  \x20   except OSError: pass\n\
                  pid = os.fork()\n\
                  if pid == 0: signal.pause()\n\
                  os.kill(-1, 9)\n\
                  os.waitpid(pid, 0)\n\
                  os._exit(42)";
    let report = run_in(&sandbox, &Profile::deny_all(), vec![python(script)]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 42 }, "{report:#?}");
    let orphans = "import os\n\
                   for i in range(50):\n\
                   \x20   if os.fork() == 0:\n\
                   \x20       if os.fork() == 0: os._exit(1)\n\
                   \x20       os._exit(2)\n\
                   import time\n\
                   codes = [os.wait()[1] >> 8 for i in range(50)]\n\
                   os._exit(7 if codes == [2] * 50 else 8)";
    let report = run_in(&sandbox, &Profile::deny_all(), vec![python(orphans)]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 7 }, "orphans of others are init's: {report:#?}");
}

#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn init_cannot_be_slowed_down_or_limited_by_its_guest() {
    let test = "init_cannot_be_slowed_down_or_limited_by_its_guest";
    if !has_python(test) {
        return;
    }
    // The same on the guest itself is the control. In a run without a PID namespace nothing is tried.
    let script = format!(
        "{ATTEMPTS}\n\
         import resource\n\
         if os.getpid() > 20: os._exit(99)\n\
         for who, pid in (('init', 1), ('own', os.getpid())):\n\
         \x20   attempt(who + ' scheduler', lambda: os.sched_setscheduler(pid, os.SCHED_BATCH, os.sched_param(0)))\n\
         \x20   attempt(who + ' affinity', lambda: os.sched_setaffinity(pid, os.sched_getaffinity(0)))\n\
         \x20   attempt(who + ' priority', lambda: os.setpriority(os.PRIO_PROCESS, pid, 19))\n\
         \x20   attempt(who + ' io', lambda: call(251, 1, pid, 3 << 13))\n\
         \x20   attempt(who + ' limit', lambda: resource.prlimit(pid, resource.RLIMIT_NOFILE, (64, 64)))\n\
         attempt('init by user', lambda: os.setpriority(os.PRIO_USER, 0, 19))\n\
         attempt('init io by user', lambda: call(251, 3, 1000, 3 << 13))\n"
    );
    let answers = answers(&told(&script).await);
    assert_eq!(answers.len(), 12, "{answers:?}");
    for (name, answer) in &answers {
        let expected = if name.starts_with("init") { "EPERM" } else { "worked" };
        assert_eq!(answer, expected, "{name}: {answers:?}");
    }
}

/// System calls that a guest may not make. Each has arguments that no kernel accepts, so that nothing happens where a call is
/// allowed; what tells the filter from the kernel is the error. Numbers are those of x86-64.
#[cfg(target_arch = "x86_64")]
#[tokio::test]
async fn dangerous_system_calls_are_refused_on_every_abi() {
    let source = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <signal.h>
static void try(const char *name, long result) {
    printf("%s: %s\n", name, result >= 0 ? "worked" : strerrorname_np(errno)); fflush(stdout);
}
#define TRY(name, ...) try(name, syscall(__VA_ARGS__))
int main(void) {
    TRY("mount", SYS_mount, "none", "/no/such/place", "no-such-fs", 0, 0);
    TRY("umount", SYS_umount2, "/no/such/place", 0);
    TRY("pivot_root", SYS_pivot_root, "/no/such/place", "/no/such/place");
    TRY("chroot", SYS_chroot, "/no/such/place");
    TRY("open_tree", SYS_open_tree, -1, "no-such-place", 0);
    TRY("fsopen", SYS_fsopen, "no-such-fs", 0);
    TRY("unshare", SYS_unshare, 1UL);
    TRY("setns", SYS_setns, -1, 0);
    TRY("clone user", SYS_clone, 0x10000200UL, 0, 0, 0, 0);
    TRY("clone pid high bits", SYS_clone, 0xff00000020010000UL, 0, 0, 0, 0);
    TRY("clone3", SYS_clone3, 0, 0);
    TRY("ptrace", SYS_ptrace, 9999, 0, 0, 0);
    TRY("keyctl", SYS_keyctl, 9999);
    TRY("add_key", SYS_add_key, 0, 0, 0, 0, 0);
    TRY("bpf", SYS_bpf, 9999, 0, 0);
    TRY("perf", SYS_perf_event_open, 0, 0, -1, -1, 9999);
    TRY("userfaultfd", SYS_userfaultfd, 0x7fffffff);
    TRY("io_uring", SYS_io_uring_setup, 0, 0);
    TRY("init_module", SYS_init_module, 0, 0, 0);
    TRY("kexec", SYS_kexec_load, 0, 9999, 0, 0);
    TRY("reboot", SYS_reboot, 0, 0, 0, 0);
    TRY("swapon", SYS_swapon, "/no/such/place", 0);
    TRY("acct", SYS_acct, "/no/such/place");
    TRY("settimeofday", SYS_settimeofday, 1, 0);
    TRY("sethostname", SYS_sethostname, 0, -1);
    TRY("handle", SYS_open_by_handle_at, -1, 0, 0);
    TRY("syslog", SYS_syslog, 9999, 0, 0);
    TRY("modify_ldt", SYS_modify_ldt, 9999, 0, 0);
    TRY("iopl", SYS_iopl, 9999);
    TRY("tiocsti", SYS_ioctl, -1, 0x5412UL, "x");
    TRY("tiocsti high bits", SYS_ioctl, -1, 0xdead00005412UL, "x");
    TRY("packet", SYS_socket, 17, 3, 0);
    TRY("netlink", SYS_socket, 16, 3, 0);
    TRY("vsock", SYS_socket, 40, 1, 0);
    TRY("alg", SYS_socket, 38, 5, 0);
    TRY("inet", SYS_socket, 2, 1, 0);
    TRY("inet6", SYS_socket, 10, 1, 0);
    TRY("x32 getpid", 0x40000000L | 39);
    TRY("x32 ptrace", 0x40000000L | 521, 9999, 0, 0, 0);
    TRY("beyond", 4000L);
    TRY("setgroups", SYS_setgroups, 0x7fffffff, 0);
    int child = fork();
    if (child == 0) {
        long pid;
        __asm__ volatile("int $0x80" : "=a"(pid) : "a"(20));
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    printf("int 0x80: %s\n", WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS ? "SIGSYS" : "worked");
    TRY("getpid", SYS_getpid);
    return 0;
}"#;
    let Some((directory, _)) = compile(source, &[]) else {
        eprintln!("EXECRES-SKIP: dangerous_system_calls_are_refused_on_every_abi: there is no gcc");
        return;
    };
    let profile = Profile::deny_all().read(directory.path(), Path::new("/attack")).unwrap();
    let report = run(&profile, vec![execres_isolation::Step::new("/attack/program", [""; 0])]).await;
    let inside = answers(&output(&report));
    assert_eq!(inside.len(), 43, "{inside:?}");
    for (name, answer) in &inside {
        let expected: &[&str] = match name.as_str() {
            // The control: a call that nothing forbids.
            "getpid" => &["worked"],
            "io_uring" | "clone3" | "x32 getpid" | "x32 ptrace" | "beyond" => &["ENOSYS"],
            "int 0x80" => &["SIGSYS"],
            _ => &["EPERM", "EAFNOSUPPORT", "EACCES"],
        };
        assert!(expected.contains(&answer.as_str()), "{name}: {answer}, and not one of {expected:?}");
    }
    // The program is not run outside, where a mistake in its arguments would be the host's. Its controls are the call that
    // nothing forbids, and the probe's own calls, which are few, harmless, and made outside as well.
}

#[tokio::test]
async fn a_set_uid_program_gains_nothing() {
    if !is_root() {
        eprintln!(
            "EXECRES-SKIP: a_set_uid_program_gains_nothing: optional: only root can make a set-uid program of root's"
        );
        return;
    }
    let source = "#include <stdio.h>\n#include <unistd.h>\nint main(void) { printf(\"%d %d\\n\", getuid(), geteuid()); return 0; }";
    let Some((directory, program)) = compile(source, &[]) else {
        eprintln!("EXECRES-SKIP: a_set_uid_program_gains_nothing: there is no gcc");
        return;
    };
    fs::set_permissions(&program, fs::Permissions::from_mode(0o4755)).unwrap();
    // The control: outside, an ordinary user becomes root by it.
    let control =
        Command::new("setpriv").args(["--reuid=65534", "--regid=65534", "--clear-groups"]).arg(&program).output();
    assert_eq!(String::from_utf8(control.unwrap().stdout).unwrap(), "65534 0\n");
    let profile = Profile::deny_all().read(directory.path(), Path::new("/attack")).unwrap();
    assert_eq!(output(&run(&profile, vec![shell("/attack/program")]).await), "1000 1000\n");
}

#[tokio::test]
async fn sockets_of_the_host_and_of_other_runs_are_out_of_reach() {
    let test = "sockets_of_the_host_and_of_other_runs_are_out_of_reach";
    if !has_python(test) {
        return;
    }
    let directory = open_dir();
    let name = marker("socket");
    let by_path = UnixListener::bind(directory.path().join("s")).unwrap();
    fs::set_permissions(directory.path().join("s"), fs::Permissions::from_mode(0o777)).unwrap();
    let by_name = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
    let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
    let script = |twin: &str| {
        format!(
            "{ATTEMPTS}\n\
             def unix(address):\n\
             \x20   s = socket.socket(socket.AF_UNIX); s.connect(address)\n\
             attempt('path', lambda: unix('{}/s'))\n\
             attempt('abstract', lambda: unix('\\0{name}'))\n\
             attempt('twin', lambda: unix('\\0{twin}'))\n\
             attempt('tcp', lambda: socket.create_connection(('127.0.0.1', {}), 2))\n\
             attempt('any', lambda: socket.create_connection(('0.0.0.0', {1}), 2))\n\
             attempt('udp', lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('127.0.0.1', {})))\n\
             attempt('mapped', lambda: socket.create_connection(('::ffff:127.0.0.1', {1}), 2))\n",
            directory.path().display(),
            tcp.local_addr().unwrap().port(),
            udp.local_addr().unwrap().port(),
        )
    };
    // Another run at the same time listens on a name of its own.
    let sandbox = Sandbox::new(None);
    let twin = marker("twin");
    let listens = format!(
        "import socket, time\ns = socket.socket(socket.AF_UNIX); s.bind('\\0{twin}'); s.listen()\n\
         c = socket.socket(socket.AF_UNIX); c.connect('\\0{twin}')\nprint('listening', flush=True)\ntime.sleep(600)"
    );
    let listening = sandbox.launch(&Profile::deny_all(), vec![python(&listens)]).await.unwrap();
    assert!(eventually(PATIENCE, || {
        let init = listening.init_pid();
        let leader = children_of(init as u32).first().map_or(0, |(pid, _)| *pid);
        fs::read_to_string(format!("/proc/{leader}/net/unix")).is_ok_and(|text| text.contains(&twin))
    }));
    for (network, refused) in [(NetworkMode::None, 7), (NetworkMode::Loopback, 6)] {
        let profile = Profile::deny_all().with_network(network);
        let inside = answers(&output(&run_in(&sandbox, &profile, vec![python(&script(&twin))]).await));
        let worked: Vec<_> = inside.iter().filter(|(_, answer)| answer == "worked").collect();
        // A datagram on the run's own loopback goes to nobody; sending it is no error.
        assert!(
            worked.iter().all(|(name, _)| name == "udp" && network == NetworkMode::Loopback),
            "{network}: {inside:?}"
        );
        assert!(inside.len() - worked.len() >= refused, "{inside:?}");
    }
    drop(listening);
    tcp.set_nonblocking(true).unwrap();
    udp.set_nonblocking(true).unwrap();
    by_path.set_nonblocking(true).unwrap();
    by_name.set_nonblocking(true).unwrap();
    assert!(tcp.accept().is_err() && by_path.accept().is_err() && by_name.accept().is_err());
    assert!(udp.recv(&mut [0; 8]).is_err());
    // The control: from outside every one of them but the twin's is reached.
    let control = answers(&told_outside(&script(&twin)));
    let worked = control.iter().filter(|(_, answer)| answer == "worked").count();
    assert!(worked >= 5, "{control:?}");
    assert!(tcp.accept().is_ok() && by_path.accept().is_ok() && by_name.accept().is_ok());
    assert!(udp.recv(&mut [0; 8]).is_ok());
}

#[tokio::test]
async fn a_file_that_can_only_be_read_is_not_used_to_hold_others_up() {
    let test = "a_file_that_can_only_be_read_is_not_used_to_hold_others_up";
    if !has_python(test) {
        return;
    }
    let granted = open_dir();
    let file = granted.path().join("file");
    fs::write(&file, "content").unwrap();
    let script = format!(
        "{ATTEMPTS}\n\
         import fcntl\n\
         f = open('{}')\n\
         attempt('lease', lambda: fcntl.fcntl(f, fcntl.F_SETLEASE, fcntl.F_WRLCK))\n\
         attempt('notify', lambda: fcntl.fcntl(os.open('{}', os.O_RDONLY), fcntl.F_NOTIFY, 1))\n\
         attempt('lock', lambda: fcntl.flock(f, fcntl.LOCK_SH))\n",
        file.display(),
        granted.path().display()
    );
    let profile = Profile::deny_all().read(granted.path(), granted.path()).unwrap();
    let inside = answers(&output(&run(&profile, vec![python(&script)]).await));
    let expected = [("lease", "EPERM"), ("notify", "EPERM"), ("lock", "worked")];
    assert_eq!(inside, expected.map(|(name, answer)| (name.to_owned(), answer.to_owned())));
    let control = told_outside(&script);
    assert!(answers(&control).iter().all(|(_, answer)| answer == "worked"), "{control}");
}

#[tokio::test]
async fn processes_of_a_run_talk_over_its_own_loopback() {
    let test = "processes_of_a_run_talk_over_its_own_loopback";
    if !has_python(test) {
        return;
    }
    let script = "import os, socket\n\
                  s = socket.create_server(('127.0.0.1', 8080))\n\
                  if os.fork() == 0:\n\
                  \x20   c = socket.create_connection(('localhost', 8080)); c.sendall(b'hello'); os._exit(0)\n\
                  c, _ = s.accept(); print(c.recv(5).decode())";
    let profile = Profile::deny_all().with_network(NetworkMode::Loopback);
    assert_eq!(output(&run(&profile, vec![python(script)]).await), "hello\n");
    // The port is the run's own: the next run has it again, and so have two at the same time.
    let sandbox = Sandbox::new(None);
    let one = sandbox.launch(&profile, vec![python(script)]).await.unwrap();
    let two = sandbox.launch(&profile, vec![python(script)]).await.unwrap();
    let (one, two) = tokio::join!(one.finish(None, pending()), two.finish(None, pending()));
    assert_eq!((output(&one), output(&two)), ("hello\n".into(), "hello\n".into()));
}

#[tokio::test]
async fn the_hosts_network_is_there_only_when_it_is_inherited() {
    let test = "the_hosts_network_is_there_only_when_it_is_inherited";
    if !has_python(test) {
        return;
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answering = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"reached").unwrap();
        let mut rest = Vec::new();
        stream.read_to_end(&mut rest).unwrap();
    });
    let script =
        format!("import socket; s = socket.create_connection(('127.0.0.1', {port}), 5); print(s.recv(9).decode())");
    let profile = Profile::deny_all().with_network(NetworkMode::Inherited);
    assert_eq!(output(&run(&profile, vec![python(&script)]).await), "reached\n");
    answering.join().unwrap();
}

#[tokio::test]
async fn ipc_objects_of_the_host_are_out_of_reach() {
    let source = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
int main(int argc, char **argv) {
    key_t key = atoi(argv[2]);
    if (!strcmp(argv[1], "make")) {
        mqd_t q = mq_open(argv[3], O_CREAT | O_RDWR, 0666, 0);
        printf("%d %d %d %d\n", shmget(key, 4096, IPC_CREAT | 0666), semget(key, 1, IPC_CREAT | 0666),
               msgget(key, IPC_CREAT | 0666), q);
    } else if (!strcmp(argv[1], "remove")) {
        shmctl(shmget(key, 0, 0), IPC_RMID, 0); semctl(semget(key, 0, 0), 0, IPC_RMID);
        msgctl(msgget(key, 0), IPC_RMID, 0); mq_unlink(argv[3]);
    } else {
        printf("shm: %s\n", shmget(key, 0, 0) < 0 ? strerrorname_np(errno) : "worked");
        printf("sem: %s\n", semget(key, 0, 0) < 0 ? strerrorname_np(errno) : "worked");
        printf("msg: %s\n", msgget(key, 0) < 0 ? strerrorname_np(errno) : "worked");
        printf("mq: %s\n", mq_open(argv[3], O_RDWR) < 0 ? strerrorname_np(errno) : "worked");
    }
    return 0;
}"#;
    let Some((directory, program)) = compile(source, &["-lrt"]) else {
        eprintln!("EXECRES-SKIP: ipc_objects_of_the_host_are_out_of_reach: there is no gcc");
        return;
    };
    let key = (std::process::id() + 0x4558_0000).to_string();
    let queue = format!("/{}", marker("queue"));
    let outside = |what: &str| {
        let output = Command::new(&program).args([what, &key, &queue]).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    outside("make");
    let control = answers(&outside("reach"));
    let profile = Profile::deny_all().read(directory.path(), Path::new("/attack")).unwrap();
    let step = execres_isolation::Step::new("/attack/program", ["reach", &key, &queue]);
    let inside = answers(&output(&run(&profile, vec![step]).await));
    outside("remove");
    assert!(control.iter().all(|(_, answer)| answer == "worked"), "{control:?}");
    assert_eq!(inside.len(), 4);
    assert!(inside.iter().all(|(_, answer)| answer == "ENOENT"), "{inside:?}");
}

#[tokio::test]
async fn a_scratch_directory_is_handed_up_with_what_the_guest_left() {
    let profile = Profile::deny_all().scratch(Path::new("/out"), execres_isolation::HandUp::Yes).unwrap();
    let report =
        run(&profile, vec![shell("echo result > /out/file; id -un > /out/name; umask 777; mkdir /out/closed")]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
    let directory = &report.handed_up[0];
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOFOLLOW;
    let read = |name: &str| {
        let file = rustix::fs::openat(directory, name, flags, rustix::fs::Mode::empty()).unwrap();
        let mut text = String::new();
        fs::File::from(file).read_to_string(&mut text).unwrap();
        text
    };
    assert_eq!((read("file").as_str(), read("name").as_str()), ("result\n", "execres\n"));
}

#[tokio::test]
async fn a_grant_that_was_swapped_is_refused() {
    let parent = open_dir();
    let granted = parent.path().join("granted");
    fs::create_dir(&granted).unwrap();
    let inode = fs::metadata(&granted).unwrap().ino();
    let profile = Profile::deny_all().read(&granted, Path::new("/data")).unwrap();
    output(&run(&profile, vec![shell("ls /data")]).await);
    // The same name leads somewhere else when the run is launched.
    fs::rename(&granted, parent.path().join("moved")).unwrap();
    fs::create_dir(&granted).unwrap();
    assert_ne!(fs::metadata(&granted).unwrap().ino(), inode);
    for swap in ["directory", "link"] {
        if swap == "link" {
            fs::remove_dir(&granted).unwrap();
            std::os::unix::fs::symlink("/etc", &granted).unwrap();
        }
        let report = run(&profile, vec![shell("ls /data")]).await;
        assert!(matches!(report.outcome, Outcome::FailedToStart { .. }), "{swap}: {report:#?}");
        assert_eq!(report.failure.unwrap().code(), "isolation.root_failed");
    }
}
