//! Each limit is reached by a program that tries to pass it, and the host is none the worse for it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it measured and what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts compilers")]

mod support;

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use execres_core::{Clock, Enforcement, LimitKind, Limits, Outcome, UsageSource};
use execres_isolation::{HandUp, Profile, RunReport, Sandbox};
use support::*;

const MIB: u64 = 1 << 20;

fn tight(memory: u64) -> Profile {
    limits(|limits| {
        limits.memory = memory;
        limits.scratch = 4 * memory;
        limits.file_size = 4 * memory;
        limits.wall_time = Duration::from_secs(20);
    })
}

/// Whether this host gives a launcher a memory controller, by what the evidence says of the limit.
async fn has_controller(sandbox: &Arc<Sandbox>) -> bool {
    let report = sandbox.evidence(&Profile::deny_all()).await.unwrap();
    report.limits.iter().any(|limit| limit.limit == "memory" && limit.enforcement == Enforcement::Enforced)
}

const TOUCH: &str = "import sys\nblocks = []\nwhile True: blocks.append(bytearray(1 << 20))";
const FILL_TMP: &str = "f = open('/tmp/fill', 'wb')\nwhile True: f.write(b'x' * (1 << 20)); f.flush()";
const FILL_SHM: &str = "f = open('/dev/shm/fill', 'wb')\nwhile True: f.write(b'x' * (1 << 20)); f.flush()";
const MEMFD: &str = "import os\nfd = os.memfd_create('x')\nwhile True: os.write(fd, b'x' * (1 << 20))";
const SHARED: &str =
    "import mmap\nmaps = []\nwhile True:\n m = mmap.mmap(-1, 1 << 20); m.write(b'x' * (1 << 20)); maps.append(m)";
const CHILDREN: &str = "import os, time\nfor i in range(64):\n if os.fork() == 0:\n  x = bytearray(16 << 20); time.sleep(60)\ntime.sleep(60)";

#[tokio::test]
async fn memory_of_every_kind_is_limited_by_the_controller() {
    let test = "memory_of_every_kind_is_limited_by_the_controller";
    let sandbox = Sandbox::new(None);
    if !has_python(test) {
        return;
    }
    if !has_controller(&sandbox).await {
        eprintln!("EXECRES-SKIP: {test}: optional: this host delegates no memory controller to this user");
        return;
    }
    let kinds = [
        ("touch", TOUCH),
        ("tmp", FILL_TMP),
        ("shm", FILL_SHM),
        ("memfd", MEMFD),
        ("shared", SHARED),
        ("children", CHILDREN),
    ];
    for (kind, script) in kinds {
        let mut limits = tight(96 * MIB).limits().clone();
        if kind == "children" {
            limits.wall_time = Duration::from_secs(2);
        }
        let report = run_in(&sandbox, &Profile::deny_all().with_limits(limits), vec![python(script)]).await;
        if kind == "children" {
            // A child that is killed is not the leader; whatever becomes of that, the memory is bounded.
            let peak = report.usage.peak_memory.unwrap().value;
            assert!(peak <= 96 * MIB, "{kind}: {peak}");
        } else {
            assert_eq!(report.outcome, Outcome::OutOfMemory, "{kind}: {report:#?}");
        }
        // The positive control, on the same launcher: with room the same amount is no trouble.
        let modest =
            script.replace("while True", "for _ in range(120)").replace("range(64)", "range(4)").replace("60)", "0)");
        let report = run_in(&sandbox, &tight(256 * MIB), vec![python(&modest)]).await;
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{kind}: {report:#?}");
    }
}

#[tokio::test]
async fn a_memory_limit_that_is_too_small_for_the_program_is_no_success_and_harms_no_later_run() {
    if !has_python("a_memory_limit_that_is_too_small_for_the_program_is_no_success_and_harms_no_later_run") {
        return;
    }
    let sandbox = Sandbox::new(None);
    for memory in [64 << 10, 256 << 10, MIB, 2 * MIB, 3 * MIB] {
        let limits = Limits { memory, ..Limits::STANDARD };
        let launched =
            sandbox.launch(&Profile::deny_all().with_limits(limits), vec![python("x = bytearray(8 << 20)")]).await;
        match launched {
            Ok(run) => {
                let report = run.finish(None, std::future::pending()).await;
                eprintln!("{memory} bytes: {}", report.outcome);
                assert!(!report.outcome.is_success(), "{report:#?}");
            }
            Err(error) => eprintln!("{memory} bytes: {error}"),
        }
        assert_eq!(output(&run_in(&sandbox, &Profile::deny_all(), vec![shell("echo next")]).await), "next\n");
    }
}

#[tokio::test]
async fn memory_is_polled_where_there_is_no_controller() {
    if !has_python("memory_is_polled_where_there_is_no_controller") {
        return;
    }
    let sandbox = Sandbox::without_controllers(None);
    assert!(!has_controller(&sandbox).await);
    for (kind, script) in [("tmp", FILL_TMP), ("shm", FILL_SHM), ("children", CHILDREN), ("shared", SHARED)] {
        let report = run_in(&sandbox, &tight(96 * MIB), vec![python(script)]).await;
        assert_eq!(report.outcome, Outcome::OutOfMemory, "{kind}: {report:#?}");
    }
    // One process alone meets its data limit first, and gets the error that it can handle.
    let report = run_in(&sandbox, &tight(96 * MIB), vec![python(TOUCH)]).await;
    assert!(!report.outcome.is_success(), "{report:#?}");
    assert!(report.usage.peak_memory.unwrap().value < 128 * MIB, "{report:#?}");
}

#[tokio::test]
async fn the_peak_that_a_controller_tells_is_that_of_the_run() {
    let test = "the_peak_that_a_controller_tells_is_that_of_the_run";
    let sandbox = Sandbox::new(None);
    if !has_python(test) {
        return;
    }
    if !has_controller(&sandbox).await {
        eprintln!("EXECRES-SKIP: {test}: optional: this host delegates no memory controller to this user");
        return;
    }
    let mut peaks = Vec::new();
    for script in ["x = bytearray(80 << 20)", "pass"] {
        let report = run_in(&sandbox, &Profile::deny_all(), vec![python(script)]).await;
        peaks.push(report.usage.peak_memory.unwrap());
    }
    assert!(peaks[0].value > 80 * MIB && peaks[1].value < 60 * MIB, "{peaks:?}");
    // Version 1 could always forget a peak, version 2 can since Linux 6.12.
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap();
    let version: Vec<u32> = kernel.split(['.', '-']).take(2).map_while(|part| part.parse().ok()).collect();
    if Path::new("/sys/fs/cgroup/memory").exists() || version >= vec![6, 12] {
        assert!(peaks.iter().all(|peak| peak.source == UsageSource::Controller), "{peaks:?} on {kernel}");
    }
}

#[tokio::test]
async fn pages_that_a_fork_shares_are_counted_once() {
    if !has_python("pages_that_a_fork_shares_are_counted_once") {
        return;
    }
    // 40 MiB that eight children share with their parent are 40 MiB and not 360.
    let script = "import os, time\n\
                  block = bytearray(40 << 20)\n\
                  r, w = os.pipe()\n\
                  for i in range(8):\n\
                  \x20   if os.fork() == 0: os.read(r, 1); os._exit(0)\n\
                  end = time.monotonic() + 0.3\n\
                  while time.monotonic() < end: pass\n\
                  os.write(w, b'12345678')\n\
                  print([os.wait()[1] for i in range(8)])";
    for sandbox in [Sandbox::new(None), Sandbox::without_controllers(None)] {
        let report = run_in(&sandbox, &tight(160 * MIB), vec![python(script)]).await;
        assert_eq!(output(&report), "[0, 0, 0, 0, 0, 0, 0, 0]\n");
    }
}

#[tokio::test]
async fn what_a_run_hands_up_is_not_charged_to_the_next_one() {
    if !has_python("what_a_run_hands_up_is_not_charged_to_the_next_one") {
        return;
    }
    let sandbox = Sandbox::new(None);
    let profile = tight(128 * MIB).scratch(Path::new("/out"), HandUp::Yes).unwrap();
    let fill = |directory: &str| python(&format!("open('{directory}/fill', 'wb').write(b'x' * (48 << 20))"));
    let mut kept: Vec<RunReport> = Vec::new();
    for number in 0..5 {
        // The host still holds what the runs before left behind.
        let report = run_in(&sandbox, &profile, vec![fill("/out")]).await;
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "run {number}: {report:#?}");
        kept.push(report);
    }
    let report = run_in(&sandbox, &tight(64 * MIB), vec![shell("true")]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
}

#[tokio::test]
async fn a_launcher_is_used_again_once_its_files_are_let_go_of() {
    const NAME: &str = "a_launcher_is_used_again_once_its_files_are_let_go_of";
    if !has_python(NAME) {
        return;
    }
    // Alone in a process, so that the launchers are this test's.
    if role().is_none() {
        let output = this_test_as(NAME, "host").output().unwrap();
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    let sandbox = Sandbox::new(None);
    let profile = tight(128 * MIB).scratch(Path::new("/out"), HandUp::Yes).unwrap();
    for _ in 0..20 {
        let report = run_in(&sandbox, &profile, vec![python("open('/out/f', 'wb').write(b'x' * (48 << 20))")]).await;
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
        drop(report);
    }
    let launchers = children_of(std::process::id()).len();
    eprintln!("{launchers} launchers for 20 runs in a row that handed up 48 MiB each");
    assert!(launchers <= 4, "{launchers}");
}

#[tokio::test]
async fn what_a_run_left_in_memory_is_gone_when_the_next_one_starts() {
    if !has_python("what_a_run_left_in_memory_is_gone_when_the_next_one_starts") {
        return;
    }
    let sandbox = Sandbox::new(None);
    let script = "x = bytearray(30 << 20); open('/tmp/fill', 'wb').write(b'x' * (30 << 20))";
    for number in 0..10 {
        let report = run_in(&sandbox, &tight(112 * MIB), vec![python(script)]).await;
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "run {number}: {report:#?}");
    }
}

/// Forks or starts threads until it is refused, and says how often it was not.
const FORK: &str = "import os, signal\n\
                    count = 1\n\
                    try:\n\
                    \x20   while True:\n\
                    \x20       if os.fork() == 0:\n\
                    \x20           os.setsid(); signal.pause()\n\
                    \x20       count += 1\n\
                    except BlockingIOError: pass\n\
                    print(count)";
const THREAD: &str = "import threading\n\
                      threading.stack_size(65536)\n\
                      event = threading.Event()\n\
                      count = 1\n\
                      try:\n\
                      \x20   while True: threading.Thread(target=event.wait, daemon=True).start(); count += 1\n\
                      except RuntimeError: pass\n\
                      print(count, flush=True)\n\
                      import os; os._exit(0)";

#[tokio::test]
async fn processes_and_threads_are_counted_together() {
    if !has_python("processes_and_threads_are_counted_together") {
        return;
    }
    let sandbox = Sandbox::new(None);
    for script in [FORK, THREAD] {
        for processes in [20, 40] {
            let profile = limits(|limits| limits.processes = processes);
            assert_eq!(output(&run_in(&sandbox, &profile, vec![python(script)]).await), format!("{processes}\n"));
        }
    }
    // Two runs at once have their own count each.
    let profile = limits(|limits| limits.processes = 30);
    let (one, two) =
        tokio::join!(run_in(&sandbox, &profile, vec![python(FORK)]), run_in(&sandbox, &profile, vec![python(FORK)]));
    assert_eq!((output(&one), output(&two)), ("30\n".into(), "30\n".into()));
}

#[tokio::test]
async fn a_fork_bomb_is_contained_and_gone() {
    let profile = limits(|limits| {
        limits.processes = 100;
        limits.wall_time = Duration::from_secs(2);
    });
    let marker = marker("bomb");
    let start = Instant::now();
    let bomb = shell(&format!("bomb() {{ bomb | bomb & }}; bomb; while :; do bomb; done 2>/dev/null; : {marker}"));
    let report = run(&profile, vec![bomb]).await;
    assert!(!report.outcome.is_success(), "{report:#?}");
    assert!(start.elapsed() < generous(Duration::from_secs(10)), "{:?}", start.elapsed());
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
    // The host itself still forks.
    assert!(std::process::Command::new("true").status().unwrap().success());
}

#[tokio::test]
async fn processor_time_ends_a_run() {
    if !has_python("processor_time_ends_a_run") {
        return;
    }
    let profile = limits(|limits| limits.cpu_time = Duration::from_secs(1));
    let spin = "while True: pass";
    let stubborn = format!("import signal; signal.signal(signal.SIGXCPU, signal.SIG_IGN)\n{spin}");
    for script in [spin, &stubborn] {
        let report = run(&profile, vec![python(script)]).await;
        assert_eq!(report.outcome, Outcome::TimedOut { clock: Clock::Cpu }, "{report:#?}");
        let used = report.usage.cpu_user + report.usage.cpu_system;
        assert!(used >= Duration::from_millis(750) && used < Duration::from_secs(5), "{used:?}");
    }
}

#[tokio::test]
async fn wall_time_ends_a_run() {
    let profile = limits(|limits| limits.wall_time = Duration::from_millis(300));
    let start = Instant::now();
    let report = run(&profile, vec![shell("trap '' TERM INT; sleep 600")]).await;
    assert_eq!(report.outcome, Outcome::TimedOut { clock: Clock::Wall });
    assert!(start.elapsed() >= Duration::from_millis(300) && start.elapsed() < generous(Duration::from_secs(4)));
    // It is the time of the whole run and not of each step.
    let steps = (0..10).map(|_| shell("sleep 0.1")).collect();
    assert_eq!(run(&profile, steps).await.outcome, Outcome::TimedOut { clock: Clock::Wall });
}

#[tokio::test]
async fn files_are_limited_in_size_and_number() {
    if !has_python("files_are_limited_in_size_and_number") {
        return;
    }
    let sandbox = Sandbox::new(None);
    let profile = limits(|limits| limits.file_size = MIB);
    let report = run_in(
        &sandbox,
        &profile,
        vec![shell("head -c 1048576 /dev/zero > /tmp/fits; exec head -c 1048577 /dev/zero > /tmp/large")],
    )
    .await;
    assert_eq!(report.outcome, Outcome::LimitExceeded { limit: LimitKind::FileSize }, "{report:#?}");

    let open = "import os\n\
                fds = []\n\
                try:\n\
                \x20   while True: fds.append(os.open('/dev/null', os.O_RDONLY))\n\
                except OSError as error: print(error.errno, len(fds) + 3)";
    let profile = limits(|limits| limits.open_files = 50);
    assert_eq!(output(&run_in(&sandbox, &profile, vec![python(open)]).await), format!("{} 50\n", libc::EMFILE));
}

#[tokio::test]
async fn scratch_is_limited_in_bytes_and_files() {
    if !has_python("scratch_is_limited_in_bytes_and_files") {
        return;
    }
    let profile = limits(|limits| {
        limits.scratch = 8 * MIB;
        limits.scratch_inodes = 100;
    });
    let script = "import errno, os\n\
                  for d in ('/tmp', '/dev/shm', os.environ['HOME'], '/out'):\n\
                  \x20   n = 0\n\
                  \x20   try:\n\
                  \x20       with open(d + '/fill', 'wb', 0) as f:\n\
                  \x20           while True: n += f.write(b'x' * 65536)\n\
                  \x20   except OSError as e: print(errno.errorcode[e.errno], n >> 20)\n\
                  \x20   os.unlink(d + '/fill')\n\
                  \x20   n = 0\n\
                  \x20   try:\n\
                  \x20       while True: os.mkdir(d + '/%d' % n); n += 1\n\
                  \x20   except OSError as e: print(errno.errorcode[e.errno], n)";
    let profile = profile.scratch(Path::new("/out"), HandUp::No).unwrap();
    let told = output(&run(&profile, vec![python(script)]).await);
    assert_eq!(told, "ENOSPC 8\nENOSPC 99\n".repeat(4));
}

#[tokio::test]
async fn programs_leave_no_core_file_and_lower_their_own_limits_only() {
    if !has_python("programs_leave_no_core_file_and_lower_their_own_limits_only") {
        return;
    }
    let script = "import resource as r\n\
                  for name in ('CORE', 'CPU', 'FSIZE', 'NOFILE', 'NPROC', 'MEMLOCK'):\n\
                  \x20   limit = getattr(r, 'RLIMIT_' + name); soft, hard = r.getrlimit(limit)\n\
                  \x20   try: r.setrlimit(limit, (soft, hard + 1)); print(name, 'raised')\n\
                  \x20   except (OSError, ValueError): print(name, hard)";
    let told = output(&run(&Profile::deny_all(), vec![python(script)]).await);
    let standard = Limits::STANDARD;
    let lines: Vec<&str> = told.lines().collect();
    assert_eq!(lines[0], "CORE 1");
    assert_eq!(lines[2], format!("FSIZE {}", standard.file_size));
    assert_eq!(lines[3], format!("NOFILE {}", standard.open_files));
    assert!(!told.contains("raised"), "{told}");
}

#[tokio::test]
async fn limits_do_not_pass_from_run_to_run() {
    if !has_python("limits_do_not_pass_from_run_to_run") {
        return;
    }
    let sandbox = Sandbox::new(None);
    let show = "import resource as r; print(*[r.getrlimit(getattr(r, 'RLIMIT_' + n))[1] for n in \
                ('CPU', 'FSIZE', 'NOFILE', 'NPROC')])\n\
                x = bytearray(100 << 20)";
    let before = output(&run_in(&sandbox, &Profile::deny_all(), vec![python(show)]).await);
    let small = limits(|limits| {
        (limits.memory, limits.processes, limits.open_files, limits.file_size) = (32 * MIB, 5, 20, 4096);
        limits.cpu_time = Duration::from_secs(1);
    });
    let report = run_in(&sandbox, &small, vec![shell("ulimit -n")]).await;
    assert_eq!(output(&report), "20\n");
    let after = output(&run_in(&sandbox, &Profile::deny_all(), vec![python(show)]).await);
    assert_eq!(before, after);
}

#[tokio::test]
async fn limits_of_the_host_beyond_the_ordinary_are_not_the_guests() {
    const NAME: &str = "limits_of_the_host_beyond_the_ordinary_are_not_the_guests";
    if role().is_some() {
        for rung in [execres_isolation::Rung::Full, execres_isolation::Rung::NoNamespaces] {
            let script = "ulimit -s; ulimit -i; ulimit -r; ulimit -e";
            let step = execres_isolation::Step::new("/bin/bash", ["-c", script]);
            let told = output(&run(&Profile::deny_all().on_rung(rung), vec![step]).await);
            let told: Vec<&str> = told.lines().collect();
            // What the host itself is not allowed it cannot give.
            assert_eq!(told, ["512", "1024", "0", "0"], "{rung}");
        }
        return;
    }
    let test = this_test_as(NAME, "host");
    let mut host = std::process::Command::new("bash");
    host.args(["-c", "ulimit -Ss 512; ulimit -Hs 512; exec \"$0\" \"$@\""]);
    let finished =
        host.arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host").output().unwrap();
    assert!(finished.status.success(), "{}", String::from_utf8_lossy(&finished.stderr));
}

#[tokio::test]
async fn a_host_that_may_write_no_large_file_gets_an_error_and_lives() {
    const NAME: &str = "a_host_that_may_write_no_large_file_gets_an_error_and_lives";
    if role().is_some() {
        let error = Sandbox::new(None).launch(&Profile::deny_all(), vec![shell("true")]).await.unwrap_err();
        assert_eq!(error.code(), "isolation.launcher_start_failed", "{error}");
        return;
    }
    let test = this_test_as(NAME, "host");
    let mut host = std::process::Command::new("bash");
    // Its output is a pipe, to which the limit does not apply.
    host.args(["-c", "ulimit -f 8; exec \"$0\" \"$@\""]);
    let finished =
        host.arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host").output().unwrap();
    assert!(finished.status.success(), "{finished:?}");
}

#[tokio::test]
async fn more_output_than_the_hard_cap_is_no_success_however_quick_the_program_was() {
    let profile = limits(|limits| limits.output_hard = 1000);
    for _ in 0..20 {
        let report = run(&profile, vec![shell("head -c 60000 /dev/zero")]).await;
        assert_eq!(report.outcome, Outcome::LimitExceeded { limit: LimitKind::Output }, "{report:#?}");
    }
    let report = run(&profile, vec![shell("head -c 1000 /dev/zero")]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "the control: what the cap allows");
}

#[tokio::test]
async fn no_scratch_is_as_good_as_none_and_not_without_limit() {
    let profile = limits(|limits| (limits.scratch, limits.scratch_inodes) = (0, 0));
    let script = "head -c 100000 /dev/zero > /tmp/file; mkdir /tmp/one; echo $(stat -c %s /tmp/file 2>/dev/null)";
    let told = output(&run(&profile, vec![shell(script)]).await);
    assert_eq!(told.trim(), "", "{told}");
    let profile = limits(|limits| limits.scratch_inodes = 100);
    assert_eq!(output(&run(&profile, vec![shell(script)]).await).trim(), "100000", "the control");
}

#[tokio::test]
async fn a_run_takes_a_part_of_what_the_machine_has_once() {
    let source = r#"
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <time.h>
int main(void) {
    int instances = 0, terminals = 0, timers = 0;
    while (instances < 200 && inotify_init1(0) >= 0) instances++;
    while (terminals < 200 && posix_openpt(O_RDWR | O_NOCTTY) >= 0) terminals++;
    timer_t timer;
    struct sigevent nothing = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
    while (timers < 5000 && timer_create(CLOCK_MONOTONIC, &nothing, &timer) == 0) timers++;
    printf("%d %d %d\n", instances, terminals, timers);
    return 0;
}"#;
    let Some((directory, program)) = compile(source, &["-lrt"]) else {
        eprintln!("EXECRES-SKIP: a_run_takes_a_part_of_what_the_machine_has_once: there is no gcc");
        return;
    };
    let profile = Profile::deny_all().read(directory.path(), directory.path()).unwrap();
    let told = output(&run(&profile, vec![execres_isolation::Step::new(&program, [""; 0])]).await);
    let told: Vec<u32> = told.split_ascii_whitespace().map(|number| number.parse().unwrap()).collect();
    assert!((1..=64).contains(&told[1]) && (100..=1024).contains(&told[2]), "{told:?}");
    // A container keeps `/proc/sys` from being written, and then the number is the host's.
    if fs::metadata("/proc/sys/user/max_inotify_instances").is_ok() && is_writable("/proc/sys/user") {
        assert!((1..=32).contains(&told[0]), "{told:?}");
    }
}

fn is_writable(path: &str) -> bool {
    rustix::fs::statvfs(path).is_ok_and(|stat| !stat.f_flag.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

/// The kernel frees a segment some time after the last process of its namespace is gone, and charges it until then.
#[tokio::test]
async fn what_the_kernel_has_not_freed_yet_is_not_charged_to_the_next_run() {
    let source = r#"
#include <string.h>
#include <sys/shm.h>
int main(void) {
    int id = shmget(IPC_PRIVATE, 45 << 20, 0600);
    char *memory = shmat(id, 0, 0);
    if (id < 0 || memory == (void *)-1) return 3;
    memset(memory, 1, 45 << 20);
    return 0;
}"#;
    let Some((directory, program)) = compile(source, &[]) else {
        eprintln!("EXECRES-SKIP: what_the_kernel_has_not_freed_yet_is_not_charged_to_the_next_run: there is no gcc");
        return;
    };
    let profile = limits(|limits| limits.memory = 60 << 20).read(directory.path(), directory.path()).unwrap();
    let sandbox = Sandbox::new(None);
    for round in 0..40 {
        let report = run_in(&sandbox, &profile, vec![execres_isolation::Step::new(&program, [""; 0])]).await;
        assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "round {round}: {report:#?}");
    }
}
