//! The suites: what each is called, what it needs, and how it runs.

mod attacks;
mod cargo_tests;
mod commands;
mod deny;
mod examples;
mod formatting;
mod kernels;
mod readme;
mod test_binaries;
mod tidiness;
mod user;

use std::fmt;

use crate::checkout::Checkout;
use crate::report::Report;

pub(crate) use user::account;

/// What every suite is given.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) checkout: Checkout,
    pub(crate) size: Size,
    pub(crate) strictness: Strictness,
}

/// How much of each suite runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// What a change waits for.
    Smoke,
    /// Everything.
    Full,
}

/// What becomes of something that did not run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// It is printed.
    Local,
    /// It is a failure, unless it is optional.
    Ci,
}

/// One suite.
#[derive(Debug)]
pub(crate) struct Suite {
    pub(crate) name: &'static str,
    /// What it shows.
    about: &'static str,
    /// What it needs from the machine.
    needs: &'static str,
    pub(crate) run: fn(&Context) -> Report,
}

/// All suites, in the order in which they run: quick ones first.
static SUITES: &[Suite] = &[
    Suite {
        name: "tidy",
        about: "the shape of the workspace: edges, sizes, names, bans, guarantees, links",
        needs: "nothing",
        run: tidiness::run,
    },
    Suite {
        name: "fmt",
        about: "every Rust source is formatted, also those that no module tree reaches",
        needs: "rustfmt",
        run: formatting::run,
    },
    Suite { name: "clippy", about: "no warning in any target of any crate", needs: "clippy", run: commands::clippy },
    Suite {
        name: "doc",
        about: "the API documentation builds without a warning",
        needs: "nothing",
        run: commands::doc,
    },
    Suite {
        name: "unit",
        about: "the unit tests of every crate",
        needs: "a C compiler as linker",
        run: cargo_tests::unit,
    },
    Suite {
        name: "integration",
        about: "the tests/ directories of the crates, with real sandboxes",
        needs: "Linux with user namespaces; python3, node, bash, gcc, g++",
        run: cargo_tests::integration,
    },
    Suite {
        name: "manager",
        about: "the manager by itself: its tests, and its state machine in orders of steps that shuttle chooses",
        needs: "setsid for the tests at a terminal",
        run: cargo_tests::manager,
    },
    Suite {
        name: "cli",
        about: "the execres command from outside",
        needs: "as integration",
        run: cargo_tests::command_line,
    },
    Suite {
        name: "runtimes",
        about: "real programs of every usual language in the default profile; optional where a large tool is missing",
        needs: "as integration; git, perl, python3-numpy; go, rustc, javac, npm, pandas, matplotlib, sklearn if they are there",
        run: cargo_tests::runtimes,
    },
    Suite { name: "docs", about: "the examples in the documentation", needs: "nothing", run: cargo_tests::doctests },
    Suite {
        name: "examples",
        about: "every example program in the sandbox, and the programs that embed the manager",
        needs: "as integration",
        run: examples::run,
    },
    Suite {
        name: "user",
        about: "the isolation and command line tests again, as an unprivileged user",
        needs: "root, setpriv, an account execres-test or nobody",
        run: user::run,
    },
    Suite {
        name: "kernels",
        about: "the sandbox on other kernels: cgroup v2, older Landlock, AppArmor, no user namespaces; optional where no \
                kernel of Debian's can be had",
        needs: "qemu-system-x86, busybox, Debian's mirror or a kernel in the cache",
        run: kernels::run,
    },
    Suite {
        name: "attacks",
        about: "every attack of the corpus under every configuration, as this user and as an unprivileged one",
        needs: "as integration; setpriv and unshare for controls; as root an account execres-test or nobody",
        run: attacks::run,
    },
    Suite {
        name: "readme",
        about: "the README's first command on a clean copy of the checkout, from nothing",
        needs: "--ci or --full; git, python3, crates from the registry or its cache",
        run: readme::run,
    },
    Suite {
        name: "deny",
        about: "bans, licences and sources of every dependency; optional where cargo-deny is not installed",
        needs: "cargo-deny",
        run: deny::run,
    },
];

/// A suite's name that does not exist.
#[derive(Debug, thiserror::Error)]
#[error("there is no suite `{name}`; `cargo xtask suites` lists them")]
pub(crate) struct UnknownSuite {
    name: String,
}

/// The suites of these names in their own order, or all of them when no name is given.
pub(crate) fn select(names: &[String]) -> Result<Vec<&'static Suite>, UnknownSuite> {
    if let Some(name) = names.iter().find(|name| SUITES.iter().all(|suite| suite.name != **name)) {
        return Err(UnknownSuite { name: name.clone() });
    }
    Ok(SUITES.iter().filter(|suite| names.is_empty() || names.iter().any(|name| name == suite.name)).collect())
}

/// Prints every suite with what it shows and what it needs.
pub(crate) fn print_list() {
    for suite in SUITES {
        println!("{:<12} {}\n{:<12} needs: {}", suite.name, suite.about, "", suite.needs);
    }
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Size::Smoke => "smoke",
            Size::Full => "full",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_select_in_the_order_of_the_table() {
        let chosen = select(&["unit".into(), "tidy".into()]).unwrap();
        assert_eq!(chosen.iter().map(|suite| suite.name).collect::<Vec<_>>(), ["tidy", "unit"]);
        assert_eq!(select(&[]).unwrap().len(), SUITES.len());
        assert!(select(&["nonsense".into()]).unwrap_err().to_string().contains("nonsense"));
    }
}
