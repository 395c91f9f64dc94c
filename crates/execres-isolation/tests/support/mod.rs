//! What the tests of this crate share: guests to run, processes to find, and C programs to compile.
#![allow(dead_code, reason = "each test file uses a part of it")]

use std::fs;
use std::future::pending;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use execres_core::{Limits, Outcome};
use execres_isolation::{Profile, RunReport, Sandbox, Step};
use tempfile::TempDir;

/// How long anything may take before it counts as hung. It tells "late" from "never" on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// This much time on the machine of a developer, and more where the suite that runs the test says that the machine is slow.
pub(crate) fn generous(time: Duration) -> Duration {
    time * std::env::var("EXECRES_TEST_SLOWNESS").ok().and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// A new sandbox, one run in it, and its report.
pub(crate) async fn run(profile: &Profile, steps: Vec<Step>) -> RunReport {
    run_in(&Sandbox::new(None), profile, steps).await
}

/// One run to its end.
pub(crate) async fn run_in(sandbox: &Arc<Sandbox>, profile: &Profile, steps: Vec<Step>) -> RunReport {
    sandbox.launch(profile, steps).await.unwrap().finish(None, pending()).await
}

pub(crate) fn shell(script: &str) -> Step {
    Step::new("/bin/sh", ["-c", script])
}

pub(crate) fn python(script: &str) -> Step {
    Step::new("/usr/bin/python3", ["-c", script])
}

pub(crate) fn limits(change: impl FnOnce(&mut Limits)) -> Profile {
    let mut limits = Limits::STANDARD;
    change(&mut limits);
    Profile::deny_all().with_limits(limits)
}

/// What the only step wrote to its standard output, when it succeeded.
pub(crate) fn output(report: &RunReport) -> String {
    assert_eq!(report.outcome, Outcome::Exited { code: 0 }, "{report:#?}");
    report.steps.last().unwrap().stdout.text()
}

/// A directory that a guest of any identity can enter.
pub(crate) fn open_dir() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::set_permissions(directory.path(), fs::Permissions::from_mode(0o755)).unwrap();
    directory
}

/// A C program, compiled with the host's compiler into a directory that can be granted. `None` where there is none.
pub(crate) fn compile(source: &str, flags: &[&str]) -> Option<(TempDir, PathBuf)> {
    let directory = open_dir();
    let file = directory.path().join("program.c");
    fs::write(&file, source).unwrap();
    let program = directory.path().join("program");
    let compiled =
        Command::new("gcc").args(["-O1", "-w", "-pthread", "-o"]).arg(&program).arg(&file).args(flags).output();
    match compiled {
        Ok(output) if output.status.success() => Some((directory, program)),
        Ok(output) => panic!("gcc: {}", String::from_utf8_lossy(&output.stderr)),
        Err(_) => None,
    }
}

pub(crate) fn has_python(test: &str) -> bool {
    let there = Path::new("/usr/bin/python3").exists();
    if !there {
        eprintln!("EXECRES-SKIP: {test}: there is no /usr/bin/python3");
    }
    there
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// A text that no other process has on its command line.
pub(crate) fn marker(name: &str) -> String {
    let bytes: [u8; 8] = std::array::from_fn(|_| b'a' + (fastrand() % 26) as u8);
    format!("execres-marker-{name}-{}-{}", std::process::id(), String::from_utf8_lossy(&bytes))
}

fn fastrand() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}

/// Processes with this text on their command line, this process excluded.
pub(crate) fn processes_with(text: &str) -> Vec<i32> {
    let own = std::process::id() as i32;
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if pid != own && line.windows(text.len()).any(|window| window == text.as_bytes()) {
            found.push(pid);
        }
    }
    found
}

/// Children of a process, by its own account, with their names.
pub(crate) fn children_of(pid: u32) -> Vec<(i32, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Some(child) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let Some((before, after)) = stat.rsplit_once(')') else { continue };
        if after.split_ascii_whitespace().nth(1) == Some(&pid.to_string()) {
            found.push((child, before.split_once('(').map_or("", |(_, name)| name).to_owned()));
        }
    }
    found
}

/// Open descriptors of a process.
pub(crate) fn descriptors_of(pid: u32) -> usize {
    fs::read_dir(format!("/proc/{pid}/fd")).map_or(0, Iterator::count)
}

/// Looks until the condition holds or patience ends. Each look is a look at the system, with a breath in between so that
/// what is waited for gets the processor.
pub(crate) fn eventually(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let start = Instant::now();
    loop {
        if condition() {
            return true;
        }
        if start.elapsed() > patience {
            return false;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// This test again, alone, in a process of its own. `role` is what the copy finds in `EXECRES_TEST_ROLE`.
pub(crate) fn this_test_as(test: &str, role: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture", "--test-threads=1"]).env("EXECRES_TEST_ROLE", role);
    command
}

pub(crate) fn role() -> Option<String> {
    std::env::var("EXECRES_TEST_ROLE").ok()
}

/// Control groups that a process made.
pub(crate) fn groups_of(pid: u32) -> Vec<PathBuf> {
    fn look(directory: &Path, name: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                if entry.file_name().to_string_lossy().starts_with(name) {
                    found.push(entry.path());
                }
                look(&entry.path(), name, found);
            }
        }
    }
    let mut found = Vec::new();
    look(Path::new("/sys/fs/cgroup"), &format!("execres-{pid}-"), &mut found);
    found
}

/// Runs a test as a host that is root in a user namespace of its own and an ordinary user outside, after `preparation`,
/// which exits with 77 where it cannot be done. `more` are namespaces beside that one, as `unshare` names them.
pub(crate) fn in_a_user_namespace(name: &str, more: &[&str], preparation: &str) {
    let test = this_test_as(name, "host");
    let ordinary: &[&str] =
        if is_root() { &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] } else { &["env"] };
    let mut host = Command::new(ordinary[0]);
    host.args(&ordinary[1..]).args(["unshare", "--user", "--map-root-user"]).args(more).args(["sh", "-c"]);
    host.arg(format!("test -x \"$0\" || exit 77; {preparation}; exec \"$0\" \"$@\""));
    host.arg(test.get_program()).args(test.get_args()).env("EXECRES_TEST_ROLE", "host");
    let output = host.output().unwrap();
    if output.status.code() == Some(77) || String::from_utf8_lossy(&output.stderr).contains("unshare:") {
        eprintln!("EXECRES-SKIP: {name}: optional: no user namespace to test in can be made here");
        return;
    }
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
