//! `execres doctor` as a person and a script use it, on this host and on worse ones that a test makes for itself.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test fails by panicking, starts what it tests, and says why it did not run"
)]

#[allow(dead_code, reason = "tests of other commands use other parts")]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::{Command, Output};

use serde_json::Value;
use support::{EXECRES, Home, text};

/// Every id there is: scripts rely on them.
const IDS: [&str; 28] = [
    "sandbox.axes",
    "sandbox.run",
    "kernel.user_namespaces",
    "kernel.proc",
    "kernel.landlock",
    "kernel.seccomp",
    "cgroup.memory",
    "host.kernel",
    "host.identity",
    "host.container",
    "host.wsl",
    "host.temporary",
    "host.state_dir",
    "language.python",
    "language.nodejs",
    "language.bash",
    "language.c",
    "language.cpp",
    "tool.go",
    "tool.rustc",
    "tool.perl",
    "tool.ruby",
    "engine.docker",
    "engine.podman",
    "browser.chromium",
    "browser.chromedriver",
    "browser.firefox",
    "browser.geckodriver",
];
const MCP: [&str; 2] = ["mcp.npx", "mcp.uvx"];

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

fn check<'a>(report: &'a Value, id: &str) -> &'a Value {
    report["checks"].as_array().unwrap().iter().find(|check| check["id"] == id).unwrap_or(&Value::Null)
}

fn commands(check: &Value) -> String {
    let remedies = check["remedies"].as_array().unwrap().iter();
    let commands = remedies.flat_map(|remedy| remedy["commands"].as_array().unwrap());
    commands.filter_map(Value::as_str).collect::<Vec<_>>().join("\n")
}

/// The doctor in a mount namespace of its own, after a preparation in shell. `None` where this host makes no such namespace.
fn in_a_namespace(test: &str, home: &Home, preparation: &str) -> Option<Output> {
    if rustix::process::geteuid().is_root() {
        return in_namespaces(test, home, "-m", &format!("{preparation}\nexec \"$0\" \"$@\""));
    }
    // An ordinary user mounts as the root of a user namespace, and is an ordinary user again for the doctor: one whose id in the
    // namespace around it is not that of root either.
    let again =
        "exec unshare -U --map-user=1000 --map-group=1000 unshare -U --map-user=1001 --map-group=1001 \"$0\" \"$@\"";
    in_namespaces(test, home, "-Urm", &format!("{preparation}\n{again}"))
}

fn in_namespaces(test: &str, home: &Home, flags: &str, script: &str) -> Option<Output> {
    let mut command = Command::new("unshare");
    command.args([flags, "sh", "-ec", script, EXECRES, "doctor", "--json"]);
    let output = home.set_up(&mut command).output().unwrap();
    let said = text(&output.stderr);
    if said.contains("unshare: ") || said.contains("mount: ") {
        eprintln!("EXECRES-SKIP: {test}: {}", support::line(&output.stderr));
        return None;
    }
    Some(output)
}

#[test]
fn this_host_is_ready_and_the_report_is_whole() {
    let home = Home::new();
    let output = home.execres(&["doctor", "--json"]).output().unwrap();
    let report = json(&output);
    assert_eq!(output.status.code(), Some(0), "{report:#}");
    assert_eq!(report["verdict"], "ready");
    let ids: BTreeSet<&str> =
        report["checks"].as_array().unwrap().iter().filter_map(|check| check["id"].as_str()).collect();
    let missing: Vec<_> = IDS.iter().chain(&MCP).filter(|id| !ids.contains(**id)).collect();
    assert!(missing.is_empty(), "{missing:?}");
    for id in ["sandbox.axes", "kernel.user_namespaces", "kernel.proc", "kernel.seccomp", "host.state_dir"] {
        assert_eq!(check(&report, id)["status"], "ok", "{id}: {report:#}");
    }
    assert_eq!(report["best"]["axes"].as_array().unwrap().len(), 4);
    assert!(home.is_clean(), "{:?}", home.leftovers());

    // What it says of the memory limit is what a run gets.
    let program = home.file("program.sh", "true\n");
    let run = json(&home.execres(&["run", "--json", &program]).output().unwrap());
    let limits = run["isolation"]["limits"].as_array().unwrap();
    let enforced = limits.iter().any(|limit| limit["limit"] == "memory" && limit["enforcement"] == "enforced");
    assert_eq!(check(&report, "cgroup.memory")["status"], if enforced { "ok" } else { "degraded" });
}

#[test]
fn the_page_fits_a_terminal_and_ends_with_the_result() {
    let home = Home::new();
    let output = home.execres(&["doctor"]).env("DOCKER_HOST", "tcp://far\u{1b}[2J\u{202e}").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = text(&output.stdout);
    assert!(page.contains("far") && !page.contains('\u{1b}') && !page.contains('\u{202e}'), "{page:?}");
    for (heading, last) in
        [("isolation\n", false), ("this host\n", false), ("result    Programs get the full sandbox", true)]
    {
        let at = page.find(heading).unwrap_or_else(|| panic!("{heading}: {page}"));
        assert_eq!(page[at..].contains("\n\n"), !last, "{heading}: {page}");
    }
    // A line is longer only where a single word of it is.
    let fits = |line: &str| line.chars().count() <= 100 || line.split_whitespace().any(|word| word.len() > 50);
    assert!(page.lines().all(fits), "{page}");
}

#[test]
fn only_axes_that_there_are_can_be_required() {
    let home = Home::new();
    let output = home.execres(&["doctor", "--require", "everything"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("process_contained"), "the axes are named: {}", text(&output.stderr));
    let output = home.execres(&["doctor", "--json", "--require", "syscalls_restricted"]).output().unwrap();
    let report = json(&output);
    assert_eq!(report["required_axes"], serde_json::json!(["syscalls_restricted"]));
    assert_eq!((output.status.code(), &report["verdict"]), (Some(0), &"ready".into()));
}

#[test]
fn a_host_without_user_namespaces_is_blocked_and_told_the_setting() {
    const NAME: &str = "a_host_without_user_namespaces_is_blocked_and_told_the_setting";
    let home = Home::new();
    let none = "echo 0 > /proc/sys/user/max_user_namespaces; exec \"$0\" \"$@\"";
    let Some(output) = in_namespaces(NAME, &home, "-Ur", none) else { return };
    let report = json(&output);
    assert_eq!(output.status.code(), Some(121), "{report:#}");
    assert_eq!(report["verdict"], "blocked");
    // Root of a namespace has no guest that is not root; an ordinary user has the rung without namespaces.
    assert!(["none", "no_namespaces"].contains(&report["best"]["rung"].as_str().unwrap()), "{report:#}");
    assert!(report["best"]["missing_axes"].as_array().unwrap().contains(&"process_contained".into()), "{report:#}");
    let namespaces = check(&report, "kernel.user_namespaces");
    assert_eq!(namespaces["status"], "missing", "{namespaces:#}");
    assert!(namespaces["found"].as_str().unwrap().contains("user.max_user_namespaces is 0"), "{namespaces:#}");
    assert!(commands(namespaces).contains("sudo sysctl -w user.max_user_namespaces="), "{namespaces:#}");
    // The control: the same without the setting.
    let Some(output) = in_namespaces(NAME, &home, "-Ur", "exec \"$0\" \"$@\"") else { return };
    assert_eq!(check(&json(&output), "kernel.user_namespaces")["status"], "ok", "{output:?}");
    assert!(home.is_clean(), "{:?}", home.leftovers());
}

#[test]
fn a_covered_proc_is_found_and_its_remedy_named() {
    const NAME: &str = "a_covered_proc_is_found_and_its_remedy_named";
    let home = Home::new();
    let Some(output) = in_a_namespace(NAME, &home, "mount -t tmpfs none /proc/sys/fs") else { return };
    let report = json(&output);
    let proc = check(&report, "kernel.proc");
    assert_ne!(proc["status"], "ok", "{proc:#}");
    assert!(proc["found"].as_str().unwrap().contains("/proc/sys/fs"), "{proc:#}");
    assert!(!proc["remedies"].as_array().unwrap().is_empty(), "{proc:#}");
    assert_ne!(report["best"]["rung"], "full", "{report:#}");
    let proven = report["best"]["missing_axes"].as_array().unwrap().is_empty();
    assert_eq!(output.status.code(), Some(if proven { 0 } else { 121 }), "{report:#}");
    // The control: the same namespace with nothing covered.
    let Some(output) = in_a_namespace(NAME, &home, "true") else { return };
    let report = json(&output);
    assert_eq!((output.status.code(), &check(&report, "kernel.proc")["status"]), (Some(0), &"ok".into()), "{report:#}");
}

#[test]
fn a_temporary_directory_that_forbids_programs_is_found_and_blocks_nothing() {
    const NAME: &str = "a_temporary_directory_that_forbids_programs_is_found_and_blocks_nothing";
    let home = Home::new();
    let mount = "mount -t tmpfs -o noexec,mode=700 none \"$TMPDIR\"";
    let Some(output) = in_a_namespace(NAME, &home, mount) else { return };
    let report = json(&output);
    let temporary = check(&report, "host.temporary");
    assert_eq!((output.status.code(), &temporary["status"]), (Some(0), &"degraded".into()), "{report:#}");
    assert!(commands(temporary).contains("export TMPDIR="), "{temporary:#}");
    let Some(output) = in_a_namespace(NAME, &home, "true") else { return };
    assert_eq!(check(&json(&output), "host.temporary")["status"], "ok", "the control: {output:?}");
}

#[test]
fn a_state_directory_that_others_can_enter_blocks() {
    let home = Home::new();
    let place = home.directory().join("open");
    fs::create_dir(&place).unwrap();
    for (mode, code, status) in [(0o755, 121, "missing"), (0o700, 0, "ok")] {
        fs::set_permissions(&place, fs::Permissions::from_mode(mode)).unwrap();
        let output = home.execres(&["doctor", "--json"]).env("EXECRES_STATE_DIR", &place).output().unwrap();
        let report = json(&output);
        let state = check(&report, "host.state_dir");
        assert_eq!((output.status.code(), &state["status"]), (Some(code), &status.into()), "{state:#}");
    }
}

#[test]
fn an_engine_is_known_by_its_answer_and_not_by_its_socket() {
    let home = Home::new();
    let socket = home.directory().join("engine");
    let ask = || {
        let address = format!("unix://{}", socket.display());
        let output = home.execres(&["doctor", "--json"]).env("DOCKER_HOST", address).output().unwrap();
        // An engine is optional: the exit code does not depend on it.
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        check(&json(&output), "engine.docker").clone()
    };
    let listener = UnixListener::bind(&socket).unwrap();
    let engine = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = [0; 16];
        stream.read_exact(&mut asked).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nApi-Version: 1.47\r\nContent-Length: 2\r\n\r\nOK").unwrap();
        asked
    });
    let well = ask();
    assert_eq!(engine.join().unwrap(), *b"GET /_ping HTTP/");
    assert_eq!(well["status"], "ok", "{well:#}");
    assert!(well["found"].as_str().unwrap().contains("API 1.47"), "{well:#}");
    // The listener is gone and its socket is still there.
    assert!(socket.exists());
    let dead = ask();
    assert_eq!((&dead["status"], &dead["importance"]), (&"degraded".into(), &"optional".into()), "{dead:#}");
}

#[test]
fn a_host_without_any_interpreter_is_blocked() {
    let home = Home::new();
    let empty = home.directory().join("nothing");
    fs::create_dir(&empty).unwrap();
    let output = home.execres(&["doctor", "--json"]).env("PATH", &empty).output().unwrap();
    let report = json(&output);
    assert_eq!((report["verdict"].as_str(), output.status.code()), (Some("blocked"), Some(121)), "{report:#}");
    let run = check(&report, "sandbox.run");
    assert_eq!((&run["status"], &run["importance"]), (&"missing".into(), &"required".into()), "{run:#}");
    assert!(!run["remedies"].as_array().unwrap().is_empty(), "{run:#}");
    // The page does not end as if all were well.
    let output = home.execres(&["doctor"]).env("PATH", &empty).output().unwrap();
    let page = text(&output.stdout);
    assert!(page.contains("result    No program runs until this is mended: sandbox.run."), "{page}");
}

#[test]
fn the_binary_behind_a_shim_is_named() {
    let home = Home::new();
    if !std::path::Path::new("/usr/bin/python3").exists() {
        eprintln!("EXECRES-SKIP: the_binary_behind_a_shim_is_named: there is no /usr/bin/python3");
        return;
    }
    let shims = home.directory().join("shims");
    fs::create_dir(&shims).unwrap();
    fs::write(shims.join("python3"), "#!/bin/sh\nexec /usr/bin/python3 \"$@\"\n").unwrap();
    fs::set_permissions(shims.join("python3"), fs::Permissions::from_mode(0o755)).unwrap();
    // Only the shim is on the search path, so the binary has to be asked for through it.
    let output = home.execres(&["doctor", "--json"]).env("PATH", &shims).output().unwrap();
    let report = json(&output);
    let python = check(&report, "language.python");
    let found = python["found"].as_str().unwrap();
    assert_eq!(python["status"], "ok", "{python:#}");
    assert!(found.contains("/usr/bin/python3") && found.contains("shims/python3, a shim"), "{found}");
    // What the search path lacks is missing, is no failure, and says how to get it.
    assert_eq!(
        (check(&report, "language.nodejs")["status"].as_str(), output.status.code()),
        (Some("missing"), Some(0))
    );
    assert!(!check(&report, "language.nodejs")["remedies"].as_array().unwrap().is_empty());
}
