//! The Windows Subsystem for Linux.

use std::path::Path;

use serde::Serialize;

use super::setting;

/// A Windows host around this system.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Wsl {
    /// Which kind.
    pub version: WslVersion,
    /// Whether Windows programs can be started from here. They run outside this kernel, so nothing here contains them.
    pub interop: bool,
}

/// The two kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WslVersion {
    /// No Linux kernel, but a translation of its calls.
    One,
    /// A Linux kernel in a virtual machine.
    Two,
}

impl Wsl {
    pub(super) fn around_this_system() -> Option<Self> {
        let release = setting::read("/proc/sys/kernel/osrelease").unwrap_or_default();
        // The handler of Windows programs, by either of the names that it has had.
        let handler = ["WSLInterop", "WSLInterop-late"]
            .iter()
            .filter_map(|name| setting::read(&format!("/proc/sys/fs/binfmt_misc/{name}")))
            .any(|text| text.starts_with("enabled"));
        let socket = std::env::var_os("WSL_INTEROP").is_some_and(|path| Path::new(&path).exists());
        Wsl::of(&release, handler || socket)
    }

    /// From the kernel's release, as in `/proc/sys/kernel/osrelease`.
    pub fn of(release: &str, interop: bool) -> Option<Self> {
        let release = release.to_lowercase();
        if !release.contains("microsoft") {
            return None;
        }
        // The first kind calls itself `4.4.0-19041-Microsoft`; the second has `WSL2`, or at least a newer kernel.
        let first = release.starts_with("4.4.") && !release.contains("wsl2");
        Some(Wsl { version: if first { WslVersion::One } else { WslVersion::Two }, interop })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_are_known_by_the_kernel_s_release() {
        let version = |release| Wsl::of(release, true).map(|wsl| wsl.version);
        assert_eq!(version("4.4.0-19041-Microsoft"), Some(WslVersion::One));
        assert_eq!(version("5.15.153.1-microsoft-standard-WSL2"), Some(WslVersion::Two));
        assert_eq!(version("6.8.0-31-generic"), None);
        assert_eq!(Wsl::of("5.15.90.1-microsoft-standard-WSL2", false).map(|wsl| wsl.interop), Some(false));
    }
}
