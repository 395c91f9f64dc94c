//! The ladder inside containers of a real engine, which take layers away as people's containers do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts an engine")]

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use execres_core::{Axis, AxisSet};
use execres_isolation::{Profile, Rung, Sandbox};
use support::*;

const NAME: &str = "a_container_stands_on_the_rung_that_its_engine_leaves_it";

/// A daemon of the test's own, in a network namespace of its own, with everything that it keeps in one directory.
struct Engine {
    daemon: Child,
    place: tempfile::TempDir,
}

impl Engine {
    fn start() -> Option<Self> {
        let found = |name: &str| {
            ["/usr/sbin", "/usr/bin"].map(|place| Path::new(place).join(name)).into_iter().find(|path| path.exists())
        };
        let (daemon, _client) = (found("dockerd")?, found("docker")?);
        let place = open_dir();
        let at = |name: &str| place.path().join(name);
        let log = fs::File::create(at("log")).unwrap();
        let daemon = Command::new("unshare")
            .args(["--net", "--"])
            .arg(daemon)
            .args(["--bridge", "none", "--iptables=false"])
            .arg("--data-root")
            .arg(at("data"))
            .arg("--exec-root")
            .arg(at("exec"))
            .arg("--pidfile")
            .arg(at("pid"))
            .arg("--host")
            .arg(format!("unix://{}", at("socket").display()))
            .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .ok()?;
        let engine = Engine { daemon, place };
        let ready = || engine.docker(&["version"]).output().is_ok_and(|output| output.status.success());
        eventually(PATIENCE, ready).then_some(engine)
    }

    fn docker(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("/usr/bin/docker");
        command.arg("--host").arg(format!("unix://{}", self.place.path().join("socket").display()));
        command.args(arguments).env("DOCKER_CONFIG", self.place.path());
        command
    }

    /// An image that is nothing but directories and links: programs come from the host's `/usr`, read-only.
    fn make_image(&self) {
        let skeleton = self.place.path().join("skeleton");
        for directory in ["tmp", "proc", "dev", "sys", "etc", "run", "var/tmp", "root"] {
            fs::create_dir_all(skeleton.join(directory)).unwrap();
        }
        for link in ["bin", "sbin", "lib", "lib64"] {
            std::os::unix::fs::symlink(format!("usr/{link}"), skeleton.join(link)).unwrap();
        }
        fs::write(skeleton.join("etc/passwd"), "root:x:0:0:root:/root:/bin/sh\nuser:x:1000:1000::/tmp:/bin/sh\n")
            .unwrap();
        fs::copy("/etc/ld.so.cache", skeleton.join("etc/ld.so.cache")).unwrap();
        let open = "chmod 1777 tmp var/tmp && tar -c .";
        let mut tar =
            Command::new("sh").args(["-c", open]).current_dir(&skeleton).stdout(Stdio::piped()).spawn().unwrap();
        let imported = self.docker(&["import", "-", "skeleton:1"]).stdin(tar.stdout.take().unwrap()).output().unwrap();
        assert!(tar.wait().unwrap().success() && imported.status.success(), "{imported:?}");
    }

    /// This test again, in a container with these options, where it expects to stand on this rung.
    fn run(&self, options: &[&str], program: &Path, rung: &str) {
        let output = self
            .docker(&["run", "--rm", "--network", "none", "--volume", "/usr:/usr:ro"])
            .arg("--volume")
            .arg(format!("{}:/test:ro", program.display()))
            .args(["--env", &format!("EXECRES_TEST_ROLE={rung}")])
            .args(options)
            .args(["skeleton:1", "/test", "--exact", NAME, "--nocapture"])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && said.contains("1 passed"), "{options:?}: {said}");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        // The daemon ends its helpers and takes its mounts off when it is asked to end.
        let pid = rustix::process::Pid::from_child(&self.daemon);
        if rustix::process::kill_process(pid, rustix::process::Signal::TERM).is_ok() {
            self.daemon.wait().unwrap();
        }
    }
}

#[tokio::test]
async fn a_container_stands_on_the_rung_that_its_engine_leaves_it() {
    if let Some(expected) = role() {
        return stand_on(&expected).await;
    }
    if !is_root() {
        eprintln!("EXECRES-SKIP: {NAME}: optional: a container engine is started by root");
        return;
    }
    let Some(engine) = Engine::start() else {
        eprintln!("EXECRES-SKIP: {NAME}: optional: no container engine (package docker.io) can be started here");
        return;
    };
    engine.make_image();
    let program: PathBuf = std::env::current_exe().unwrap();
    let user = ["--user", "1000:1000"];
    let no_filter = ["--security-opt", "seccomp=unconfined"];
    let whole_proc = ["--security-opt", "systempaths=unconfined"];
    for ordinary in [&[][..], &user[..]] {
        let with = |more: &[&'static str]| [ordinary, more].concat();
        // The engine's filter forbids namespaces; without it the masks over /proc are left; without those everything works.
        engine.run(&with(&[]), &program, "no_namespaces");
        engine.run(&with(&no_filter), &program, "empty_proc");
        engine.run(&with(&[no_filter, whole_proc].concat()), &program, "full");
    }
    // Root without the capability to become somebody else is refused, whatever else it may do.
    engine.run(&["--cap-drop", "ALL"], &program, "none");
}

async fn stand_on(expected: &str) {
    let sandbox = Sandbox::new(None);
    let standing = sandbox.best_rung(&Profile::deny_all()).await;
    if expected == "none" {
        let error = standing.unwrap_err();
        assert_eq!(error.code(), "isolation.root_identity", "{error}");
        return;
    }
    let standing = standing.unwrap();
    assert_eq!(standing.rung.as_str(), expected);
    let all = AxisSet::ALL;
    let lower: AxisSet = [Axis::HostFilesystemRestricted, Axis::PrivilegeEscalationBlocked, Axis::SyscallsRestricted]
        .into_iter()
        .collect();
    let axes = if standing.rung == Rung::NoNamespaces { lower } else { all };
    let attempts = standing.report.evidence.iter().flat_map(|evidence| &evidence.attempts);
    let unproven: Vec<_> = attempts.filter(|attempt| !attempt.verdict.proves()).collect();
    assert_eq!(standing.report.axes(), axes, "{unproven:#?}");
    let profile = Profile::deny_all().on_rung(standing.rung);
    assert_eq!(output(&run_in(&sandbox, &profile, vec![shell("echo fine")]).await), "fine\n");
}
