//! The outside of the sandbox: ordinary processes with the identity that the guest has.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use execres_core::Limits;
use execres_isolation::{LaunchError, Run, Sandbox, Step};

use crate::attack::Ground;
use crate::programs::find;

/// The identity that the host's kernel sees when a guest acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guest {
    /// The host's own, which is an ordinary user's.
    Own,
    /// One that nobody else has, because the host is root.
    Id(u32),
}

/// What an attack or a victim is told, by variable.
pub(crate) type Told = BTreeMap<String, String>;

/// A command as an ordinary process with the guest's identity.
pub(crate) async fn launch(
    sandbox: &Arc<Sandbox>,
    limits: &Limits,
    guest: Guest,
    ground: Ground,
    command: &[PathBuf],
    told: &Told,
) -> Result<Run, String> {
    let mut words: Vec<PathBuf> = Vec::new();
    if let Guest::Id(id) = guest {
        words.push(find("setpriv").ok_or("there is no setpriv (package util-linux)")?);
        words.extend([format!("--reuid={id}"), format!("--regid={id}")].map(PathBuf::from));
        words.extend(["--clear-groups", "--"].map(PathBuf::from));
    }
    if ground == Ground::Namespaces {
        words.push(find("unshare").ok_or("there is no unshare (package util-linux)")?);
        let flags =
            ["--user", "--map-root-user", "--mount", "--net", "--ipc", "--uts", "--pid", "--fork", "--kill-child"];
        words.extend(flags.map(PathBuf::from));
        words.push("--".into());
    }
    words.extend(command.iter().cloned());
    let mut words = words.into_iter();
    let program = words.next().ok_or("an empty command")?;
    let mut step = Step::new(program, words).in_directory("/");
    for (name, value) in told {
        step = step.with_variable(name, value);
    }
    step = step.with_variable("PATH", "/usr/local/bin:/usr/bin:/bin");
    sandbox.launch_unconfined(limits, vec![step]).await.map_err(|error: LaunchError| error.to_string())
}

/// Processes that were told this text, whatever has become of them, and that are not this one.
pub(crate) fn processes_told(marker: &str) -> Vec<i32> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let has = |file: &str| {
            let bytes = std::fs::read(entry.path().join(file)).unwrap_or_default();
            bytes.windows(marker.len()).any(|window| window == marker.as_bytes())
        };
        if has("environ") || has("cmdline") {
            found.push(pid);
        }
    }
    found
}

/// Ends what an attack left behind, process by process.
pub(crate) fn end(processes: &[i32]) {
    for pid in processes {
        if let Some(pid) = rustix::process::Pid::from_raw(*pid) {
            // It may have ended by itself since it was found.
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).ok();
        }
    }
}
