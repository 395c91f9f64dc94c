//! Evidence: what an axis forbids is tried in the very profile, and the same is seen to work outside of it.

mod scene;

pub(crate) use scene::Scene;

use std::fs;
use std::future::pending;
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use execres::core::{Attempt, Axis, AxisEvidence, IsolationReport, Limits, Mechanism, NetworkMode, Stream, Verdict};
use execres::isolation::{OutputSink, RunReport, Sandbox, Step};

use crate::bubblewrap::Bubblewrap;

/// Tries one thing each and prints its name when it worked. Everything that it touches was made for it, and what it sends is a
/// signal that does nothing. `$WORD` and the like are variables, so that no process has them among its arguments by being asked
/// about them.
const TRY: &str = r#"
try() { name=$1; shift; if "$@" >/dev/null 2>&1; then echo "$name"; fi; }
see() { for line in /proc/[0-9]*/cmdline; do case "$(tr '\0' ' ' < "$line")" in *"$WORD"*) return 0;; esac; done; return 1; }
connect() { bash -c 'exec 3<>"/dev/tcp/127.0.0.1/$PORT"'; }
append() { echo changed >> "$1"; }
try see_host_process see
try signal_host_process kill -0 "$HOST_PID"
try connect_to_host connect
try read_host_file cat "$CANARY"
try write_host_file append "$CANARY"
try write_read_only_root append "$SOURCE/added"
setsid sh -c ': > "$BUILD/left"; sleep 1000; :' "$LEFT_BEHIND" >/dev/null 2>&1 </dev/null &
until [ -e "$BUILD/left" ]; do sleep 0.01; done
echo ready
until [ -e "$BUILD/go" ]; do sleep 0.01; done
touch "$OUTPUT/made"
"#;

/// What the profile forbids, by axis: the name of the attempt.
const FORBIDDEN: &[(Axis, &[&str])] = &[
    (Axis::ProcessContained, &["see_host_process", "signal_host_process", "connect_to_host"]),
    (Axis::HostFilesystemRestricted, &["read_host_file", "write_host_file", "write_read_only_root"]),
];

/// How long the attempts may take.
const TRYING: Duration = Duration::from_secs(8);

/// What one run of the attempts came to, as the host saw it.
struct Tried {
    worked: Vec<String>,
    canary_changed: bool,
    left_behind: LeftBehind,
    made_by_us: bool,
}

/// A process that left its session and was not waited for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LeftBehind {
    NeverSeen,
    SeenAndGone,
    StillThere,
}

/// Gathers the evidence.
///
/// # Errors
/// What bubblewrap said, when programs do not start in it.
pub(crate) async fn gather(bubblewrap: &Bubblewrap, sandbox: &Arc<Sandbox>) -> Result<IsolationReport, String> {
    let inside = {
        let scene = Scene::set().map_err(|error| error.to_string())?;
        let step = bubblewrap.step(0, scene.roots(), "/bin/sh".as_ref(), ["-c", TRY]);
        let step = step.with_variable("SOURCE", "/work/source").with_variable("BUILD", "/work/build");
        attempt(sandbox, &scene, step.with_variable("OUTPUT", "/work/output")).await?
    };
    // The control: the same script on the host itself, on a scene of its own.
    let outside = {
        let scene = Scene::set().map_err(|error| error.to_string())?;
        let roots = scene.roots();
        let step = Step::new("/bin/sh", ["-c", TRY]).with_variable("PATH", "/usr/bin:/bin");
        let step = step.with_variable("SOURCE", roots.source).with_variable("BUILD", roots.build);
        let step = step.with_variable("OUTPUT", roots.output);
        attempt(sandbox, &scene, step).await?
    };
    Ok(report(&inside, &outside, sandbox))
}

async fn attempt(sandbox: &Arc<Sandbox>, scene: &Scene, step: Step) -> Result<Tried, String> {
    let said = |error: &dyn std::fmt::Display| error.to_string();
    let limits = Limits { wall_time: TRYING, ..Limits::STANDARD };
    let listener = TcpListener::bind("127.0.0.1:0").map_err(|error| said(&error))?;
    let port = listener.local_addr().map_err(|error| said(&error))?.port();
    let word = uuid::Uuid::new_v4().simple().to_string();
    let left = uuid::Uuid::new_v4().simple().to_string();
    // A process of the host that can be seen and signalled. It ends when its run is dropped.
    let canary = Step::new("/bin/sh", ["-c", "sleep 1000; :", &word]).with_variable("PATH", "/usr/bin:/bin");
    let canary = sandbox.launch_unconfined(&limits, vec![canary]).await.map_err(|error| said(&error))?;
    // A canary that is not there yet would be seen by nobody, and prove nothing.
    let until = Instant::now() + TRYING;
    while !is_running(&word) && Instant::now() < until {
        tokio::task::yield_now().await;
    }
    let step = step
        .with_variable("WORD", &word)
        .with_variable("HOST_PID", canary.init_pid().to_string())
        .with_variable("PORT", port.to_string())
        .with_variable("CANARY", scene.canary())
        .with_variable("LEFT_BEHIND", &left);
    let watch = Watch { scene, left: &left, seen: AtomicBool::new(false) };
    let run = sandbox.launch_unconfined(&limits, vec![step]).await.map_err(|error| said(&error))?;
    let report = run.finish(Some(&watch), pending()).await;
    let worked = worked(&report)?;
    Ok(Tried {
        worked,
        canary_changed: scene.canary_changed(),
        left_behind: match (watch.seen.load(Ordering::SeqCst), is_running(&left)) {
            (_, true) => LeftBehind::StillThere,
            (true, false) => LeftBehind::SeenAndGone,
            (false, false) => LeftBehind::NeverSeen,
        },
        made_by_us: scene.made_by_us(),
    })
}

/// The names of what worked; the script's last word before that is `ready`.
fn worked(report: &RunReport) -> Result<Vec<String>, String> {
    let step = report.steps.first().ok_or_else(|| report.outcome.to_string())?;
    let lines: Vec<String> = step.stdout.text().lines().map(str::to_owned).collect();
    match (report.outcome.is_success(), lines.split_last()) {
        (true, Some((last, names))) if last == "ready" => Ok(names.to_vec()),
        _ => Err(format!("{}: {}", report.outcome, step.stderr.text().lines().next().unwrap_or_default())),
    }
}

/// Looks for the process that is left behind while the script waits, and lets it go on.
struct Watch<'a> {
    scene: &'a Scene,
    left: &'a str,
    seen: AtomicBool,
}

impl OutputSink for Watch<'_> {
    fn write(&self, _step: usize, _stream: Stream, bytes: &[u8]) {
        if String::from_utf8_lossy(bytes).contains("ready") {
            self.seen.store(is_running(self.left), Ordering::SeqCst);
            // Where it cannot be made, the script runs into its deadline, and there is no evidence.
            if let Err(error) = fs::write(self.scene.roots().build.join("go"), "") {
                drop(error);
            }
        }
    }
}

fn is_running(word: &str) -> bool {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    lines.any(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
}

/// The verdict on an attempt follows from both runs: it proves something only where it worked outside.
fn verdict(name: &str, inside: &Tried, outside: &Tried) -> Verdict {
    let in_both = (inside.worked.iter().any(|one| one == name), outside.worked.iter().any(|one| one == name));
    match in_both {
        (true, _) => Verdict::NotEnforced,
        (false, true) => Verdict::Verified,
        (false, false) => Verdict::Inconclusive { why: "it does not work outside either".to_owned() },
    }
}

fn report(inside: &Tried, outside: &Tried, sandbox: &Sandbox) -> IsolationReport {
    let observed = "the script did it on the host, and not in bubblewrap; the host looked too";
    let mut evidence: Vec<AxisEvidence> = FORBIDDEN
        .iter()
        .map(|(axis, names)| {
            let attempts = names.iter().map(|name| Attempt::new(name, verdict(name, inside, outside), observed));
            AxisEvidence { axis: *axis, attempts: attempts.collect() }
        })
        .collect();
    evidence[0].attempts.push(Attempt::new(
        "outlive_the_run",
        match inside.left_behind {
            LeftBehind::SeenAndGone => Verdict::Verified,
            LeftBehind::StillThere => Verdict::NotEnforced,
            LeftBehind::NeverSeen => Verdict::Inconclusive { why: "the process was never seen".to_owned() },
        },
        "the host saw the process while the run went on, and not after it",
    ));
    evidence[1].attempts.push(Attempt::new(
        "change_host_file",
        match (inside.canary_changed, outside.canary_changed) {
            (true, _) => Verdict::NotEnforced,
            (false, true) => Verdict::Verified,
            (false, false) => Verdict::Inconclusive { why: "the host sees no change outside either".to_owned() },
        },
        "the host compared the file before and after",
    ));
    // What the profile does not keep in is told and not hidden: this axis does not hold.
    let identity = match inside.made_by_us {
        true => Verdict::NotEnforced,
        false => Verdict::Inconclusive { why: "nothing else was tried against this axis".to_owned() },
    };
    let attempt = Attempt::new("act_as_the_host_s_user", identity, "what the script made belongs to the host's user");
    evidence.push(AxisEvidence { axis: Axis::PrivilegeEscalationBlocked, attempts: vec![attempt] });

    let id = format!("bubblewrap-{}", uuid::Uuid::new_v4().simple());
    let mut report = IsolationReport::new(id, NetworkMode::None, evidence);
    report.limits = sandbox.unconfined_report().limits;
    report.mechanisms = vec![Mechanism { name: "bubblewrap".into(), state: "namespaces, no filter".to_owned() }];
    report
}
