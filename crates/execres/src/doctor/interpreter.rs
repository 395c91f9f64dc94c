//! Interpreters and compilers that programs may start themselves.

use super::install::Packages;
use super::program::{Locate, Programs, Wanted};
use super::report::{Check, Group};

const WHY: &str = "programs and their builds may start it";

const WANTED: [Wanted; 4] = [
    Wanted {
        id: "tool.go",
        group: Group::Interpreters,
        names: &["go"],
        version_args: &["version"],
        locate: Some(Locate { args: &["env", "GOROOT"], below: "bin/go" }),
        // Without a home it keeps no counters, and it fetches no other version of itself.
        variables: &[("HOME", "/nonexistent"), ("GOTOOLCHAIN", "local")],
        why: WHY,
        packages: Packages { apt: "golang-go", dnf: "golang", pacman: "go", apk: "go" },
        otherwise: "Get it from https://go.dev/dl/.",
    },
    Wanted {
        id: "tool.rustc",
        group: Group::Interpreters,
        names: &["rustc"],
        version_args: &["--version"],
        locate: Some(Locate { args: &["--print", "sysroot"], below: "bin/rustc" }),
        // A shim of rustup would fetch what a directory's file asks for.
        variables: &[("RUSTUP_AUTO_INSTALL", "0")],
        why: WHY,
        packages: Packages { apt: "rustc", dnf: "rust", pacman: "rust", apk: "rust" },
        otherwise: "Get it from https://rustup.rs/.",
    },
    Wanted {
        id: "tool.perl",
        group: Group::Interpreters,
        names: &["perl"],
        version_args: &["-e", "printf '%vd', $^V"],
        locate: Some(Locate { args: &["-e", "print $^X"], below: "" }),
        variables: &[],
        why: WHY,
        packages: Packages::named("perl"),
        otherwise: "Install it, and put it on the search path.",
    },
    Wanted {
        id: "tool.ruby",
        group: Group::Interpreters,
        names: &["ruby"],
        version_args: &["--version"],
        locate: Some(Locate { args: &["-e", "print RbConfig.ruby"], below: "" }),
        variables: &[],
        why: WHY,
        packages: Packages::named("ruby"),
        otherwise: "Install it, and put it on the search path.",
    },
];

pub(super) async fn checks(programs: &Programs) -> Vec<Check> {
    let mut checks = Vec::new();
    for wanted in &WANTED {
        checks.push(programs.check(wanted).await);
    }
    checks
}
