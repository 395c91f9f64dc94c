//! The command that installs something on this distribution.

use std::path::Path;

use super::report::Remedy;

/// What something is called by each package manager; empty where it has none.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Packages {
    pub(super) apt: &'static str,
    pub(super) dnf: &'static str,
    pub(super) pacman: &'static str,
    pub(super) apk: &'static str,
}

/// Managers with what they are asked.
const MANAGERS: [(&str, &str); 4] = [
    ("/usr/bin/apt-get", "sudo apt-get install"),
    ("/usr/bin/dnf", "sudo dnf install"),
    ("/usr/bin/pacman", "sudo pacman -S"),
    ("/sbin/apk", "sudo apk add"),
];

impl Packages {
    /// One that all managers call the same.
    pub(super) const fn named(name: &'static str) -> Self {
        Packages { apt: name, dnf: name, pacman: name, apk: name }
    }

    /// How to get it here; `otherwise` where no package has it.
    pub(super) fn remedy(&self, otherwise: &str) -> Remedy {
        let here = MANAGERS.iter().zip([self.apt, self.dnf, self.pacman, self.apk]);
        let mut here = here.filter(|((manager, _), package)| !package.is_empty() && Path::new(manager).exists());
        match here.next() {
            Some(((_, command), package)) => Remedy::commands("Install it:", [format!("{command} {package}")]),
            None => Remedy::advice(otherwise),
        }
    }
}
