//! Landlock: not built in, switched off at boot, or there in a version.

use serde::Serialize;

use super::setting;
use crate::sys::kernel;

/// Landlock on this kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "state")]
#[non_exhaustive]
pub enum LandlockState {
    /// It works, in this version of its interface.
    Available {
        /// The version.
        abi: i32,
    },
    /// The kernel has it, and it is not among the security modules that were started.
    OffAtBoot {
        /// Those that were, in their order, where the host shows them.
        started: Vec<String>,
    },
    /// The kernel was built without it, or is older than 5.13.
    NotBuilt,
    /// It does not answer, though the kernel may have it: a filter around this process can refuse the call.
    Absent,
}

impl LandlockState {
    pub(super) fn of_this_kernel() -> Self {
        let modules = setting::read("/sys/kernel/security/lsm");
        let release = rustix::system::uname().release().to_string_lossy().into_owned();
        let config = setting::read(&format!("/boot/config-{release}"));
        LandlockState::of(kernel::landlock_abi(), modules.as_deref(), config.as_deref())
    }

    /// From what the kernel answers (a version, or an error), its list of security modules and its configuration, where they can
    /// be read.
    fn of(answer: Result<i32, i32>, modules: Option<&str>, config: Option<&str>) -> Self {
        let list: Vec<&str> = modules.unwrap_or_default().split(',').filter(|module| !module.is_empty()).collect();
        let started = list.contains(&"landlock");
        let built = config.map(|text| text.lines().any(|line| line == "CONFIG_SECURITY_LANDLOCK=y"));
        match answer {
            Ok(abi) if abi > 0 => LandlockState::Available { abi },
            Err(libc::EOPNOTSUPP) => {
                LandlockState::OffAtBoot { started: list.into_iter().map(str::to_owned).collect() }
            }
            // A filter of somebody else's can give the same answer, where the kernel has it.
            Err(libc::ENOSYS) if !started && built != Some(true) => LandlockState::NotBuilt,
            _ => LandlockState::Absent,
        }
    }

    /// What newer versions than this one would add, with the kernel that brought each.
    pub fn newer_adds(&self) -> Vec<&'static str> {
        let LandlockState::Available { abi } = self else { return Vec::new() };
        ADDED.iter().filter(|(version, _)| version > abi).map(|(_, what)| *what).collect()
    }
}

/// What each version of the interface brought (`Documentation/userspace-api/landlock.rst`).
const ADDED: [(i32, &str); 6] = [
    (2, "renaming and linking between directories (5.19)"),
    (3, "truncating files (6.2)"),
    (4, "TCP ports (6.7)"),
    (5, "requests to devices (6.10)"),
    (6, "abstract sockets and signals (6.12)"),
    (7, "records of refusals (6.15)"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_answers_are_told_apart() {
        let of = LandlockState::of;
        assert_eq!(of(Ok(4), None, None), LandlockState::Available { abi: 4 });
        let started = ["lockdown", "capability", "yama"].map(str::to_owned).into();
        let off = of(Err(libc::EOPNOTSUPP), Some("lockdown,capability,yama"), None);
        assert_eq!(off, LandlockState::OffAtBoot { started });
        assert_eq!(of(Err(libc::ENOSYS), None, None), LandlockState::NotBuilt);
        let not_set = "# CONFIG_SECURITY_LANDLOCK is not set\n";
        assert_eq!(of(Err(libc::ENOSYS), None, Some(not_set)), LandlockState::NotBuilt);
        // The kernel has it, so something between it and this process refuses the call.
        assert_eq!(of(Err(libc::ENOSYS), Some("capability,landlock"), None), LandlockState::Absent);
        assert_eq!(of(Err(libc::ENOSYS), None, Some("CONFIG_SECURITY_LANDLOCK=y\n")), LandlockState::Absent);
        assert_eq!(of(Err(libc::EPERM), None, None), LandlockState::Absent);
    }

    #[test]
    fn what_newer_versions_add_is_named() {
        assert_eq!(LandlockState::Available { abi: 5 }.newer_adds().len(), 2);
        assert!(LandlockState::Available { abi: 7 }.newer_adds().is_empty());
        assert!(LandlockState::NotBuilt.newer_adds().is_empty());
    }
}
