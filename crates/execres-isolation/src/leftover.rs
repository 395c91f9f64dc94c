//! Launchers that outlived their host because somebody had stopped them.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use execres_owner::{Leftover, OwnerRegistry, Reap, ReapError, Reaper, Registration};
use rustix::process::{Pid, PidfdFlags, Signal};

/// The kind under which launchers are registered.
const REGISTERED_AS: &str = "launcher";

/// Writes a launcher down. `None` when that does not work, which takes away this backup and nothing else.
pub(crate) fn register(owners: &Arc<OwnerRegistry>, pid: i32) -> Option<Registration> {
    let id = format!("{pid}-{}", start_time(pid)?);
    match owners.register(REGISTERED_AS, &id, &PathBuf::from(format!("/proc/{pid}"))) {
        Ok(registration) => Some(registration),
        Err(error) => {
            tracing::debug!(%error, "a launcher could not be registered");
            None
        }
    }
}

/// Ends launchers of dead owners, and with each the runs that it holds.
#[derive(Debug, Clone, Copy, Default)]
pub struct LauncherReaper;

impl Reaper for LauncherReaper {
    fn kind(&self) -> &str {
        REGISTERED_AS
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        let not_ours = || ReapError::NotOurs { path: leftover.path.clone() };
        let (pid, started) = leftover.id.as_str().split_once('-').ok_or_else(not_ours)?;
        let (pid, started): (i32, u64) =
            (pid.parse().map_err(|_| not_ours())?, started.parse().map_err(|_| not_ours())?);
        let process = Pid::from_raw(pid).ok_or_else(not_ours)?;
        let Ok(pidfd) = rustix::process::pidfd_open(process, PidfdFlags::empty()) else { return Ok(Reap::Absent) };
        // Looked at after the pidfd was opened, so that it is the same process that is ended: it has the number, the start time
        // and the owner's mark as its argument, or it is another one.
        let arguments = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let ours = format!("execres-launcher\0{}\0", leftover.owner.instance);
        if start_time(pid) != Some(started) || arguments != ours.as_bytes() {
            return Ok(Reap::Absent);
        }
        match rustix::process::pidfd_send_signal(&pidfd, Signal::KILL) {
            Ok(()) => Ok(Reap::Removed),
            Err(rustix::io::Errno::SRCH) => Ok(Reap::Absent),
            Err(error) => Err(ReapError::Failed { path: leftover.path.clone(), why: error.to_string() }),
        }
    }
}

/// When a process started, in clock ticks since boot: the 22nd field of its `stat`, counted after the name, which may hold
/// anything.
fn start_time(pid: i32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, after_name) = stat.rsplit_once(')')?;
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}
