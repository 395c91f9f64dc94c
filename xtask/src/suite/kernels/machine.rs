//! The machines: which kernel each boots, what is taken from it, and what runs there as whom.

use std::time::Duration;

use super::kernel::Release;
use crate::suite::Size;

/// A machine that is made for the tests.
#[derive(Debug)]
pub(super) struct Machine {
    pub(super) name: &'static str,
    pub(super) release: Release,
    /// What the kernel is told on its command line, beyond what every guest needs.
    pub(super) parameters: &'static str,
    steps: &'static [Step],
}

#[derive(Debug)]
enum Step {
    /// Every test binary of a list, by each of some users.
    Tests { smoke: &'static [Tests], full: &'static [Tests], users: &'static [User] },
    /// The test of a host that refuses, after the shell lines that make it one.
    Refusal { name: &'static str, prepare: &'static str, user: User, names: &'static str, wrapper: &'static str },
}

/// A test binary, and parts of names of its tests where not all of them run.
type Tests = (&'static str, &'static str);

/// Who runs tests, and what control groups that one has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum User {
    Root,
    /// Whose service manager delegated a subtree.
    Delegated,
    /// Who owns no group.
    Ordinary,
}

/// One test binary, run once.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) label: String,
    pub(super) binary: &'static str,
    pub(super) user: User,
    /// Shell lines before it.
    pub(super) prepare: &'static str,
    /// What is put before the binary: variables, or a program that confines it.
    pub(super) wrapper: String,
    pub(super) arguments: &'static str,
    pub(super) patience: Duration,
}

/// How long one test binary may take. Emulation is about ten times slower than the machine.
const fn patience(size: Size) -> Duration {
    Duration::from_secs(match size {
        Size::Smoke => 180,
        Size::Full => 600,
    })
}

const EVERYBODY: &[User] = &[User::Root, User::Delegated, User::Ordinary];
/// Without the test that only a step [`Step::Refusal`] makes a host for.
const REFUSED: Tests = ("refused", "--skip a_host_that_is_known_to_refuse_names_the_setting");
const QUICK: &[Tests] = &[("launch", ""), ("evidence", ""), REFUSED];
/// What a memory controller is for; the other limits are the same everywhere.
const CONTROLLER: Tests = ("limits", "memory_of_every_kind a_memory_limit the_peak processes_and_threads");
const EVERYTHING: &[Tests] = &[
    ("execres_isolation", ""),
    ("launch", ""),
    ("evidence", ""),
    ("probe", ""),
    REFUSED,
    ("contain", ""),
    ("limits", ""),
    ("unconfined", ""),
    ("supervise", ""),
    ("host_death", ""),
];

/// The test that asks a host that refuses for the reason.
const REFUSAL: &str = "a_host_that_is_known_to_refuse_names_the_setting";

/// An AppArmor profile like the one that Ubuntu puts on programs that have none: a user namespace can be made, and no
/// capability in it is of use.
const APPARMOR: &str = "apparmor_parser --skip-cache --replace <<'PROFILE'\n\
                        profile execres-no-capabilities flags=(attach_disconnected, mediate_deleted) { file, network, signal, ptrace, unix, }\n\
                        PROFILE";

pub(super) static ALL: &[Machine] = &[
    Machine {
        name: "stable",
        release: Release::Stable,
        parameters: "",
        steps: &[
            Step::Tests { smoke: QUICK, full: EVERYTHING, users: EVERYBODY },
            Step::Tests { smoke: &[CONTROLLER, ("contain", "")], full: &[], users: &[User::Delegated] },
            Step::Tests { smoke: &[("limits", "a_memory_limit the_peak")], full: &[], users: &[User::Root] },
        ],
    },
    Machine {
        name: "backports",
        release: Release::Backports,
        parameters: "",
        steps: &[
            Step::Tests { smoke: QUICK, full: EVERYTHING, users: &[User::Root, User::Ordinary] },
            // How the controller counts has changed between the two.
            Step::Tests { smoke: &[("limits", "the_peak")], full: EVERYTHING, users: &[User::Delegated] },
        ],
    },
    Machine {
        name: "no-landlock",
        release: Release::Stable,
        parameters: "lsm=lockdown,yama,apparmor,bpf",
        steps: &[Step::Tests { smoke: &[("evidence", "")], full: EVERYTHING, users: &[User::Root, User::Ordinary] }],
    },
    Machine {
        name: "refusing",
        release: Release::Stable,
        parameters: "apparmor=1 security=apparmor",
        steps: &[
            Step::Refusal {
                name: "apparmor",
                prepare: APPARMOR,
                user: User::Ordinary,
                names: "does not let programs make the namespaces of a sandbox",
                wrapper: "aa-exec -p execres-no-capabilities --",
            },
            Step::Refusal {
                name: "unprivileged_userns_clone",
                prepare: "echo 0 >/proc/sys/kernel/unprivileged_userns_clone",
                user: User::Ordinary,
                names: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
                wrapper: "",
            },
            // Root as well: the namespace of a run is made inside the launcher's, where nobody is the machine's root.
            Step::Refusal {
                name: "unprivileged_userns_clone",
                prepare: "",
                user: User::Root,
                names: "sudo sysctl -w kernel.unprivileged_userns_clone=1",
                wrapper: "",
            },
            Step::Refusal {
                name: "max_user_namespaces",
                prepare: "echo 1 >/proc/sys/kernel/unprivileged_userns_clone; echo 0 >/proc/sys/user/max_user_namespaces",
                user: User::Root,
                names: "sudo sysctl -w user.max_user_namespaces=15000",
                wrapper: "",
            },
            Step::Refusal {
                name: "max_user_namespaces",
                prepare: "",
                user: User::Ordinary,
                names: "sudo sysctl -w user.max_user_namespaces=15000",
                wrapper: "",
            },
            Step::Tests {
                smoke: &[("unconfined", "")],
                full: &[("unconfined", "")],
                users: &[User::Root, User::Ordinary],
            },
        ],
    },
];

impl User {
    pub(super) fn name(self) -> &'static str {
        match self {
            User::Root => "root",
            User::Delegated => "delegated",
            User::Ordinary => "ordinary",
        }
    }
}

impl Machine {
    pub(super) fn jobs(&self, size: Size) -> Vec<Job> {
        self.steps.iter().flat_map(|step| step.jobs(size)).collect()
    }
}

impl Step {
    fn jobs(&self, size: Size) -> Vec<Job> {
        match self {
            Step::Tests { smoke, full, users } => {
                let binaries = if size == Size::Smoke { smoke } else { full };
                let each = binaries.iter().flat_map(|tests| users.iter().map(move |user| (*tests, *user)));
                each.map(|((binary, arguments), user)| Job {
                    label: format!("{binary}-{}", user.name()),
                    binary,
                    user,
                    prepare: "",
                    wrapper: String::new(),
                    arguments,
                    patience: patience(size),
                })
                .collect()
            }
            Step::Refusal { name, prepare, user, names, wrapper } => vec![Job {
                label: format!("{name}-{}", user.name()),
                binary: "refused",
                user: *user,
                prepare,
                wrapper: format!("'EXECRES_TEST_REFUSAL={names}' {wrapper}"),
                arguments: REFUSAL,
                patience: patience(size),
            }],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn no_two_jobs_of_a_machine_have_one_label() {
        for machine in ALL {
            for size in [Size::Smoke, Size::Full] {
                let jobs = machine.jobs(size);
                let labels: BTreeSet<&String> = jobs.iter().map(|job| &job.label).collect();
                assert!(!jobs.is_empty() && labels.len() == jobs.len(), "{}: {labels:?}", machine.name);
            }
        }
    }
}
