//! The programs that the suites use, and the Debian package of each.

use std::path::Path;

use crate::checkout::find_program;

/// A program that some suite uses, or a file of a package that has none.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Need {
    pub(super) program: &'static str,
    package: &'static str,
    pub(super) what_for: &'static str,
}

/// Where Debian's package has it.
const NUMPY: &str = "/usr/lib/python3/dist-packages/numpy/__init__.py";

static NEEDS: &[Need] = &[
    Need { program: "python3", package: "python3", what_for: "Python programs" },
    Need { program: NUMPY, package: "python3-numpy", what_for: "numpy in the suite runtimes" },
    Need { program: "node", package: "nodejs", what_for: "Node.js programs" },
    Need { program: "bash", package: "bash", what_for: "shell programs" },
    Need { program: "gcc", package: "gcc", what_for: "C programs, and the linker of Rust" },
    Need { program: "g++", package: "g++", what_for: "C++ programs" },
    Need { program: "git", package: "git", what_for: "the clean copy of the suite readme, and the suite runtimes" },
    Need { program: "setpriv", package: "util-linux", what_for: "the suite user" },
    Need { program: "bwrap", package: "bubblewrap", what_for: "the example of an external provider" },
    Need { program: "ip", package: "iproute2", what_for: "looking at network namespaces from outside" },
    Need { program: "dockerd", package: "docker.io", what_for: "the ladder inside containers" },
    Need { program: "setfattr", package: "attr", what_for: "canaries with extended attributes" },
    Need { program: "qemu-system-x86_64", package: "qemu-system-x86", what_for: "the machines of the suite kernels" },
    Need { program: "busybox", package: "busybox-static", what_for: "what a machine of the suite kernels boots into" },
    Need { program: "apparmor_parser", package: "apparmor", what_for: "AppArmor in a machine of the suite kernels" },
];

/// What is neither on this process's search path nor a file that is there.
pub(super) fn missing() -> Vec<&'static Need> {
    NEEDS.iter().filter(|need| find_program(need.program).is_none() && !is_file_of_its_own(need.program)).collect()
}

fn is_file_of_its_own(name: &str) -> bool {
    let path = Path::new(name);
    path.is_absolute() && path.is_file()
}

/// The packages to install, each once.
pub(super) fn packages(needs: &[&'static Need]) -> Vec<&'static str> {
    let mut packages: Vec<_> = needs.iter().map(|need| need.package).collect();
    packages.sort_unstable();
    packages.dedup();
    packages
}
