//! Real programs of the usual languages in the default profile: `docs/runtimes.md` has a row for each test.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "a test fails by panicking, starts what it tests, and says why it did not run"
)]

#[allow(dead_code, reason = "tests of other commands use other parts")]
mod support;

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use support::{Home, example, text};

/// Where a guest looks for programs, and so do these tests: what lies elsewhere is not shown without a grant.
const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The system's interpreter, whose packages are the system's.
const PYTHON: &str = "/usr/bin/python3";

/// What programs with a shadow of their memory end with where no controller counts the memory of a run.
const NO_SHADOW: &str = "no shadow memory where memory is polled";

/// One program of `examples/runtimes`, and what it needs.
struct Row {
    file: &'static str,
    arguments: Vec<String>,
    options: Vec<String>,
    search_path: String,
    missing: Option<String>,
}

impl Row {
    fn new(file: &'static str) -> Self {
        let row = Row {
            file,
            arguments: Vec::new(),
            options: Vec::new(),
            search_path: SEARCH_PATH.to_owned(),
            missing: None,
        };
        let language = match Path::new(file).extension().and_then(|suffix| suffix.to_str()) {
            Some("py") => "python3",
            Some("js" | "mjs") => "node",
            Some("c") => "gcc",
            Some("cpp") => "g++",
            _ => "bash",
        };
        row.needing(language)
    }

    /// A program without which every suite lacks something.
    fn needing(mut self, program: &str) -> Self {
        if !has_program(program) {
            self.missing.get_or_insert_with(|| format!("{program} is not installed below /usr"));
        }
        self
    }

    /// A program that is too large to ask everybody for.
    fn with_optional(mut self, program: &str) -> Self {
        if !has_program(program) {
            self.missing.get_or_insert_with(|| format!("optional: {program} is not installed below /usr"));
        }
        self
    }

    fn with_module(mut self, module: &str) -> Self {
        if !has_module(module) {
            self.missing.get_or_insert_with(|| format!("{module} is not installed for {PYTHON}"));
        }
        self.search_path(Path::new(PYTHON).parent().unwrap())
    }

    fn with_optional_module(mut self, module: &str) -> Self {
        if !has_module(module) {
            self.missing.get_or_insert_with(|| format!("optional: {module} is not installed for {PYTHON}"));
        }
        self.search_path(Path::new(PYTHON).parent().unwrap())
    }

    fn argument(mut self, argument: impl Into<String>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    fn option(mut self, name: &str, value: &str) -> Self {
        self.options.extend([name.to_owned(), value.to_owned()]);
        self
    }

    fn search_path(mut self, place: &Path) -> Self {
        self.search_path = place.to_str().unwrap().to_owned();
        self
    }

    /// Runs it. It has to exit with 0, to print this at its end, and to leave nothing.
    fn ends_with(self, last_line: &str) {
        self.ends_with_one_of(&[last_line]);
    }

    fn ends_with_one_of(self, last_lines: &[&str]) {
        if let Some(reason) = self.missing {
            return skip(&reason);
        }
        let home = Home::new();
        let file = example(&format!("runtimes/{}", self.file));
        let mut words = vec!["run".to_owned(), file];
        words.extend(self.options);
        words.push("--".to_owned());
        words.extend(self.arguments);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = home.execres(&words).env("PATH", self.search_path).output().unwrap();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        let said = stdout.lines().last().unwrap_or_default();
        let as_it_should = output.status.success() && last_lines.contains(&said);
        assert!(as_it_should, "{}: {}\n{stdout}\n{stderr}", self.file, output.status);
        assert!(home.is_clean(), "{:?}", home.leftovers());
    }
}

fn skip(reason: &str) {
    let thread = std::thread::current();
    eprintln!("EXECRES-SKIP: {}: {reason}", thread.name().unwrap_or_default());
}

fn has_program(name: &str) -> bool {
    std::env::split_paths(SEARCH_PATH).map(|place| place.join(name)).any(|path| {
        // A link may lead out of what a guest sees.
        path.canonicalize().is_ok_and(|real| real.starts_with("/usr") && real.is_file())
    })
}

fn has_module(name: &str) -> bool {
    let find = format!("import importlib.util, sys; sys.exit(importlib.util.find_spec({name:?}) is None)");
    Command::new(PYTHON).args(["-c", &find]).status().is_ok_and(|status| status.success())
}

#[test]
fn python_numpy() {
    Row::new("numpy_threads.py").with_module("numpy").ends_with("numpy works");
}

#[test]
fn python_pandas() {
    Row::new("pandas_table.py").with_optional_module("pandas").ends_with("pandas works");
}

#[test]
fn python_matplotlib() {
    Row::new("matplotlib_figure.py").with_optional_module("matplotlib").ends_with("matplotlib works");
}

#[test]
fn python_scikit_learn() {
    Row::new("scikit_learn.py").with_optional_module("sklearn").ends_with("scikit-learn works");
}

#[test]
fn python_multiprocessing_fork() {
    Row::new("multiprocess.py").argument("fork").ends_with("multiprocessing with fork works");
}

#[test]
fn python_multiprocessing_spawn() {
    Row::new("multiprocess.py").argument("spawn").ends_with("multiprocessing with spawn works");
}

#[test]
fn python_multiprocessing_forkserver() {
    Row::new("multiprocess.py").argument("forkserver").ends_with("multiprocessing with forkserver works");
}

#[test]
fn python_concurrent_futures() {
    Row::new("concurrent_futures.py").ends_with("concurrent.futures works");
}

#[test]
fn python_asyncio() {
    Row::new("asyncio_subprocess.py").ends_with("asyncio works");
}

#[test]
fn python_sqlite3() {
    Row::new("sqlite.py").ends_with("sqlite3 works");
}

#[test]
fn python_tempfile() {
    Row::new("temporary_files.py").ends_with("tempfile works");
}

#[test]
fn python_ssl() {
    Row::new("tls.py").ends_with("ssl works");
}

#[test]
fn python_zoneinfo() {
    let row = Row::new("time_zones.py");
    if !Path::new("/usr/share/zoneinfo/Europe/Berlin").exists() {
        return skip("optional: there are no time zones below /usr/share/zoneinfo");
    }
    row.ends_with("zoneinfo works");
}

#[test]
fn python_subprocess_devnull() {
    Row::new("null_device.py").ends_with("DEVNULL works");
}

#[test]
fn python_server_with_loopback() {
    Row::new("loopback_server.py").option("--network", "loopback").ends_with("a server of the run's own works");
}

#[test]
fn python_venv_inside() {
    Row::new("venv_inside.py").ends_with("a virtual environment of the program's own works");
}

#[test]
fn python_venv_granted() {
    let row = Row::new("interpreter.py");
    if row.missing.is_some() {
        return row.ends_with("");
    }
    let person = Person::new();
    let place = person.home().join(".venv");
    let made = Command::new(PYTHON).args(["-m", "venv", "--without-pip"]).arg(&place).status().unwrap();
    assert!(made.success());
    let libraries = fs::read_dir(place.join("lib")).unwrap().flatten();
    let packages = libraries.map(|entry| entry.path().join("site-packages")).find(|path| path.is_dir()).unwrap();
    fs::write(packages.join("greeting.py"), "TEXT = 'hello'\n").unwrap();
    row.search_path(&place.join("bin"))
        .argument(place.to_str().unwrap())
        .argument("with a package")
        .ends_with("an interpreter under a home works");
}

#[test]
fn python_version_managed() {
    let row = Row::new("interpreter.py");
    if row.missing.is_some() {
        return row.ends_with("");
    }
    let binary = Path::new(PYTHON).canonicalize().unwrap();
    let name = binary.file_name().unwrap();
    let library = Path::new("/usr/lib").join(name);
    if !library.join("os.py").is_file() {
        return skip("optional: the library of /usr/bin/python3 is not where Debian has it");
    }
    // An installation as a version manager has it, and the script that leads to it.
    let person = Person::new();
    let place = person.home().join(".pyenv/versions/own");
    for directory in ["bin", "lib"] {
        fs::create_dir_all(place.join(directory)).unwrap();
    }
    fs::copy(&binary, place.join("bin").join(name)).unwrap();
    symlink(name, place.join("bin/python3")).unwrap();
    let copied = Command::new("cp").arg("-r").arg(&library).arg(place.join("lib")).status().unwrap();
    assert!(copied.success());
    let shims = person.home().join(".pyenv/shims");
    fs::create_dir(&shims).unwrap();
    let shim = shims.join("python3");
    fs::write(&shim, format!("#!/bin/sh\nexec {}/bin/python3 \"$@\"\n", place.display())).unwrap();
    fs::set_permissions(&shim, fs::Permissions::from_mode(0o755)).unwrap();
    row.search_path(&shims).argument(place.to_str().unwrap()).ends_with("an interpreter under a home works");
}

/// A person's home with a letter in it, at a place where a guest has nothing of its own.
struct Person(tempfile::TempDir);

impl Person {
    fn new() -> Self {
        let person = Person(tempfile::Builder::new().prefix("execres-runtimes-").tempdir_in("/var/tmp").unwrap());
        fs::write(person.home().join("letter.txt"), "private").unwrap();
        person
    }

    fn home(&self) -> PathBuf {
        self.0.path().canonicalize().unwrap()
    }
}

#[test]
fn node_worker_threads() {
    Row::new("worker_threads.js").ends_with("worker_threads works");
}

#[test]
fn node_webassembly() {
    Row::new("webassembly.mjs").ends_with("WebAssembly works");
}

#[test]
fn node_fs_promises() {
    Row::new("fs_promises.mjs").ends_with("fs promises works");
}

#[test]
fn node_child_process() {
    Row::new("child_process.js").ends_with("child_process works");
}

#[test]
fn node_npm_packages() {
    Row::new("npm_packages.sh").needing("node").with_optional("npm").ends_with("npm packages work");
}

#[test]
fn c_by_design() {
    Row::new("by_design.c").ends_with("refused with words");
}

#[test]
fn cpp_threads() {
    Row::new("cpp_threads.cpp").ends_with("C++ threads work");
}

#[test]
fn cpp_filesystem() {
    Row::new("cpp_filesystem.cpp").ends_with("C++ filesystem works");
}

#[test]
fn cpp_address_and_undefined_sanitizers() {
    Row::new("cpp_sanitizers.sh").needing("g++").ends_with_one_of(&["sanitizers work", NO_SHADOW]);
}

#[test]
fn cpp_thread_sanitizer() {
    Row::new("cpp_thread_sanitizer.sh").needing("g++").ends_with_one_of(&["ThreadSanitizer works", NO_SHADOW]);
}

#[test]
fn cpp_leak_sanitizer() {
    Row::new("cpp_leaks.sh").needing("g++").ends_with_one_of(&["LeakSanitizer is refused and says so", NO_SHADOW]);
}

#[test]
fn go() {
    Row::new("go_program.sh").with_optional("go").ends_with("go works");
}

#[test]
fn rust() {
    Row::new("rust_program.sh").with_optional("rustc").ends_with("rust works");
}

#[test]
fn java() {
    Row::new("java_program.sh").with_optional("javac").with_optional("jar").ends_with("java works");
}

#[test]
fn bash() {
    Row::new("shell.sh").ends_with("bash works");
}

#[test]
fn git() {
    Row::new("git_repository.sh").needing("git").ends_with("git works");
}

#[test]
fn perl() {
    let text = example("runtimes/text.pl");
    Row::new("perl_program.sh").needing("perl").option("--input", &text).ends_with("perl works");
}

#[test]
fn every_program_is_run_and_every_row_is_on_the_page() {
    let source = include_str!("runtimes.rs");
    let page = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/runtimes.md")).unwrap();
    let tests: BTreeSet<&str> = source
        .split("#[test]\nfn ")
        .skip(1)
        .map(|rest| rest.split('(').next().unwrap())
        .filter(|name| *name != "every_program_is_run_and_every_row_is_on_the_page" && !name.contains(' '))
        .collect();
    let rows: BTreeSet<&str> = page
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.rsplit_once('|')?.0.rsplit_once('|'))
        .filter_map(|(_, last)| last.trim().strip_prefix('`')?.strip_suffix('`'))
        .collect();
    assert_eq!(rows, tests, "the last column of the page names the tests");
    for entry in fs::read_dir(example("runtimes")).unwrap().flatten() {
        let name = entry.file_name().into_string().unwrap();
        assert!(source.contains(&format!("\"{name}\"")) || name == "text.pl", "no test runs {name}");
    }
}
