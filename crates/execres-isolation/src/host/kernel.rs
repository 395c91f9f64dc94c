//! The kernel's name and age.

use serde::Serialize;

/// The kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KernelFacts {
    /// As `uname -r` prints it.
    pub release: String,
    /// As `uname -m` prints it.
    pub machine: String,
}

impl KernelFacts {
    pub(super) fn of_this_kernel() -> Self {
        let name = rustix::system::uname();
        KernelFacts {
            release: name.release().to_string_lossy().into_owned(),
            machine: name.machine().to_string_lossy().into_owned(),
        }
    }

    /// Major and minor version, where the release starts with them.
    pub fn version(&self) -> Option<(u32, u32)> {
        let mut numbers = self.release.split(|c: char| !c.is_ascii_digit()).map(str::parse);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    }

    /// Whether the launcher is built for this machine.
    pub fn has_launcher(&self) -> bool {
        crate::sys::start::image().is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn releases_of_distributions_have_a_version() {
        for (release, version) in [
            ("6.8.0-31-generic", Some((6, 8))),
            ("5.15.153.1-microsoft-standard-WSL2", Some((5, 15))),
            ("4.18.0-513.el8.x86_64", Some((4, 18))),
            ("odd", None),
        ] {
            let facts = KernelFacts { release: release.into(), machine: "x86_64".into() };
            assert_eq!(facts.version(), version, "{release}");
        }
    }
}
