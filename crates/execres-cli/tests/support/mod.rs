//! A place of its own for each test, and a look at the processes of the machine.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// The command under test.
pub(crate) const EXECRES: &str = env!("CARGO_BIN_EXE_execres");

/// Directories of a test's own: where it is run, what is temporary, and the register of what would outlive it.
pub(crate) struct Home {
    root: tempfile::TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        for name in ["here", "tmp"] {
            fs::create_dir(root.path().join(name)).unwrap();
        }
        Home { root }
    }

    /// The working directory.
    pub(crate) fn directory(&self) -> PathBuf {
        self.root.path().join("here")
    }

    /// A file in the working directory; its path.
    pub(crate) fn file(&self, name: &str, content: &str) -> String {
        let path = self.directory().join(name);
        fs::write(&path, content).unwrap();
        path.to_str().unwrap().to_owned()
    }

    pub(crate) fn execres(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(EXECRES);
        command.args(arguments);
        self.set_up(&mut command);
        command
    }

    pub(crate) fn set_up<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command
            .current_dir(self.directory())
            .env("EXECRES_STATE_DIR", self.root.path().join("state"))
            .env("TMPDIR", self.root.path().join("tmp"))
            .stdin(std::process::Stdio::null())
    }

    /// What runs left among temporary files and in the register.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let list = |name: &str| {
            let entries = fs::read_dir(self.root.path().join(name)).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect::<Vec<_>>()
        };
        [list("tmp"), list("state/owners")].concat()
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.leftovers().is_empty()
    }
}

/// A file of the examples.
pub(crate) fn example(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(path).to_str().unwrap().to_owned()
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub(crate) fn line(bytes: &[u8]) -> String {
    text(bytes).lines().next().unwrap_or_default().to_owned()
}

/// How many processes of this machine have exactly this command line.
pub(crate) fn count(command: &[&str]) -> usize {
    let wanted: Vec<u8> = command.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect();
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok()).filter(|line| *line == wanted).count()
}

/// Children of all threads of a process.
pub(crate) fn children(pid: u32) -> Vec<i32> {
    let threads = fs::read_dir(format!("/proc/{pid}/task")).unwrap().flatten();
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    lists
        .flat_map(|list| list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok()).collect::<Vec<_>>())
        .collect()
}

/// Whether a process is a launcher, which is no longer told of one that is only waiting to be collected.
pub(crate) fn is_launcher(pid: i32) -> bool {
    fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|line| line.starts_with(b"execres-launcher\0"))
}

pub(crate) fn running(command: &[&str]) -> bool {
    count(command) > 0
}

/// Waits for something that has to come; the bound only tells that from something that never does.
pub(crate) fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let started = Instant::now();
    while !condition() {
        assert!(started.elapsed() < Duration::from_secs(20), "{what}: it did not come");
        std::thread::yield_now();
    }
}
