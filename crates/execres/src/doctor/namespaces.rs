//! User namespaces, and the exact way to have them where they are restricted.

use std::path::Path;

use execres_isolation::host::{HostFacts, NamespaceTrial, SeccompMode};

use super::report::{Check, Group, Remedy, Status};

const WHY: &str = "the sandbox is made of namespaces; without them nothing contains processes";

pub(super) fn check(host: &HostFacts) -> Check {
    let check = |found: String| Check::ok("kernel.user_namespaces", Group::Isolation, WHY, found);
    match &host.namespaces.trial {
        NamespaceTrial::Worked => check("made by a launcher of ours, and a capability worked inside".to_owned()),
        NamespaceTrial::Refused { stage, why } => {
            let executable = std::env::current_exe().ok();
            let (cause, remedies) = explain(host, executable.as_deref());
            let mut check = check(format!("refused while {stage}: {why}; {cause}")).with_status(Status::Missing);
            check.remedies = remedies;
            check
        }
        NamespaceTrial::NotTried { why } => check(format!("could not be tried: {why}")).with_status(Status::Unknown),
        _ => check("the trial ended in a way that is not known here".to_owned()).with_status(Status::Unknown),
    }
}

/// Why the kernel refused, by what the host has set, and what to do. The first cause that is seen is the one that is named:
/// a limit of zero and the distributions' switches refuse by themselves, whatever else there is.
fn explain(host: &HostFacts, executable: Option<&Path>) -> (String, Vec<Remedy>) {
    let settings = &host.namespaces.settings;
    if settings.most == Some(0) {
        let persist = "echo user.max_user_namespaces=15000 | sudo tee /etc/sysctl.d/60-execres.conf";
        return (
            "user.max_user_namespaces is 0".to_owned(),
            vec![Remedy::commands(
                "Allow user namespaces, now and after the next boot:",
                ["sudo sysctl -w user.max_user_namespaces=15000", persist],
            )],
        );
    }
    if settings.unprivileged_clone == Some(0) && host.identity.uid != 0 {
        let persist = "echo kernel.unprivileged_userns_clone=1 | sudo tee /etc/sysctl.d/60-execres.conf";
        return (
            "kernel.unprivileged_userns_clone is 0".to_owned(),
            vec![Remedy::commands(
                "Allow user namespaces to ordinary users, now and after the next boot:",
                ["sudo sysctl -w kernel.unprivileged_userns_clone=1", persist],
            )],
        );
    }
    if settings.apparmor_restricts == Some(1) && host.identity.uid != 0 {
        let executable = executable.unwrap_or(Path::new("/usr/local/bin/execres"));
        return (
            "AppArmor restricts them (kernel.apparmor_restrict_unprivileged_userns is 1)".to_owned(),
            vec![
                Remedy::commands(
                    format!("Allow them to this program alone, {}:", executable.display()),
                    [apparmor_profile(executable), "sudo apparmor_parser -r /etc/apparmor.d/execres".to_owned()],
                ),
                Remedy::commands(
                    "Or allow them to every program until the next boot, which gives up what Ubuntu protects by it:",
                    ["sudo sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"],
                ),
            ],
        );
    }
    if let Some(container) = &host.container {
        let remedy = match container.engine.as_str() {
            "docker" | "podman" => Remedy::commands(
                "Start the container with a seccomp profile that allows unshare, clone and mount, and with an uncovered /proc:",
                [format!(
                    "{} run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt {} …",
                    container.engine,
                    if container.engine == "docker" { "systempaths=unconfined" } else { "unmask=ALL" },
                )],
            ),
            "kubernetes" => Remedy::advice(
                "In the pod's securityContext set seccompProfile.type to Unconfined (or to a profile that allows unshare, \
                 clone and mount) and procMount to Unmasked, with hostUsers: false.",
            ),
            _ => Remedy::advice("Let the container make user namespaces: for LXC, set security.nesting to true."),
        };
        let filter = if host.seccomp.mode == Some(SeccompMode::Filter) { ", under a system-call filter" } else { "" };
        return (format!("this is a container ({}{filter})", container.engine), vec![remedy]);
    }
    if host.seccomp.mode == Some(SeccompMode::Filter) {
        return (
            "this process is under a system-call filter of somebody else's".to_owned(),
            vec![Remedy::advice(
                "Start it outside what put it under the filter: a service with RestrictNamespaces= or SystemCallFilter=, or \
                 another sandbox.",
            )],
        );
    }
    (
        "no setting of this host says why".to_owned(),
        vec![Remedy::advice(
            "Ask whoever hardened this kernel; a security module (SELinux, AppArmor) can refuse them too.",
        )],
    )
}

/// Writes the one profile that Ubuntu asks for. It confines nothing, and lets this program make user namespaces.
///
/// Line by line and not as a here-document, so that it can be copied from an indented text.
fn apparmor_profile(executable: &Path) -> String {
    let mut path = String::new();
    for character in executable.display().to_string().chars() {
        match character {
            // AppArmor reads these as parts of a pattern.
            '\\' | '"' | '*' | '?' | '[' | ']' | '{' | '}' | '^' | '@' => path.extend(['\\', character]),
            // The shell would take it for the end of the line's quotes.
            '\'' => path.push_str("'\\''"),
            _ => path.push(character),
        }
    }
    let profile = format!("profile execres \"{path}\" flags=(unconfined) {{");
    let lines = ["abi <abi/4.0>,", "include <tunables/global>", &profile, "  userns,", "}"];
    let quoted: Vec<String> = lines.iter().map(|line| format!("  '{line}' \\\n")).collect();
    format!("printf '%s\\n' \\\n{}  | sudo tee /etc/apparmor.d/execres", quoted.concat())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::surroundings::tests::host;

    fn refused(change: impl FnOnce(&mut HostFacts)) -> Check {
        let mut facts = host();
        facts.namespaces.trial =
            NamespaceTrial::Refused { stage: "using a capability inside a user namespace", why: "refused".into() };
        facts.identity.uid = 1000;
        facts.container = None;
        facts.seccomp.mode = Some(SeccompMode::Off);
        change(&mut facts);
        check(&facts)
    }

    #[test]
    fn ubuntu_gets_the_whole_profile_with_the_path_of_this_program() {
        let check = refused(|host| host.namespaces.settings.apparmor_restricts = Some(1));
        assert_eq!(check.status, Status::Missing);
        assert!(check.found.contains("AppArmor"), "{}", check.found);
        let profile = &check.remedies[0].commands[0];
        let path = std::env::current_exe().unwrap();
        assert!(profile.contains(&format!("profile execres \"{}\" flags=(unconfined)", path.display())), "{profile}");
        assert_eq!(
            profile.lines().map(str::trim).collect::<Vec<_>>().join("\n").replace(&path.display().to_string(), "PATH"),
            "printf '%s\\n' \\\n'abi <abi/4.0>,' \\\n'include <tunables/global>' \\\n'profile execres \"PATH\" \
             flags=(unconfined) {' \\\n'  userns,' \\\n'}' \\\n| sudo tee /etc/apparmor.d/execres"
        );
        assert_eq!(check.remedies[0].commands[1], "sudo apparmor_parser -r /etc/apparmor.d/execres");
        let odd = apparmor_profile(Path::new("/opt/my {tools}/it's"));
        assert!(odd.contains(r#""/opt/my \{tools\}/it'\''s""#), "{odd}");
    }

    #[test]
    fn each_setting_has_its_own_remedy_and_root_is_not_told_of_those_that_spare_it() {
        let command = |check: Check| check.remedies[0].commands.first().cloned().unwrap_or_default();
        let most = refused(|host| host.namespaces.settings.most = Some(0));
        assert_eq!(command(most), "sudo sysctl -w user.max_user_namespaces=15000");
        let debian = refused(|host| host.namespaces.settings.unprivileged_clone = Some(0));
        assert_eq!(command(debian), "sudo sysctl -w kernel.unprivileged_userns_clone=1");
        let root = refused(|host| {
            host.namespaces.settings.unprivileged_clone = Some(0);
            host.identity.uid = 0;
        });
        assert!(root.found.contains("no setting"), "{}", root.found);
    }

    #[test]
    fn a_container_is_named_with_the_option_of_its_engine() {
        use execres_isolation::host::Container;
        for (engine, says) in [("docker", "systempaths=unconfined"), ("podman", "unmask=ALL")] {
            let check = refused(|host| {
                host.container = Some(Container::named(engine));
                host.seccomp.mode = Some(SeccompMode::Filter);
            });
            assert!(check.found.contains(engine), "{}", check.found);
            assert!(check.remedies[0].commands[0].contains(says), "{:?}", check.remedies);
        }
        let filtered = refused(|host| host.seccomp.mode = Some(SeccompMode::Filter));
        assert!(filtered.found.contains("filter of somebody else's"), "{}", filtered.found);
    }
}
