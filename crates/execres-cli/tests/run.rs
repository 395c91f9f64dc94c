//! `execres run` as a person uses it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test fails by panicking, and starts what it tests"
)]

mod support;

use std::fs;
use std::io::Write;
use std::os::unix::process::ExitStatusExt;
use std::process::Stdio;
use std::time::{Duration, Instant};

use support::{Home, example, line, running, text, wait_until};

const AXES: &str = "process_contained host_filesystem_restricted privilege_escalation_blocked syscalls_restricted";

#[test]
fn a_program_s_output_is_the_command_s_and_one_line_shows_the_proof() {
    let home = Home::new();
    let output = home.execres(&["run", &example("programs/primes.py")]).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stdout).starts_with("348,513 primes below 5,000,000"), "{}", text(&output.stdout));
    let summary = text(&output.stderr);
    assert_eq!(summary.lines().count(), 1, "{summary}");
    assert!(summary.starts_with("execres: sandbox | ") && summary.contains(AXES), "{summary}");
    assert!(summary.contains(" s | ") && summary.contains(" peak"), "{summary}");
    assert!(home.is_clean(), "{:?}", home.leftovers());
}

#[test]
fn json_has_outputs_usage_evidence_and_digests() {
    let home = Home::new();
    let arguments = [
        "run",
        "--json",
        &example("programs/analysis.py"),
        "--input",
        &example("data/sales.csv"),
        "--output",
        "output/summary.csv",
    ];
    let output = home.execres(&arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let result: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        (&result["status"], &result["outcome"], &result["provider"]),
        (&"success".into(), &"exited".into(), &"sandbox".into())
    );
    assert_eq!(result["isolation"]["axes"].as_array().unwrap().len(), 4);
    assert!(result["isolation"]["evidence"][0]["attempts"].as_array().unwrap().len() > 5);
    assert!(result["usage"]["wall"].as_f64().unwrap() > 0.0);
    assert!(result["usage"]["peak_memory"]["value"].as_u64().unwrap() > 1 << 20);
    assert!(result["bundle_digest"].as_str().unwrap().starts_with("sha256:"));

    let kept = &result["outputs"][0];
    let file = home.directory().join("output/summary.csv");
    assert_eq!(kept["path"], "output/summary.csv");
    assert_eq!(kept["bytes"].as_u64().unwrap(), fs::metadata(&file).unwrap().len());
    let sum = std::process::Command::new("sha256sum").arg(&file).output().unwrap();
    let digest = text(&sum.stdout).split(' ').next().unwrap().to_owned();
    assert_eq!(kept["sha256"], format!("sha256:{digest}"));
    // The chart was written too, and only what was asked for is kept.
    assert!(!home.directory().join("output/chart.svg").exists());
}

#[test]
fn a_program_comes_from_standard_input() {
    let home = Home::new();
    let mut child = home
        .execres(&["run", "--language", "python", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"print(6*7)\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("42\n", Some(0)));
}

#[test]
fn the_exit_code_is_the_program_s() {
    let home = Home::new();
    for (program, code) in [("exit 3", 3), ("exit 0", 0), ("kill -SEGV $$", 139), ("kill -TERM $$", 143)] {
        let file = home.file("program.sh", program);
        let output = home.execres(&["run", &file]).output().unwrap();
        assert_eq!(output.status.code(), Some(code), "{program}: {output:?}");
    }
}

#[test]
fn arguments_input_environment_and_standard_input_reach_the_program() {
    let home = Home::new();
    let program = home.file(
        "program.py",
        "import os, sys\nprint(sys.argv[1:], os.environ['GREETING'], open('data.txt').read(), sys.stdin.read())",
    );
    let data = home.file("data.txt", "from a file");
    let typed = home.file("typed.txt", "typed");
    let arguments =
        ["run", &program, "--input", &data, "--env", "GREETING=hello", "--stdin", &typed, "--", "one", "", "drei ü"];
    let output = home.execres(&arguments).output().unwrap();
    assert_eq!(text(&output.stdout), "['one', '', 'drei ü'] hello from a file typed\n", "{output:?}");
}

#[test]
fn a_program_that_hides_holds_its_output_and_sleeps_is_gone_after_its_time() {
    let home = Home::new();
    let marker = format!("77{}", std::process::id());
    let program = home.file(
        "daemon.py",
        &format!(
            "import os, signal, sys\n\
             print('started', flush=True)\n\
             if os.fork() == 0:\n\
             \x20   os.setsid()\n\
             \x20   if os.fork() == 0:\n\
             \x20       signal.signal(signal.SIGTERM, signal.SIG_IGN)\n\
             \x20       os.execv('/bin/sleep', ['sleep', '{marker}'])\n\
             os.execv('/bin/sleep', ['sleep', '{marker}'])\n"
        ),
    );
    let started = Instant::now();
    let output = home.execres(&["run", "--timeout", "2s", &program]).output().unwrap();
    assert!(started.elapsed() < Duration::from_secs(4), "it took {:?}", started.elapsed());
    assert_eq!(output.status.code(), Some(124), "{output:?}");
    assert_eq!(text(&output.stdout), "started\n", "what was printed before the end is there");
    assert!(text(&output.stderr).contains("ran out of its wall time"), "{}", text(&output.stderr));
    assert!(!running(&["sleep", &marker]));
}

#[test]
fn a_host_that_is_killed_leaves_no_process_and_the_next_one_reaps_its_files() {
    let home = Home::new();
    let marker = format!("78{}", std::process::id());
    let program = home.file("daemon.sh", &format!("(setsid sleep {marker} &)\nsleep {marker}\n"));
    let mut child = home.execres(&["run", &program]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the control: both processes of the run are there", || support::count(&["sleep", &marker]) == 2);
    assert!(!home.is_clean(), "the control: the run has files");
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(9));
    let killed = Instant::now();
    wait_until("no process of the run is left", || !running(&["sleep", &marker]));
    assert!(killed.elapsed() < Duration::from_secs(1), "it took {:?}", killed.elapsed());

    let output = home.execres(&["reap", "--json"]).output().unwrap();
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!report["removed"].as_array().unwrap().is_empty(), "{report}");
    assert_eq!(report["failed"].as_array().unwrap().len(), 0, "{report}");
    assert!(home.is_clean(), "{:?}", home.leftovers());
}

#[test]
fn a_launcher_that_was_stopped_is_reaped_when_its_host_is_dead() {
    let home = Home::new();
    let marker = format!("76{}", std::process::id());
    let program = home.file("sleep.sh", &format!("sleep {marker}\n"));
    let mut child = home.execres(&["run", &program]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the control: the program runs", || running(&["sleep", &marker]));
    let launcher = support::children(child.id()).into_iter().next().expect("the host has a launcher");
    let launcher_pid = rustix::process::Pid::from_raw(launcher).unwrap();
    rustix::process::kill_process(launcher_pid, rustix::process::Signal::STOP).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // Init does not need the launcher to see that the host is gone.
    wait_until("no process of the run is left", || !running(&["sleep", &marker]));
    assert!(support::is_launcher(launcher), "the control: the stopped launcher is still there");
    let output = home.execres(&["reap"]).output().unwrap();
    // Whichever of its things is reaped first, the group that it is in or the launcher itself, ends it.
    assert!(text(&output.stdout).contains(" 0 failed"), "{}", text(&output.stdout));
    wait_until("the launcher is gone", || !support::is_launcher(launcher));
    assert!(home.is_clean(), "{:?}", home.leftovers());
}

#[test]
fn an_interrupt_ends_the_run_and_says_so() {
    let home = Home::new();
    let marker = format!("79{}", std::process::id());
    let program = home.file("sleep.sh", &format!("sleep {marker}\n"));
    let child = home.execres(&["run", &program]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_until("the control: the program runs", || running(&["sleep", &marker]));
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{output:?}");
    assert!(text(&output.stderr).contains("was cancelled"), "{}", text(&output.stderr));
    assert!(!running(&["sleep", &marker]) && home.is_clean());
}

#[test]
fn a_reader_who_has_seen_enough_ends_the_run() {
    let home = Home::new();
    let program = home.file("flood.sh", "yes\n");
    let mut child = home.execres(&["run", &program]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    drop(child.stdout.take());
    let started = Instant::now();
    assert!(!child.wait().unwrap().success());
    assert!(started.elapsed() < Duration::from_secs(30), "it ended by itself, long before its time");
}

#[test]
fn what_the_guest_tries_is_refused() {
    let home = Home::new();
    let program = example("programs/refused.py");
    let output = home.execres(&["run", &program]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("everything was refused"), "{}", text(&output.stdout));
    // The control: the same program outside is not refused everything.
    let outside = std::process::Command::new("/usr/bin/python3").arg(&program).output().unwrap();
    assert_eq!(outside.status.code(), Some(1), "{}", text(&outside.stdout));
}

#[test]
fn no_isolation_needs_both_words() {
    let home = Home::new();
    let program = home.file("program.sh", "id -u\n");
    for half in [&["--provider", "trusted_local"][..], &["--isolation", "none"][..]] {
        let mut arguments = vec!["run"];
        arguments.extend(half);
        arguments.push(&program);
        let output = home.execres(&arguments).output().unwrap();
        assert!(!text(&output.stderr).contains("trusted_local |"), "{half:?} ran it: {}", text(&output.stderr));
    }
    let output =
        home.execres(&["run", "--provider", "trusted_local", "--isolation", "none", &program]).output().unwrap();
    let uid = rustix::process::geteuid().as_raw();
    assert_eq!(text(&output.stdout), format!("{uid}\n"), "{output:?}");
    assert!(text(&output.stderr).contains("UNSAFE"), "{}", text(&output.stderr));
}

#[test]
fn limits_end_a_run_with_their_own_exit_code() {
    let home = Home::new();
    let memory = home.file("memory.py", "data = []\nwhile True:\n    data.append(bytearray(1 << 20))\n");
    let output = home.execres(&["run", "--memory", "64M", &memory]).output().unwrap();
    // Where no controller enforces the limit, the allocation itself can fail first, and Python says so.
    let failed_inside = text(&output.stderr).contains("MemoryError");
    assert!(output.status.code() == Some(125) || failed_inside, "{output:?}");
    let flood = home.file("flood.sh", "yes\n");
    let output = home.execres(&["run", "--quiet", &flood]).stdout(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(125), "{output:?}");
}

#[test]
fn groups_of_a_root_host_are_dropped_and_the_probe_sees_it() {
    if !rustix::process::geteuid().is_root() {
        eprintln!(
            "EXECRES-SKIP: groups_of_a_root_host_are_dropped_and_the_probe_sees_it: optional: the kernel lets only a \
             privileged host drop groups"
        );
        return;
    }
    let home = Home::new();
    let program = home.file("program.sh", "grep Groups: /proc/self/status\n");
    let with_groups = |what: &[&str]| {
        let mut command = std::process::Command::new("setpriv");
        command.args(["--groups=4,24,27"]).args(what);
        home.set_up(&mut command).output().unwrap()
    };
    let outside = with_groups(&["grep", "Groups:", "/proc/self/status"]);
    assert!(text(&outside.stdout).contains("4 24 27"), "the control: {outside:?}");
    let inside = with_groups(&[support::EXECRES, "run", &program]);
    assert_eq!(text(&inside.stdout).split_once(':').unwrap().1.trim(), "", "{inside:?}");
    let probe = with_groups(&[support::EXECRES, "probe"]);
    assert!(text(&probe.stdout).contains("none of the host's groups is left"), "{}", text(&probe.stdout));
}

#[test]
fn a_host_with_few_descriptors_runs_programs_too() {
    let home = Home::new();
    let program = home.file("program.py", "print(6 * 7)");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "ulimit -n 64 && exec \"$0\" \"$@\"", support::EXECRES, "run", &program]);
    let output = home.set_up(&mut command).output().unwrap();
    assert_eq!(text(&output.stdout), "42\n", "{output:?}");
}

#[test]
fn a_working_directory_is_a_copy_that_is_thrown_away() {
    let home = Home::new();
    let data = home.file("data.txt", "given\n");
    let program = home.file(
        "program.py",
        "import os\n\
         open('data.txt', 'a').write('more\\n')\n\
         os.chmod('data.txt', 0o600)\n\
         os.mkdir('made'); open('made/file', 'w').write('x')\n\
         os.rename('program.py', 'renamed.py')\n\
         print(open('data.txt').read(), end='')\n",
    );
    let output = home.execres(&["run", &program, "--input", &data]).output().unwrap();
    assert_eq!(text(&output.stdout), "given\nmore\n", "{output:?}");
    assert!(text(&output.stderr).contains("made/file"), "what is lost is named: {}", text(&output.stderr));
    assert_eq!(fs::read_to_string(&data).unwrap(), "given\n");
    let output = home.execres(&["run", "--read-only", &program, "--input", &data]).output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("Read-only file system") || said.contains("Permission denied"), "{said}");
}

#[test]
fn outputs_do_not_follow_a_link_of_somebody_else_s_checkout() {
    let home = Home::new();
    let program = home.file("program.sh", "echo planted > output/keys\n");
    let precious = home.directory().join("../tmp/precious");
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("keys"), "mine").unwrap();
    std::os::unix::fs::symlink("../tmp/precious", home.directory().join("output")).unwrap();
    let output = home.execres(&["run", &program]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("output is a link"), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(precious.join("keys")).unwrap(), "mine");
    // The control: a directory of that name gets the file, and the link's target does when it is named itself.
    fs::remove_file(home.directory().join("output")).unwrap();
    assert!(home.execres(&["run", &program]).status().unwrap().success());
    assert_eq!(fs::read_to_string(home.directory().join("output/keys")).unwrap(), "planted\n");
    let target = precious.canonicalize().unwrap();
    assert!(home.execres(&["run", "--output-dir", target.to_str().unwrap(), &program]).status().unwrap().success());
    assert_eq!(fs::read_to_string(precious.join("keys")).unwrap(), "planted\n");
}

#[test]
fn waiting_for_input_and_for_a_reader_can_be_interrupted() {
    let home = Home::new();
    let fifo = home.directory().join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    let fifo = fifo.to_str().unwrap().to_owned();
    let program = home.file("program.sh", "echo x\n");
    for arguments in [vec!["run", "--stdin", &fifo, &program], vec!["run", "-l", "bash", &fifo]] {
        let mut child = home.execres(&arguments).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
        let wait = format!("/proc/{}/wchan", child.id());
        // It waits for somebody to write into the pipe, where the kernel tells; elsewhere the signal may come earlier.
        let waits = || fs::read_to_string(&wait).is_ok_and(|place| place.contains("fifo") || place == "0");
        wait_until("it waits", waits);
        rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
        wait_until("it ends", || child.try_wait().unwrap().is_some());
    }
    // As input of the working directory a pipe is refused at once.
    let output = home.execres(&["run", "--input", &fifo, &program]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");

    // A reader that does not read: the pipe is full and nobody empties it.
    let flood = home.file("flood.sh", "head -c 1000000 /dev/zero\n");
    let mut child = home.execres(&["run", &flood]).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let pid = rustix::process::Pid::from_raw(child.id() as i32).unwrap();
    let handled =
        |line: &str| line.starts_with("SigCgt:") && u64::from_str_radix(line[7..].trim(), 16).unwrap() & 1 << 14 != 0;
    let status = format!("/proc/{}/status", child.id());
    wait_until("it handles the signal", || fs::read_to_string(&status).is_ok_and(|text| text.lines().any(handled)));
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    wait_until("it ends", || child.try_wait().unwrap().is_some());
}

#[test]
fn what_is_printed_steers_no_terminal() {
    let home = Home::new();
    let output = home.execres(&["run", "no\u{1b}[2Jsuch\u{202e}file.py"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(said.contains("such") && !said.contains('\u{1b}') && !said.contains('\u{202e}'), "{said:?}");
}

#[test]
fn a_variable_gets_its_value_from_here() {
    let home = Home::new();
    let program = home.file("program.sh", "echo $TOKEN\n");
    let output = home.execres(&["run", "-e", "TOKEN", &program]).env("TOKEN", "from here").output().unwrap();
    assert_eq!(text(&output.stdout), "from here\n");
    // The control: without the option it stays outside.
    let output = home.execres(&["run", &program]).env("TOKEN", "from here").output().unwrap();
    assert_eq!(text(&output.stdout), "\n");
}

#[test]
fn mistakes_are_told_with_what_to_write_instead() {
    let home = Home::new();
    let known = home.file("program.py", "print(1)");
    let unknown = home.file("program.xyz", "");
    for (arguments, says) in [
        (vec!["run", "nothing.py"], "nothing.py cannot be read"),
        (vec!["run", &unknown], "name it with --language, one of python, nodejs, bash, c, cpp"),
        (vec!["run", "-"], "name it with --language"),
        (vec!["run", "--language", "cobol", &known], "unknown language"),
        (vec!["run", "--output", "/etc/passwd", &known], "write it relative"),
        (vec!["run", "--output", "output/../x", &known], ".."),
        (vec!["run", "--timeout", "never", &known], "write a number with ms, s, m or h"),
        (vec!["run", "--memory", "1K", &known], "write at least 4M"),
        (vec!["run", "--env", "=x", &known], "write NAME=VALUE"),
        (vec!["run", "--env", "EXECRES_NOT_SET", &known], "is not set here"),
        (vec!["run", "--input", "/", &known], ""),
    ] {
        let output = home.execres(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains(says), "{arguments:?}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
}

#[test]
fn a_missing_output_is_an_error_that_keeps_what_the_program_said() {
    let home = Home::new();
    let program = home.file("program.sh", "echo done; echo x > result.txt\n");
    let output = home.execres(&["run", "--output", "output/result.txt", &program]).output().unwrap();
    assert_eq!((text(&output.stdout).as_str(), output.status.code()), ("done\n", Some(120)));
    let said = text(&output.stderr);
    assert!(said.contains("output/result.txt was not written") && said.contains("wrote result.txt instead"), "{said}");
}

#[test]
fn a_host_that_restricts_user_namespaces_is_told_what_to_do() {
    let home = Home::new();
    let program = home.file("program.py", "print('this must not be seen')");
    // The layer is really taken away: in a user namespace of its own, where no further one may be made.
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
    let mut command = std::process::Command::new("unshare");
    command.args(["-Ur", "sh", "-c", script, support::EXECRES, "run", &program]);
    let output = home.set_up(&mut command).output().unwrap();
    if text(&output.stderr).contains("unshare: ") {
        eprintln!("EXECRES-SKIP: a_host_that_restricts_user_namespaces_is_told_what_to_do: {}", line(&output.stderr));
        return;
    }
    assert_eq!(output.status.code(), Some(121), "{output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    let said = text(&output.stderr);
    assert!(said.contains("namespaces") || said.contains("identity of the host's root"), "{said}");
    if !rustix::process::geteuid().is_root() {
        assert!(said.contains("sysctl -w user.max_user_namespaces"), "the remedy is named: {said}");
    }
}

#[test]
fn without_user_namespaces_a_program_runs_only_where_less_is_asked_for() {
    const NAME: &str = "without_user_namespaces_a_program_runs_only_where_less_is_asked_for";
    if rustix::process::geteuid().is_root() {
        eprintln!("EXECRES-SKIP: {NAME}: optional: guests of root need namespaces; the suite user runs this");
        return;
    }
    let home = Home::new();
    let outside = home.file("outside.txt", "untouched");
    let program = home.file(
        "program.py",
        &format!(
            "import os, tempfile\n\
             def attempt(name, what):\n\
             \x20   try: what(); print(name, 'worked')\n\
             \x20   except OSError as error: print(name, 'refused')\n\
             attempt('outside', lambda: open({outside:?}, 'w'))\n\
             attempt('home', lambda: os.listdir({:?}))\n\
             attempt('chmod', lambda: os.chmod({outside:?}, 0o600))\n\
             attempt('signal', lambda: os.kill(os.getppid(), 0))\n\
             attempt('here', lambda: open('scratch.txt', 'w').close())\n\
             attempt('temporary', lambda: tempfile.NamedTemporaryFile().close())\n\
             open('output/result.txt', 'w').write('42')\n",
            home.directory().display().to_string()
        ),
    );
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$0\" \"$@\"";
    let run = |arguments: &[&str]| {
        let mut command = std::process::Command::new("unshare");
        command.args(["-Ur", "sh", "-c", script, support::EXECRES, "run"]).args(arguments).arg(&program);
        home.set_up(&mut command).output().unwrap()
    };
    let refused = run(&[]);
    if text(&refused.stderr).contains("unshare: ") {
        eprintln!("EXECRES-SKIP: {NAME}: {}", line(&refused.stderr));
        return;
    }
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(121), "{said}");
    assert!(refused.stdout.is_empty(), "nothing has run: {refused:?}");
    for named in ["process_contained", "making a user namespace", "sysctl -w user.max_user_namespaces=15000"] {
        assert!(said.contains(named), "axis, cause and remedy are named ({named}): {said}");
    }

    let output = run(&["--isolation", "preferred", "--output", "output/result.txt"]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    let expected = "outside refused\nhome refused\nchmod refused\nsignal refused\nhere worked\ntemporary worked\n";
    assert_eq!(text(&output.stdout), expected, "{said}");
    assert!(said.contains("there are no namespaces"), "it says what is missing: {said}");
    assert_eq!(std::fs::read_to_string(home.directory().join("output/result.txt")).unwrap(), "42");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), "untouched");
    let json = run(&["--isolation", "preferred", "--json"]);
    let result: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let axes = result.pointer("/isolation/axes").unwrap().to_string();
    assert!(axes.contains("host_filesystem_restricted") && !axes.contains("process_contained"), "{axes}");
}

#[test]
fn outputs_that_could_not_be_written_are_no_success() {
    let home = Home::new();
    let program = home.file("program.sh", "echo x > output/a\n");
    // A file stands where the directory of outputs would be.
    home.file("taken", "");
    let run = |directory: &str| {
        home.execres(&["run", "--output", "output/a", "--output-dir", directory, &program]).output().unwrap()
    };
    assert_eq!(run("free").status.code(), Some(0), "the control");
    let output = run("taken/below");
    assert!(matches!(output.status.code(), Some(120 | 2)), "{output:?}");
}

#[test]
fn an_umask_that_takes_everything_away_is_no_obstacle_and_leaves_nothing() {
    let home = Home::new();
    let program = home.file("program.sh", "cat given\n");
    let given = home.file("given", "given\n");
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "umask 0777; exec \"$0\" \"$@\"", support::EXECRES, "run", "--input", &given, &program]);
    let output = home.set_up(&mut command).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert_eq!(text(&output.stdout), "given\n");
    assert!(home.is_clean(), "{:?}", home.leftovers());
}

#[test]
fn a_line_of_ours_stands_on_a_line_of_its_own() {
    let home = Home::new();
    let program = home.file("program.sh", "printf partial >&2\n");
    let output = home.execres(&["run", &program]).output().unwrap();
    let said = text(&output.stderr);
    assert!(said.starts_with("partial\nexecres: sandbox |"), "{said}");
    let whole = home.file("whole.sh", "echo whole >&2\n");
    let said = text(&home.execres(&["run", &whole]).output().unwrap().stderr);
    assert!(said.starts_with("whole\nexecres: sandbox |"), "{said}");
}

#[test]
fn a_result_that_cannot_be_printed_is_no_success() {
    let home = Home::new();
    let program = home.file("program.sh", "true\n");
    for arguments in [vec!["run", "--json", &program], vec!["probe", "--json"], vec!["reap"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = home.execres(&arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(123), "{arguments:?}: {output:?}");
        assert!(text(&output.stderr).contains("standard output cannot be written"), "{output:?}");
    }
}
