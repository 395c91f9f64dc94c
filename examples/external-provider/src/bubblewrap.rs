//! The one profile: what a program in bubblewrap has.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use execres::code::GuestLayout;
use execres::isolation::Step;

/// Bubblewrap on this machine.
#[derive(Debug, Clone)]
pub(crate) struct Bubblewrap(PathBuf);

/// The directories of the host that a program has, and the name of its machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Roots<'a> {
    pub(crate) source: &'a Path,
    pub(crate) build: &'a Path,
    pub(crate) output: &'a Path,
    pub(crate) hostname: &'a str,
}

/// Makes a directory of this name below `build` before the program starts: bubblewrap's own failures have the exit code 1, which a
/// program can have too.
pub(crate) const STARTED: &str = ".bubblewrap-started-";

impl Bubblewrap {
    /// Where distributions put it. A search path is no good word for something that has to keep others in.
    pub(crate) const USUAL_PLACE: &'static str = "/usr/bin/bwrap";

    /// Bubblewrap at this place, if something is there.
    pub(crate) fn at(place: &Path) -> Option<Self> {
        place.is_file().then(|| Bubblewrap(place.to_owned()))
    }

    /// A step that runs a program in the profile. Variables are given to the step and not among the arguments, which every user of
    /// the machine can read.
    pub(crate) fn step(
        &self,
        number: usize,
        roots: Roots<'_>,
        program: &Path,
        arguments: impl IntoIterator<Item = impl Into<OsString>>,
    ) -> Step {
        let (source, build, output) = (GuestLayout::SOURCE, GuestLayout::BUILD, GuestLayout::OUTPUT);
        let mut all: Vec<OsString> = Vec::new();
        let mut add = |words: &[&OsStr]| all.extend(words.iter().map(|word| (*word).to_owned()));
        let s = OsStr::new;
        // Namespaces of its own for everything, and none further inside.
        add(&[s("--unshare-user"), s("--disable-userns"), s("--unshare-all"), s("--hostname"), s(roots.hostname)]);
        // Nothing lives longer than who started it, and no terminal is shared that could be written to.
        add(&[s("--die-with-parent"), s("--new-session"), s("--cap-drop"), s("ALL")]);
        // The system, for reading, and nothing else of the host.
        add(&[s("--ro-bind"), s("/usr"), s("/usr")]);
        for directory in ["bin", "sbin", "lib", "lib64"] {
            add(&[s("--symlink"), s(&format!("usr/{directory}")), s(&format!("/{directory}"))]);
        }
        for file in ["/etc/alternatives", "/etc/ld.so.cache"] {
            add(&[s("--ro-bind-try"), s(file), s(file)]);
        }
        add(&[s("--proc"), s("/proc"), s("--dev"), s("/dev"), s("--tmpfs"), s("/tmp")]);
        // The roots of the grant. The output is in the working directory and beside it.
        add(&[s("--ro-bind"), roots.source.as_os_str(), s(source)]);
        add(&[s("--bind"), roots.output.as_os_str(), s(&format!("{source}/output"))]);
        add(&[s("--bind"), roots.output.as_os_str(), s(output)]);
        add(&[s("--bind"), roots.build.as_os_str(), s(build)]);
        add(&[s("--chdir"), s(source), s("--")]);
        let start = format!("mkdir {build}/{STARTED}{number} && exec \"$@\"");
        add(&[s("/bin/sh"), s("-c"), s(&start), s("sh"), program.as_os_str()]);
        all.extend(arguments.into_iter().map(Into::into));
        Step::new(&self.0, all).with_variable("PATH", "/usr/local/bin:/usr/bin:/bin").with_variable("HOME", "/tmp")
    }
}
