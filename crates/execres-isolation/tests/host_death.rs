//! What is left when the host is killed, and when only a thread of it ends.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a host of a test talks to its test")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::future::pending;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use execres_core::Outcome;
use execres_isolation::{Profile, Run, Sandbox};
use support::*;

/// Two processes with the marker: the leader, and one that left its session and its parent.
fn daemon(marker: &str) -> String {
    format!("(setsid sh -c 'trap \"\" TERM HUP INT; sleep 600; : {marker}' &) ; sleep 600; : {marker}")
}

/// This test as a host of its own, which prints a line when its run is up.
fn host(test: &str, marker: &str) -> (Child, String) {
    let mut host =
        this_test_as(test, "host").env("EXECRES_TEST_MARKER", marker).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(host.stdout.take().unwrap()).lines();
    let up = lines.map(|line| line.unwrap()).find_map(|line| line.split_once("UP ").map(|(_, rest)| rest.to_owned()));
    (host, up.expect("the host says when its run is up"))
}

fn start_in_a_host() -> (Arc<Sandbox>, Run) {
    let marker = std::env::var("EXECRES_TEST_MARKER").unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let sandbox = Sandbox::new(None);
    let run = runtime.block_on(sandbox.launch(&Profile::deny_all(), vec![shell(&daemon(&marker))])).unwrap();
    assert!(eventually(PATIENCE, || processes_with(&marker).len() >= 2));
    (sandbox, run)
}

fn kill(pid: i32) {
    let pid = rustix::process::Pid::from_raw(pid).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// A host that keeps no register of what it makes leaves an empty group when it is killed; `reap` is for those that do.
fn remove_groups_of(host: u32) {
    assert!(eventually(PATIENCE, || groups_of(host).iter().all(|group| std::fs::remove_dir(group).is_ok())));
}

/// Gone for good: not there, or a zombie that waits for the init of the machine.
fn is_gone(pid: i32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with('Z'))
}

#[test]
fn a_killed_host_leaves_no_process_a_second_later() {
    const NAME: &str = "a_killed_host_leaves_no_process_a_second_later";
    if role().is_some() {
        let (_sandbox, run) = start_in_a_host();
        println!("\nUP {}", run.init_pid());
        std::thread::park();
        return;
    }
    let marker = marker("host");
    let (mut host, init) = host(NAME, &marker);
    let init: i32 = init.trim().parse().unwrap();
    let launchers = children_of(host.id());
    // The control: everything is there before the host is killed.
    assert!(processes_with(&marker).len() >= 2);
    assert_eq!(launchers.len(), 1);
    kill(host.id() as i32);
    let start = Instant::now();
    let all_gone =
        || processes_with(&marker).is_empty() && is_gone(init) && launchers.iter().all(|(pid, _)| is_gone(*pid));
    assert!(eventually(PATIENCE, all_gone));
    let took = start.elapsed();
    host.wait().unwrap();
    remove_groups_of(host.id());
    eprintln!("everything was gone {took:?} after the host");
    assert!(took < generous(Duration::from_secs(1)), "{took:?}");
}

#[test]
fn a_killed_host_and_launcher_leave_no_process_either() {
    const NAME: &str = "a_killed_host_and_launcher_leave_no_process_either";
    if role().is_some() {
        let (_sandbox, run) = start_in_a_host();
        println!("\nUP {}", run.init_pid());
        std::thread::park();
        return;
    }
    // The order in which the two are killed decides which backup does the work.
    for launcher_first in [true, false] {
        let marker = marker("both");
        let (mut host, init) = host(NAME, &marker);
        let init: i32 = init.trim().parse().unwrap();
        let launcher = children_of(host.id())[0].0;
        let order = if launcher_first { [launcher, host.id() as i32] } else { [host.id() as i32, launcher] };
        order.into_iter().for_each(kill);
        assert!(eventually(PATIENCE, || processes_with(&marker).is_empty() && is_gone(init)));
        host.wait().unwrap();
        remove_groups_of(host.id());
    }
}

#[test]
fn a_thread_that_ends_takes_no_launcher_with_it() {
    let sandbox = Sandbox::new(None);
    let profile = Profile::deny_all();
    let started = Arc::clone(&sandbox);
    // The launcher is started by the blocking thread of a runtime that ends with this thread.
    let run = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(started.launch(&Profile::deny_all(), vec![shell("kill -STOP $$; echo alive")])).unwrap()
    })
    .join()
    .unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    run.signal(libc::SIGCONT).unwrap();
    let again = run.init_pid();
    let cont = async {
        // The leader may stop after the first signal; it goes on with the next.
        loop {
            for (leader, _) in children_of(again as u32) {
                let pid = rustix::process::Pid::from_raw(leader).unwrap();
                if rustix::process::kill_process(pid, rustix::process::Signal::CONT).is_err() {}
            }
            tokio::task::yield_now().await;
            if !std::path::Path::new(&format!("/proc/{again}")).exists() {
                pending::<()>().await;
            }
        }
    };
    let report = runtime.block_on(run.finish(None, cont));
    assert_eq!(output(&report), "alive\n");
    assert_eq!(output(&runtime.block_on(run_in(&sandbox, &profile, vec![shell("echo next")]))), "next\n");
}

#[test]
fn copies_of_the_hosts_descriptors_keep_no_run_alive() {
    const NAME: &str = "copies_of_the_hosts_descriptors_keep_no_run_alive";
    if role().is_some() {
        let (_sandbox, run) = start_in_a_host();
        println!("\nUP {}", run.init_pid());
        std::thread::park();
        return;
    }
    // A process that has copies of the host's descriptors, as a fork of it would, does not keep a run alive.
    let marker = marker("copies");
    let (mut host, init) = host(NAME, &marker);
    let init: i32 = init.trim().parse().unwrap();
    let script = "import os, sys, time\n\
                  held = []\n\
                  pid = int(sys.argv[1])\n\
                  import ctypes\n\
                  libc = ctypes.CDLL(None, use_errno=True)\n\
                  target = libc.syscall(434, pid, 0)\n\
                  for fd in os.listdir('/proc/%d/fd' % pid): held.append(libc.syscall(438, target, int(fd), 0))\n\
                  print(sum(fd >= 0 for fd in held), flush=True)\n\
                  sys.stdin.read()";
    let mut holder = Command::new("/usr/bin/python3")
        .args(["-c", script, &host.id().to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    if line.trim().parse::<u32>().unwrap() < 6 {
        eprintln!("EXECRES-SKIP: {NAME}: optional: this host lets no process take descriptors of its sibling");
    }
    kill(host.id() as i32);
    assert!(eventually(Duration::from_secs(5), || processes_with(&marker).is_empty() && is_gone(init)));
    host.wait().unwrap();
    remove_groups_of(host.id());
    drop(holder.stdin.take());
    holder.wait().unwrap();
}

#[tokio::test]
async fn a_large_host_launches_as_fast_as_a_small_one() {
    const NAME: &str = "a_large_host_launches_as_fast_as_a_small_one";
    if role().is_none() {
        let output = this_test_as(NAME, "host").output().unwrap();
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
        return;
    }
    // Once with a launcher that is there already, once with one that has to be started.
    let median = async |warm: bool| {
        let warmed = Sandbox::new(None);
        run_in(&warmed, &Profile::deny_all(), vec![shell("exit 0")]).await;
        let mut times = Vec::new();
        for _ in 0..41 {
            let sandbox = if warm { Arc::clone(&warmed) } else { Sandbox::new(None) };
            let start = Instant::now();
            let report = run_in(&sandbox, &Profile::deny_all(), vec![shell("exit 0")]).await;
            times.push(start.elapsed());
            assert_eq!(report.outcome, Outcome::Exited { code: 0 });
        }
        times.sort();
        times[20]
    };
    let small = (median(true).await, median(false).await);
    let ballast = vec![1u8; 1 << 30];
    let large = (median(true).await, median(false).await);
    assert!(ballast.iter().step_by(4096).all(|byte| *byte == 1));
    let ratio = |a: Duration, b: Duration| a.as_secs_f64() / b.as_secs_f64();
    let (warm, cold) = (ratio(large.0, small.0), ratio(large.1, small.1));
    eprintln!("median launches (warm, cold): {small:?}; with 1 GiB resident {large:?}; ratios {warm:.2}, {cold:.2}");
    // Forking the host would cost 31 ms for this gigabyte, which is far more than this.
    assert!(warm < 5.0 && cold < 5.0, "{warm:.2} {cold:.2}");
}
