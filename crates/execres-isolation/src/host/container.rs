//! The container that this process is in.

use std::path::Path;

use serde::Serialize;

use super::setting;

/// A container around this process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Container {
    /// What made it, as it says itself: `docker`, `podman`, `lxc`, `systemd-nspawn`, `kubernetes` or `unknown`.
    pub engine: String,
    /// What gives it away.
    pub mark: String,
}

/// What can be seen of a container.
#[derive(Debug, Default)]
struct Marks<'a> {
    docker_file: bool,
    podman_file: bool,
    kubernetes: bool,
    /// The variable `container` of process 1, or of this process.
    variable: Option<&'a str>,
    /// Groups of process 1.
    groups: &'a str,
}

impl Container {
    /// A container of this engine, for tests of what is said of one.
    #[doc(hidden)]
    pub fn named(engine: &str) -> Self {
        Container { engine: engine.to_owned(), mark: "a test".to_owned() }
    }

    pub(super) fn around_this_process() -> Option<Self> {
        let first = std::fs::read("/proc/1/environ").unwrap_or_default();
        let of_first = first.split(|byte| *byte == 0).find_map(|line| line.strip_prefix(b"container="));
        let variable = of_first.map(|value| String::from_utf8_lossy(value).into_owned());
        let variable = variable.or_else(|| std::env::var("container").ok());
        let groups = setting::read("/proc/1/cgroup").unwrap_or_default();
        Container::from_marks(&Marks {
            docker_file: Path::new("/.dockerenv").exists(),
            podman_file: Path::new("/run/.containerenv").exists(),
            kubernetes: std::env::var_os("KUBERNETES_SERVICE_HOST").is_some(),
            variable: variable.as_deref(),
            groups: &groups,
        })
    }

    fn from_marks(marks: &Marks<'_>) -> Option<Self> {
        let container = |engine: &str, mark: &str| Some(Container { engine: engine.into(), mark: mark.into() });
        if marks.kubernetes {
            return container("kubernetes", "KUBERNETES_SERVICE_HOST is set");
        }
        if marks.podman_file {
            return container("podman", "/run/.containerenv");
        }
        if marks.docker_file {
            return container("docker", "/.dockerenv");
        }
        if let Some(value) = marks.variable.filter(|value| !value.is_empty()) {
            // Others may set it: only a plain name is repeated.
            let plain = value.len() < 40 && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            return container(if plain { value } else { "unknown" }, "the variable `container` of process 1");
        }
        for (part, engine) in [
            ("/kubepods", "kubernetes"),
            ("/docker", "docker"),
            ("/libpod", "podman"),
            ("/lxc", "lxc"),
            ("/machine.slice/machine-", "systemd-nspawn"),
        ] {
            if marks.groups.contains(part) {
                return container(engine, "the cgroup of process 1");
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(marks: Marks<'_>) -> Option<String> {
        Container::from_marks(&marks).map(|container| container.engine)
    }

    #[test]
    fn each_engine_is_known_by_its_marks() {
        assert_eq!(engine(Marks { docker_file: true, ..Marks::default() }).as_deref(), Some("docker"));
        assert_eq!(engine(Marks { podman_file: true, ..Marks::default() }).as_deref(), Some("podman"));
        let kubernetes = Marks { kubernetes: true, docker_file: true, ..Marks::default() };
        assert_eq!(engine(kubernetes).as_deref(), Some("kubernetes"));
        assert_eq!(engine(Marks { variable: Some("lxc"), ..Marks::default() }).as_deref(), Some("lxc"));
        assert_eq!(engine(Marks { variable: Some("\u{1b}[2J"), ..Marks::default() }).as_deref(), Some("unknown"));
        let v1 = "12:memory:/docker/4f1c0\n0::/docker/4f1c0\n";
        assert_eq!(engine(Marks { groups: v1, ..Marks::default() }).as_deref(), Some("docker"));
    }

    #[test]
    fn an_ordinary_host_is_no_container() {
        assert_eq!(engine(Marks { groups: "0::/init.scope\n", ..Marks::default() }), None);
    }
}
