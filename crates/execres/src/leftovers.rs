//! Removing what killed hosts left behind.

use execres_isolation::{CgroupReaper, LauncherReaper, ProbeReaper, RunDirectoryReaper};
use execres_owner::{ReapReport, StateDir, StateError};
use execres_workspace::AreaReaper;

/// Removes what provably dead hosts of this user left: stopped launchers, execution areas, directories of
/// runs, cgroups and the canaries of probes. Things of living hosts are never touched.
///
/// # Errors
/// [`StateError`] when the register cannot be read. What goes wrong with one thing is in the report.
pub fn reap() -> Result<ReapReport, StateError> {
    reap_in(&StateDir::open()?)
}

pub(crate) fn reap_in(state: &StateDir) -> Result<ReapReport, StateError> {
    execres_owner::reap(state, &[&LauncherReaper, &AreaReaper, &CgroupReaper, &ProbeReaper, &RunDirectoryReaper])
}
