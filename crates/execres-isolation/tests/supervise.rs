//! From spawn to reap: how runs end, what is captured, and that nothing of them is left.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it measured and what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts and compilers")]

mod support;

use std::future::{pending, ready};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use execres_core::{Clock, LimitKind, Outcome, Stream};
use execres_isolation::{HandUp, OutputSink, Profile, Run, Sandbox, Stdin, Step};
use support::*;

/// A child that leaves the session and its parent, keeps standard output, ignores what can be ignored, and stays.
fn leave_a_daemon(marker: &str) -> String {
    format!(
        "import os, signal, sys, time\n\
         if os.fork() == 0:\n\
         \x20   os.setsid()\n\
         \x20   if os.fork() == 0:\n\
         \x20       for s in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(s, signal.SIG_IGN)\n\
         \x20       os.execv('/usr/bin/python3', ['{marker}', '-c', 'import time\\nprint(\"up\", flush=True)\\ntime.sleep(600)'])\n\
         \x20   os._exit(0)\n\
         os.wait()\n"
    )
}

/// Passes on when the run's first output is there, so that a test waits for the event and not for a time.
#[derive(Default)]
struct Watcher {
    pieces: Mutex<Vec<(usize, Stream, Vec<u8>)>>,
    changed: tokio::sync::Notify,
}

impl OutputSink for Watcher {
    fn write(&self, step: usize, stream: Stream, bytes: &[u8]) {
        self.pieces.lock().unwrap().push((step, stream, bytes.to_vec()));
        self.changed.notify_one();
    }
}

impl Watcher {
    async fn wait_for(&self, text: &str) {
        loop {
            let seen: Vec<u8> =
                self.pieces.lock().unwrap().iter().flat_map(|(_, _, bytes)| bytes.iter().copied()).collect();
            if String::from_utf8_lossy(&seen).contains(text) {
                return;
            }
            self.changed.notified().await;
        }
    }
}

#[tokio::test]
async fn exit_codes_are_the_programs_own() {
    let sandbox = Sandbox::new(None);
    for code in [0, 1, 2, 77, 126, 127, 128, 137, 255] {
        let report = run_in(&sandbox, &Profile::deny_all(), vec![shell(&format!("exit {code}"))]).await;
        assert_eq!(report.outcome, Outcome::Exited { code });
    }
}

#[tokio::test]
async fn signals_are_named_as_the_kernel_names_them() {
    if !has_python("signals_are_named_as_the_kernel_names_them") {
        return;
    }
    let sandbox = Sandbox::new(None);
    let cases = [
        ("import os; os.abort()", libc::SIGABRT),
        ("import os, signal; os.kill(os.getpid(), signal.SIGTERM)", libc::SIGTERM),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", libc::SIGSEGV),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", libc::SIGKILL),
        ("import ctypes; ctypes.string_at(0)", libc::SIGSEGV),
    ];
    for (script, signal) in cases {
        let report = run_in(&sandbox, &Profile::deny_all(), vec![python(script)]).await;
        assert_eq!(report.outcome, Outcome::Signaled { signal }, "{script}");
    }
}

#[tokio::test]
async fn a_signal_from_outside_reaches_the_leader() {
    let sandbox = Sandbox::new(None);
    let run = sandbox.launch(&Profile::deny_all(), vec![shell("kill -STOP $$; exit 9")]).await.unwrap();
    // The leader stops itself, so it is there to be ended.
    run.signal(libc::SIGTERM).unwrap();
    run.signal(libc::SIGCONT).unwrap();
    assert_eq!(run.finish(None, pending()).await.outcome, Outcome::Signaled { signal: libc::SIGTERM });
}

#[tokio::test]
async fn a_handler_of_the_program_decides_about_a_signal() {
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    let run =
        sandbox.launch(&Profile::deny_all(), vec![python(&waits_for("SIGTERM", "ready", "caught", 5))]).await.unwrap();
    let report = run_signalled(run, &watcher, "ready", libc::SIGTERM).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 5 }, "{report:#?}");
    assert_eq!(report.steps[0].stdout.text(), "ready\ncaught\n");
}

/// A program that says a word, waits for a signal, says another and ends.
fn waits_for(signal: &str, before: &str, after: &str, code: i32) -> String {
    format!(
        "import signal, sys\n\
         signal.pthread_sigmask(signal.SIG_BLOCK, [signal.{signal}])\n\
         print('{before}', flush=True)\n\
         signal.sigwait([signal.{signal}])\n\
         print('{after}')\n\
         sys.exit({code})"
    )
}

/// Ends a run with a signal to its leader from a process outside once it has said a word.
async fn run_signalled(run: Run, watcher: &Watcher, word: &str, signal: i32) -> execres_isolation::RunReport {
    let init = run.init_pid();
    let signaller = async {
        watcher.wait_for(word).await;
        let leader = children_of(init as u32)[0].0;
        let pid = rustix::process::Pid::from_raw(leader).unwrap();
        rustix::process::kill_process(pid, rustix::process::Signal::from_named_raw(signal).unwrap()).unwrap();
        pending::<()>().await
    };
    run.finish(Some(watcher), signaller).await
}

#[tokio::test]
async fn standard_input_arrives_byte_for_byte() {
    let bytes: Vec<u8> = (0..1_000_000u32).map(|number| (number * 7 % 256) as u8).collect();
    let step = Step::new("/bin/cat", [""; 0]).with_stdin(Stdin::Bytes(bytes.clone()));
    let profile = limits(|limits| limits.output_retained = 4 << 20);
    let report = run(&profile, vec![step]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    assert_eq!([report.steps[0].stdout.head(), report.steps[0].stdout.tail()].concat(), bytes);
    let empty = run(&profile, vec![Step::new("/bin/cat", [""; 0])]).await;
    assert_eq!(empty.steps[0].stdout.total_bytes(), 0);
}

#[tokio::test]
async fn output_streams_in_order_while_the_run_goes_on() {
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    // The program goes on only when the host has seen the first line and ends its pause with a signal.
    let script = waits_for("SIGUSR1", "first", "second", 0);
    let run = sandbox.launch(&Profile::deny_all(), vec![python(&script)]).await.unwrap();
    let report = run_signalled(run, &watcher, "first", libc::SIGUSR1).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 });
    let pieces = watcher.pieces.into_inner().unwrap();
    let all: Vec<u8> = pieces.iter().flat_map(|(_, _, bytes)| bytes.iter().copied()).collect();
    assert_eq!(String::from_utf8(all).unwrap(), "first\nsecond\n");
    assert!(pieces.iter().all(|(step, stream, _)| (*step, *stream) == (0, Stream::Stdout)));
}

#[tokio::test]
async fn the_sink_is_told_step_and_stream() {
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    let steps = vec![shell("echo a; echo b >&2"), shell("echo c")];
    let run = sandbox.launch(&Profile::deny_all(), steps).await.unwrap();
    run.finish(Some(&watcher), pending()).await;
    let mut pieces = watcher.pieces.into_inner().unwrap();
    pieces.sort_by_key(|(step, stream, _)| (*step, *stream == Stream::Stderr));
    let expected = vec![
        (0, Stream::Stdout, b"a\n".to_vec()),
        (0, Stream::Stderr, b"b\n".to_vec()),
        (1, Stream::Stdout, b"c\n".to_vec()),
    ];
    assert_eq!(pieces, expected);
}

#[tokio::test]
async fn head_and_tail_are_kept_and_the_rest_is_counted() {
    let profile = limits(|limits| limits.output_retained = 1000);
    let report = run(&profile, vec![shell("seq 1 100000; seq 1 50000 >&2")]).await;
    let whole: String = (1..=100_000).map(|number| format!("{number}\n")).collect();
    let stdout = &report.steps[0].stdout;
    assert_eq!(stdout.head(), &whole.as_bytes()[..500]);
    assert_eq!(stdout.tail(), &whole.as_bytes()[whole.len() - 500..]);
    assert_eq!(stdout.total_bytes(), whole.len() as u64);
    assert_eq!(stdout.dropped_bytes(), whole.len() as u64 - 1000);
    assert!(stdout.is_complete());
    let errors: usize = (1..=50_000).map(|number| format!("{number}\n").len()).sum();
    assert_eq!(report.steps[0].stderr.total_bytes(), errors as u64);
}

#[tokio::test]
async fn invalid_utf8_and_nul_are_kept_as_bytes() {
    let report = run(&Profile::deny_all(), vec![shell(r"printf 'a\377\376\000b\033[31m'")]).await;
    let stdout = &report.steps[0].stdout;
    assert_eq!([stdout.head(), stdout.tail()].concat(), b"a\xff\xfe\0b\x1b[31m");
    assert!(stdout.is_lossy());
}

#[tokio::test]
async fn a_flood_ends_at_the_hard_cap_with_flat_memory() {
    let profile = limits(|limits| limits.output_hard = 256 << 20);
    let resident = || {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let sandbox = Sandbox::new(None);
    run_in(&sandbox, &profile, vec![shell("yes | head -c 1000000")]).await;
    let before = resident();
    let report = run_in(&sandbox, &profile, vec![shell("yes >&2 & exec cat /dev/zero")]).await;
    let grown = resident().saturating_sub(before);
    assert_eq!(report.outcome, Outcome::LimitExceeded { limit: LimitKind::Output }, "{:?}", report.outcome);
    let total = report.steps[0].stdout.total_bytes() + report.steps[0].stderr.total_bytes();
    assert!(total > 256 << 20, "{total}");
    // Other tests of this process run at the same time; a flood that was kept would be a quarter of a gigabyte.
    assert!(grown < 128 << 20, "{grown} bytes more than before");
}

#[tokio::test]
async fn a_daemon_that_holds_the_output_is_gone_after_the_wall_timeout() {
    if !has_python("a_daemon_that_holds_the_output_is_gone_after_the_wall_timeout") {
        return;
    }
    let marker = marker("timeout");
    let profile = limits(|limits| limits.wall_time = generous(Duration::from_secs(1)));
    let start = Instant::now();
    let report = run(&profile, vec![python(&format!("{}time.sleep(600)", leave_a_daemon(&marker)))]).await;
    assert_eq!(report.outcome, Outcome::TimedOut { clock: Clock::Wall }, "{report:#?}");
    assert!(start.elapsed() < generous(Duration::from_secs(4)), "{:?}", start.elapsed());
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
}

#[tokio::test]
async fn a_daemon_is_gone_after_the_normal_end_of_its_leader() {
    if !has_python("a_daemon_is_gone_after_the_normal_end_of_its_leader") {
        return;
    }
    let marker = marker("normal");
    // The leader waits until the daemon is really there, as this test's positive control.
    let script = format!(
        "{}import glob\nwhile not any('{marker}' in open(p).read() for p in glob.glob('/proc/[0-9]*/cmdline')): pass\n\
         print('seen')",
        leave_a_daemon(&marker)
    );
    let start = Instant::now();
    let report = run(&Profile::deny_all(), vec![python(&script)]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
    assert!(report.steps[0].stdout.text().contains("seen"));
    assert!(start.elapsed() < generous(Duration::from_secs(4)), "{:?}", start.elapsed());
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
}

#[tokio::test]
async fn stopped_processes_die_too() {
    if !has_python("stopped_processes_die_too") {
        return;
    }
    let marker = marker("stopped");
    let script = format!(
        "import os, signal, time\n\
         pid = os.fork()\n\
         if pid == 0: os.execv('/bin/sh', ['{marker}', '-c', 'kill -STOP $$; sleep 600'])\n\
         os.waitpid(pid, os.WUNTRACED)\n\
         print('stopped', flush=True)\n\
         os.kill(os.getpid(), signal.SIGSTOP)\n"
    );
    let profile = limits(|limits| limits.wall_time = generous(Duration::from_secs(1)));
    let start = Instant::now();
    let report = run(&profile, vec![python(&script)]).await;
    assert_eq!(report.outcome, Outcome::TimedOut { clock: Clock::Wall });
    assert_eq!(report.steps[0].stdout.text(), "stopped\n");
    assert!(start.elapsed() < generous(Duration::from_secs(4)), "{:?}", start.elapsed());
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
}

#[tokio::test]
async fn a_tree_of_500_processes_dies_whole() {
    if !has_python("a_tree_of_500_processes_dies_whole") {
        return;
    }
    let marker = marker("tree");
    let script = format!(
        "import os, signal, sys\n\
         r, w = os.pipe()\n\
         for number in range(500):\n\
         \x20   if os.fork() == 0:\n\
         \x20       if number % 2: os.setsid()\n\
         \x20       os.write(w, b'x')\n\
         \x20       signal.pause()\n\
         seen = 0\n\
         while seen < 500: seen += len(os.read(r, 500))\n\
         print('all', flush=True)\n\
         signal.pause()\n\
         # {marker}\n"
    );
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    // Where memory is polled, pages that a fork shares with its parent are counted for both.
    let profile = limits(|limits| (limits.processes, limits.memory) = (600, 16 << 30));
    let run = sandbox.launch(&profile, vec![python(&script)]).await.unwrap();
    let asked = Mutex::new(None);
    let cancel = async {
        watcher.wait_for("all").await;
        assert!(processes_with(&marker).len() > 500);
        *asked.lock().unwrap() = Some(Instant::now());
    };
    let report = run.finish(Some(&watcher), cancel).await;
    let took = asked.lock().unwrap().expect("it was cancelled").elapsed();
    eprintln!("a tree of 500 processes was gone {took:?} after the cancel");
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!(processes_with(&marker), Vec::<i32>::new());
    assert!(took < Duration::from_secs(5), "{took:?}");
}

#[tokio::test]
async fn dropping_a_run_ends_it() {
    let marker = marker("drop");
    let sandbox = Sandbox::new(None);
    let script = format!("sleep 600 & setsid sleep 601; : {marker}");
    let run = sandbox.launch(&Profile::deny_all(), vec![shell(&script)]).await.unwrap();
    assert!(eventually(PATIENCE, || !processes_with(&marker).is_empty()));
    let init = run.init_pid();
    drop(run);
    assert!(eventually(PATIENCE, || processes_with(&marker).is_empty()));
    assert!(eventually(PATIENCE, || children_of(init as u32).is_empty()));
}

#[tokio::test]
async fn dropping_the_future_of_finish_ends_the_run() {
    let marker = marker("future");
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    let script = format!("echo up; sleep 600; : {marker}");
    let run = sandbox.launch(&Profile::deny_all(), vec![shell(&script)]).await.unwrap();
    {
        let finish = run.finish(Some(&watcher), pending());
        tokio::select! {
            _ = finish => panic!("it sleeps"),
            () = watcher.wait_for("up") => {}
        }
    }
    assert!(eventually(PATIENCE, || processes_with(&marker).is_empty()));
    // The sandbox is as good as before.
    assert_eq!(output(&run_in(&sandbox, &Profile::deny_all(), vec![shell("echo next")]).await), "next\n");
}

#[tokio::test]
async fn a_cancelled_run_says_so_and_keeps_what_it_wrote() {
    let sandbox = Sandbox::new(None);
    let watcher = Watcher::default();
    let run = sandbox.launch(&Profile::deny_all(), vec![shell("echo up; exec sleep 600")]).await.unwrap();
    let report = run.finish(Some(&watcher), watcher.wait_for("up")).await;
    assert_eq!(report.outcome, Outcome::Cancelled);
    assert_eq!(report.steps[0].stdout.text(), "up\n");
    // A run that is cancelled before it is looked at has no steps, or one that was ended.
    let run = sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")]).await.unwrap();
    assert_eq!(run.finish(None, ready(())).await.outcome, Outcome::Cancelled);
}

#[tokio::test]
async fn steps_share_scratch_and_the_tree_is_ended_between_them() {
    let marker = marker("between");
    let steps = vec![
        shell(&format!("echo made > /tmp/file; sh -c 'exec sleep 600; : {marker}' & echo one")),
        shell("cat /tmp/file; ls -d /proc/[0-9]* | wc -l"),
    ];
    let report = run(&Profile::deny_all(), steps).await;
    assert_eq!(report.steps.len(), 2);
    // Init, the shell, `ls` and `wc`: the sleeper of the first step is not among them.
    let second = output(&report);
    let lines: Vec<&str> = second.lines().map(str::trim).collect();
    assert_eq!(lines[0], "made");
    assert!(lines[1].parse::<u32>().unwrap() <= 4, "{second}");
}

#[tokio::test]
async fn a_step_after_a_failed_one_does_not_start() {
    let report = run(&Profile::deny_all(), vec![shell("exit 4"), shell("echo never")]).await;
    assert_eq!(report.outcome, Outcome::Exited { code: 4 });
    assert_eq!(report.steps.len(), 1);
}

#[tokio::test]
async fn a_program_that_cannot_start_says_why() {
    let sandbox = Sandbox::new(None);
    let cases = [
        (Step::new("/usr/bin/no-such-program", [""; 0]), "not there"),
        (Step::new("/etc/passwd", [""; 0]), "not executable"),
        (Step::new("/usr/bin", [""; 0]), "not executable"),
        (shell("true").in_directory("/no/such/directory"), "working directory"),
    ];
    for (step, reason) in cases {
        let name = format!("{step:?}");
        let report = run_in(&sandbox, &Profile::deny_all(), vec![step]).await;
        let Outcome::FailedToStart { reason: said } = &report.outcome else { panic!("{name}: {report:#?}") };
        assert!(said.contains(reason), "{name}: {said}");
    }
}

#[tokio::test]
async fn a_run_whose_launcher_is_killed_is_lost() {
    for steps in [vec![shell("echo up; exec sleep 600")], vec![shell("true"), shell("echo up; exec sleep 600")]] {
        let marker = marker("lost");
        let count = steps.len();
        let sandbox = Sandbox::new(None);
        let watcher = Watcher::default();
        let run = sandbox.launch(&Profile::deny_all(), steps).await.unwrap();
        let launcher = parent_of(run.init_pid());
        let killer = async {
            watcher.wait_for("up").await;
            let pid = rustix::process::Pid::from_raw(launcher).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
            pending::<()>().await
        };
        let report = run.finish(Some(&watcher), killer).await;
        assert!(matches!(report.outcome, Outcome::Lost { .. }), "{count} steps: {report:#?}");
        assert_eq!(report.steps.len(), count);
        assert_eq!(report.steps[count - 1].stdout.text(), "up\n");
        assert_eq!(processes_with(&marker), Vec::<i32>::new());
        // The next run gets a new launcher.
        assert_eq!(output(&run_in(&sandbox, &Profile::deny_all(), vec![shell("echo next")]).await), "next\n");
    }
}

fn parent_of(pid: i32) -> i32 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    line.trim().parse().unwrap()
}

#[tokio::test]
async fn a_launcher_serves_one_run_after_the_other() {
    let sandbox = Sandbox::new(None);
    let mut launchers = Vec::new();
    for _ in 0..5 {
        let run = sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")]).await.unwrap();
        launchers.push(parent_of(run.init_pid()));
        run.finish(None, ready(())).await;
    }
    launchers.dedup();
    assert_eq!(launchers.len(), 1);
    // Two runs at a time never share one.
    let first = sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")]).await.unwrap();
    let second = sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")]).await.unwrap();
    assert_ne!(parent_of(first.init_pid()), parent_of(second.init_pid()));
}

#[test]
fn many_runs_at_once_from_many_threads() {
    let sandbox = Sandbox::new(None);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let sandbox = Arc::clone(&sandbox);
            scope.spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
                for number in 0..10 {
                    let script = format!("echo {thread} {number}");
                    let report = runtime.block_on(run_in(&sandbox, &Profile::deny_all(), vec![shell(&script)]));
                    assert_eq!(output(&report), format!("{thread} {number}\n"));
                }
            });
        }
    });
}

#[test]
fn runs_outlive_no_runtime_and_need_no_particular_one() {
    let sandbox = Sandbox::new(None);
    let hello = || vec![shell("echo hello")];
    for _ in 0..2 {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        assert_eq!(output(&runtime.block_on(run_in(&sandbox, &Profile::deny_all(), hello()))), "hello\n");
        drop(runtime);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(output(&runtime.block_on(run_in(&sandbox, &Profile::deny_all(), hello()))), "hello\n");
        // A run that was started in this runtime is waited for in the next one.
        let run = runtime.block_on(sandbox.launch(&Profile::deny_all(), hello())).unwrap();
        drop(runtime);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        assert_eq!(output(&runtime.block_on(run.finish(None, pending()))), "hello\n");
    }
}

/// What an odd host does: a few runs, and their outcomes on standard output.
async fn runs_of_an_odd_host() {
    let sandbox = Sandbox::new(None);
    for code in [0, 3] {
        let report = run_in(&sandbox, &Profile::deny_all(), vec![shell(&format!("sleep 0 & wait; exit {code}"))]).await;
        assert_eq!(report.outcome, Outcome::Exited { code });
    }
    let report = run_in(&sandbox, &Profile::deny_all(), vec![shell("kill -ABRT $$")]).await;
    assert_eq!(report.outcome, Outcome::Signaled { signal: libc::SIGABRT });
}

#[tokio::test]
async fn a_host_that_collects_every_child_itself_learns_the_truth_all_the_same() {
    const NAME: &str = "a_host_that_collects_every_child_itself_learns_the_truth_all_the_same";
    if role().is_none() {
        let output = this_test_as(NAME, "host").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    std::thread::spawn(|| {
        loop {
            // Every child of this process, whoever started it.
            if rustix::process::wait(rustix::process::WaitOptions::empty()).is_err() {
                std::thread::yield_now();
            }
        }
    });
    runs_of_an_odd_host().await;
}

#[tokio::test]
async fn a_host_that_ignores_and_blocks_signals_learns_the_truth_all_the_same() {
    const NAME: &str = "a_host_that_ignores_and_blocks_signals_learns_the_truth_all_the_same";
    if role().is_none() {
        // Ignored and blocked signals stay so in the program that is exec'd.
        let test = this_test_as(NAME, "host");
        let mut env = std::process::Command::new("env");
        env.args(["--ignore-signal=CHLD,PIPE,TERM,USR1", "--block-signal=HUP,INT,USR2"]).arg(test.get_program());
        let output = env.args(test.get_args()).env("EXECRES_TEST_ROLE", "host").output().unwrap();
        assert!(output.status.success(), "{output:?}");
        return;
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).unwrap();
    assert!(u64::from_str_radix(ignored.trim(), 16).unwrap() & 1 << (libc::SIGCHLD - 1) != 0, "{ignored}");
    runs_of_an_odd_host().await;
}

#[tokio::test]
async fn a_hundred_runs_leave_no_child_no_descriptor_and_no_file() {
    const NAME: &str = "a_hundred_runs_leave_no_child_no_descriptor_and_no_file";
    // Alone in a process, so that what is counted belongs to these runs.
    if role().is_none() {
        let temporary = open_dir();
        let output = this_test_as(NAME, "host").env("TMPDIR", temporary.path()).output().unwrap();
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        assert_eq!(std::fs::read_dir(temporary.path()).unwrap().count(), 0);
        return;
    }
    let sandbox = Sandbox::new(None);
    let profile = Profile::deny_all().scratch(Path::new("/out"), HandUp::Yes).unwrap();
    let own = std::process::id();
    sandbox.evidence(&profile).await.unwrap();
    run_in(&sandbox, &profile, vec![shell("true")]).await;
    let launcher = children_of(own).iter().find(|(_, name)| name != "gcc").unwrap().0 as u32;
    let count = || (children_of(own).len(), descriptors_of(own), descriptors_of(launcher));
    let before = count();
    let resident = |pid: u32| {
        let statm = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap();
        statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4
    };
    let memory = (resident(own), resident(launcher));
    for number in 0..100 {
        match number % 4 {
            0 => drop(run_in(&sandbox, &profile, vec![shell("sleep 600 & exit 0"), shell("exit 1")]).await),
            1 => drop(run_in(&sandbox, &profile, vec![Step::new("/no/such/program", [""; 0])]).await),
            2 => {
                let run = sandbox.launch(&profile, vec![shell("exec sleep 600")]).await.unwrap();
                drop(run.finish(None, ready(())).await);
            }
            _ => {
                let run = sandbox.launch(&profile, vec![shell("exec sleep 600")]).await.unwrap();
                let init = run.init_pid();
                drop(run);
                assert!(eventually(PATIENCE, || !Path::new(&format!("/proc/{init}")).exists()));
            }
        }
    }
    let after = count();
    eprintln!("children, descriptors, descriptors of the launcher: {before:?} before, {after:?} after 100 runs");
    eprintln!("resident KiB of host and launcher: {memory:?} before, {:?} after", (resident(own), resident(launcher)));
    // A dropped run and the next one can overlap for a moment, which makes one more launcher with its descriptors.
    assert!(after.0 <= before.0 + 1, "{after:?}");
    assert!(after.1 <= before.1 + 8, "{after:?}");
    // The launcher lets go of a run a moment after the host has seen its end.
    assert!(eventually(PATIENCE, || descriptors_of(launcher) <= before.2), "{after:?}");
    assert!(resident(launcher) <= memory.1 + 64);
    let slots = groups_of(own);
    drop(sandbox);
    assert!(eventually(PATIENCE, || children_of(own).is_empty()), "{:?}", children_of(own));
    let left: Vec<_> = slots.iter().filter(|path| path.exists()).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_sandbox_that_is_dropped_with_runs_in_it_leaves_nothing() {
    const NAME: &str = "a_sandbox_that_is_dropped_with_runs_in_it_leaves_nothing";
    if role().is_none() {
        let output = this_test_as(NAME, "host").output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        return;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Sandbox::new(None);
    let runs: Vec<Run> = (0..10)
        .map(|_| {
            let fork = shell("for i in 1 2 3 4 5 6 7 8 9; do sleep 600 & done; exec sleep 600");
            runtime.block_on(sandbox.launch(&Profile::deny_all(), vec![fork])).unwrap()
        })
        .collect();
    let own = std::process::id();
    let slots = groups_of(own);
    assert_eq!(children_of(own).len(), 10);
    drop(sandbox);
    drop(runs);
    assert!(eventually(PATIENCE, || children_of(own).is_empty()), "{:?}", children_of(own));
    let left: Vec<_> = slots.iter().filter(|path| path.exists()).collect();
    assert!(left.is_empty(), "{} of {} groups are left: {left:?}", left.len(), slots.len());
}

#[tokio::test]
async fn programs_open_their_streams_by_name() {
    let report =
        run(&Profile::deny_all(), vec![shell("echo out > /dev/stdout; echo err > /dev/stderr; cat /dev/stdin")]).await;
    assert_eq!(output(&report), "out\n");
    assert_eq!(report.steps[0].stderr.text(), "err\n");
}

#[test]
fn a_launcher_that_runs_as_set_uid_program_serves_nobody() {
    if !is_root() {
        eprintln!(
            "EXECRES-SKIP: a_launcher_that_runs_as_set_uid_program_serves_nobody: optional: only root can make one"
        );
        return;
    }
    // The image is read off a running launcher.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Sandbox::new(None);
    let run = runtime.block_on(sandbox.launch(&Profile::deny_all(), vec![shell("exec sleep 600")])).unwrap();
    let image = std::fs::read(format!("/proc/{}/exe", parent_of(run.init_pid()))).unwrap();
    let directory = open_dir();
    let program = directory.path().join("launcher");
    std::fs::write(&program, image).unwrap();
    let start = |mode: u32, user: u32| {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(mode)).unwrap();
        let mut command = std::process::Command::new(&program);
        // Descriptor 3 is what a launcher listens on; at its end it goes with code 0.
        command.uid(user).gid(user).stdin(std::process::Stdio::null());
        command.status().unwrap().code()
    };
    let without = start(0o755, 65534);
    let with = start(0o4755, 65534);
    assert_eq!(with, Some(1));
    eprintln!("a launcher without a host: {without:?}; as set-uid program: {with:?}");
}
