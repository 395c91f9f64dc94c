//! Axes, tried by a program of an ordinary job: the evidence is the provider's, this is ours.
//!
//! What is tried is harmless where nothing keeps it from working: a signal that does nothing, and a file that the check made.

use execres_core::Axis;

use super::case::Case;
use super::code::Bench;
use super::fault::{Fault, failed, holds};

/// Tries one thing each, and prints its name when it worked.
const TRY: &str = r"
import os, re, sys
pid, canary = int(sys.argv[1]), sys.argv[2]
def tried(name, act):
    try:
        if act(): print(name)
    except OSError:
        pass
def signal():
    os.kill(pid, 0)
    # The number may be somebody else's in a namespace of its own.
    return open('/proc/%d/cmdline' % pid).read().replace('\0', ' ').strip() == sys.stdin.read().strip()
def status(field):
    return re.search(r'^%s:\s*(\S+)' % field, open('/proc/self/status').read(), re.M).group(1)
tried('signal_host_process', signal)
tried('read_host_file', lambda: 'content of the canary' in open(canary).read())
tried('write_host_file', lambda: open(canary, 'a').write('changed') > 0)
tried('gain_privileges', lambda: status('NoNewPrivs') != '1')
tried('no_system_call_filter', lambda: status('Seccomp') != '2')
";

/// What each axis forbids of it.
const FORBIDDEN: &[(Axis, &[&str])] = &[
    (Axis::ProcessContained, &["signal_host_process"]),
    (Axis::HostFilesystemRestricted, &["read_host_file", "write_host_file"]),
    (Axis::PrivilegeEscalationBlocked, &["gain_privileges"]),
    (Axis::SyscallsRestricted, &["no_system_call_filter"]),
];

pub(super) async fn what_an_axis_forbids_is_refused(case: &Case<'_>) -> Result<(), Fault> {
    let place = tempfile::tempdir().map_err(failed("a temporary directory"))?;
    let canary = place.path().join("canary");
    std::fs::write(&canary, "content of the canary").map_err(failed("a canary"))?;
    let ours = std::fs::read("/proc/self/cmdline").map_err(failed("our own command line"))?;

    let bench = Bench::set_up(case).await?;
    let args = [std::process::id().to_string(), canary.display().to_string()];
    let (mut job, _grant) = bench.job(TRY, |request| request.args(args))?;
    job.stdin = String::from_utf8_lossy(&ours).replace('\0', " ").into_bytes();
    let result = bench.runner.run(job).await;
    holds(result.outcome.is_success(), || format!("the control: the program runs: {}", result.stderr.text()))?;
    let printed = result.stdout.text();
    let worked: Vec<&str> = printed.lines().collect();

    let claimed = bench.runner.isolation().axes();
    for (axis, names) in FORBIDDEN.iter().filter(|(axis, _)| claimed.contains(*axis)) {
        let broken: Vec<&str> = names.iter().filter(|name| worked.contains(name)).copied().collect();
        holds(broken.is_empty(), || format!("{axis} is claimed, and this worked: {}", broken.join(", ")))?;
    }
    let changed = std::fs::read_to_string(&canary).map_err(failed("the canary"))? != "content of the canary";
    holds(changed == worked.contains(&"write_host_file"), || {
        "the control: the host does not see what the program says that it wrote".to_owned()
    })?;
    bench.tear_down().await
}
