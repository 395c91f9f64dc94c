//! What is around this process.

use execres_core::Axis;
use execres_isolation::host::{GuestIdentity, HostFacts, WslVersion};
use execres_owner::{StateDir, StateError};

use super::examination::Tried;
use super::report::{Check, Group, Importance, Remedy, Status};

pub(super) fn identity(host: &HostFacts, tried: &Tried) -> Check {
    const WHY: &str = "a guest must not be root for the kernel, and gets an id of its own where that is allowed";
    let identity = &host.identity;
    let who = if identity.uid == 0 { "root".to_owned() } else { format!("user {}", identity.uid) };
    let check = |found: String| Check::ok("host.identity", Group::Host, WHY, found);
    match &identity.guest {
        GuestIdentity::OfItsOwn => {
            check(format!("{who}; each guest gets a user id that nobody else has, and no groups"))
        }
        GuestIdentity::Callers if identity.uid == 0 => {
            let check = check("root of a user namespace that has no other id, and an ordinary user outside".to_owned());
            let proven = |axis| tried.as_ref().is_ok_and(|standing| standing.report.axes().contains(axis));
            if proven(Axis::PrivilegeEscalationBlocked) {
                return check;
            }
            // From in here nobody can tell such a guest from one with the identity of the real root.
            check.with_status(Status::Degraded).with_remedy(Remedy::commands(
                "Start it outside this namespace, or in one with ids to give to guests:",
                ["unshare --user --map-root-user --map-auto execres doctor"],
            ))
        }
        GuestIdentity::Callers if identity.groups == 0 => check(format!("{who}; guests are the same user")),
        GuestIdentity::Callers => {
            let groups = match identity.groups {
                1 => "1 supplementary group that stays".to_owned(),
                more => format!("{more} supplementary groups that stay"),
            };
            check(format!("{who}; guests are the same user, with {groups}"))
        }
        GuestIdentity::OnlyRoot => check(format!("{who}, and may not map other user ids: a guest would be root"))
            .of_importance(Importance::Required)
            .with_status(Status::Missing)
            .with_remedy(Remedy::advice("Start it as an ordinary user, or give it CAP_SETUID and CAP_SETGID.")),
        GuestIdentity::Unknown { why } => check(format!("{who}; {why}")).with_status(Status::Unknown),
        _ => check(who).with_status(Status::Unknown),
    }
}

pub(super) fn container(host: &HostFacts) -> Check {
    const WHY: &str = "a container takes away what the sandbox needs; which of it is said above";
    let found = match &host.container {
        None => "not in a container".to_owned(),
        Some(container) => format!("in a container of {} ({})", container.engine, container.mark),
    };
    Check::ok("host.container", Group::Host, WHY, found)
}

pub(super) fn wsl(host: &HostFacts) -> Check {
    const WHY: &str = "programs of Windows run outside this kernel, where nothing here contains them";
    let check = |found: &str| Check::ok("host.wsl", Group::Host, WHY, found);
    match host.wsl {
        None => check("not under Windows"),
        Some(wsl) if wsl.version == WslVersion::One => check("WSL 1, which has no Linux kernel")
            .of_importance(Importance::Required)
            .with_status(Status::Missing)
            .with_remedy(Remedy::commands(
                "Convert it to WSL 2, in Windows:",
                ["wsl.exe --set-version <distribution> 2"],
            )),
        Some(wsl) if wsl.interop => check("WSL 2, from which programs of Windows can be started")
            .with_status(Status::Degraded)
            .with_remedy(Remedy::commands(
                "The sandbox does not show /mnt/c or the interop socket to programs. `trusted_local` does: to switch the way to \
                 Windows off, type here and then run `wsl.exe --shutdown` in Windows:",
                ["printf '[interop]\\nenabled=false\\n' | sudo tee -a /etc/wsl.conf"],
            )),
        Some(_) => check("WSL 2, without the way to programs of Windows"),
    }
}

pub(super) fn temporary(host: &HostFacts) -> Check {
    const WHY: &str = "execution areas are made there";
    let temporary = &host.temporary;
    let place = temporary.path.display();
    let check = |found: String| Check::ok("host.temporary", Group::Host, WHY, found);
    let elsewhere = |says: &str| {
        Remedy::commands(says, ["mkdir -p -m 700 \"$HOME/.cache/execres\"", "export TMPDIR=\"$HOME/.cache/execres\""])
    };
    if let Some(why) = &temporary.unusable {
        return check(format!("{place} cannot be used: {why}"))
            .of_importance(Importance::Required)
            .with_status(Status::Missing)
            .with_remedy(elsewhere("Name a directory that can be written:"));
    }
    if temporary.noexec {
        return check(format!("{place} is mounted noexec")).with_status(Status::Degraded).with_remedy(elsewhere(
            "Programs in the sandbox run all the same. Compiled ones of `trusted_local` and programs in granted \
                 directories there do not. Name a directory on a file system that allows them:",
        ));
    }
    check(format!("{place} can be written, and allows running programs"))
}

pub(super) fn state_dir(state: &Result<StateDir, StateError>) -> Check {
    const WHY: &str = "what would outlive a killed host is written down there";
    let check = |found: String| Check::ok("host.state_dir", Group::Host, WHY, found);
    match state {
        Ok(state) => check(format!("{} belongs to this user alone", state.path().display())),
        // Nothing runs without it: what a killed host leaves must be known to the next one.
        Err(error) => check(error.to_string())
            .of_importance(Importance::Required)
            .with_status(Status::Missing)
            .with_remedy(Remedy::commands(
                "Name a directory of your own:",
                [
                    "mkdir -p -m 700 \"$HOME/.local/state/execres\"",
                    "export EXECRES_STATE_DIR=\"$HOME/.local/state/execres\"",
                ],
            )),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use execres_isolation::host::{NamespaceSettings, NamespaceTrial, Wsl};

    use super::*;

    /// An ordinary host on which everything is well, whatever this one is.
    pub(in crate::doctor) fn host() -> HostFacts {
        let mut host = HostFacts::gather(None);
        host.kernel.release = "6.18.0".into();
        host.namespaces.trial = NamespaceTrial::Worked;
        host.namespaces.settings = NamespaceSettings::default();
        host.container = None;
        host.wsl = None;
        host.proc.mounted = true;
        host.proc.masks.clear();
        host.memory.read_only = false;
        host.memory.hierarchy = execres_isolation::host::Hierarchy::V2;
        host.temporary.path = "/tmp".into();
        host.temporary.noexec = false;
        host.temporary.unusable = None;
        host.identity.uid = 1000;
        host.identity.guest = GuestIdentity::Callers;
        host
    }

    #[test]
    fn a_windows_host_is_warned_about() {
        let mut facts = host();
        assert_eq!(wsl(&facts).status, Status::Ok);
        for (release, interop, status) in [
            ("4.4.0-19041-Microsoft", true, Status::Missing),
            ("5.15.153.1-microsoft-standard-WSL2", true, Status::Degraded),
            ("5.15.153.1-microsoft-standard-WSL2", false, Status::Ok),
        ] {
            facts.wsl = Wsl::of(release, interop);
            assert_eq!(wsl(&facts).status, status, "{release}");
        }
    }

    #[test]
    fn a_temporary_directory_without_programs_is_degraded_and_one_that_is_not_there_is_missing() {
        let mut facts = host();
        assert_eq!(temporary(&facts).status, Status::Ok);
        facts.temporary.noexec = true;
        assert_eq!(temporary(&facts).status, Status::Degraded);
        facts.temporary.unusable = Some("No such file or directory".into());
        let check = temporary(&facts);
        assert_eq!((check.status, check.importance), (Status::Missing, Importance::Required));
        assert!(check.remedies[0].commands[1].starts_with("export TMPDIR="));
    }

    #[test]
    fn a_state_directory_that_others_can_enter_is_missing() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("state");
        std::fs::create_dir(&place).unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(state_dir(&StateDir::open_at(&place)).status, Status::Missing);
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o700)).unwrap();
        assert_eq!(state_dir(&StateDir::open_at(&place)).status, Status::Ok);
    }

    #[test]
    fn a_guest_that_could_only_be_root_is_missing() {
        let mut facts = host();
        let refused = Err(execres_isolation::LaunchError::RootIdentity);
        assert_eq!(identity(&facts, &refused).status, Status::Ok);
        facts.identity.uid = 0;
        assert_eq!(identity(&facts, &refused).status, Status::Degraded, "root that has no other id");
        facts.identity.guest = GuestIdentity::OnlyRoot;
        assert_eq!(identity(&facts, &refused).status, Status::Missing);
    }
}
