//! Programs on the search path: what is found, what is behind it, and its version.

use std::ffi::OsString;
use std::future::pending;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use execres_code::BinaryKind;
use execres_core::{Limits, Version};
use execres_isolation::{Profile, Rung, Sandbox, Step};

use super::install::Packages;
use super::report::{Check, Group, Status};

/// A program that some work needs.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted {
    pub(super) id: &'static str,
    pub(super) group: Group,
    /// What it may be called, the best first.
    pub(super) names: &'static [&'static str],
    pub(super) version_args: &'static [&'static str],
    /// What makes it print where it really is, where a link or a shim may hide that.
    pub(super) locate: Option<Locate>,
    /// Variables that keep it from writing or fetching anything only because it was asked.
    pub(super) variables: &'static [(&'static str, &'static str)],
    pub(super) why: &'static str,
    pub(super) packages: Packages,
    /// How to get it where no package has it.
    pub(super) otherwise: &'static str,
}

/// How to find the binary behind a shim: what to ask, and where it is below the answer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Locate {
    pub(super) args: &'static [&'static str],
    pub(super) below: &'static str,
}

/// A program that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Program {
    /// Where the search path has it.
    pub(super) path: PathBuf,
    /// Where links lead.
    pub(super) real: PathBuf,
    pub(super) kind: BinaryKind,
}

/// The search path, and somewhere to ask what is on it.
#[derive(Debug)]
pub(super) struct Programs {
    sandbox: Arc<Sandbox>,
    rung: Option<Rung>,
    search_path: OsString,
}

/// How long a program may take to answer. Some start a whole runtime first, on a cold disk.
const ASKING: Duration = Duration::from_secs(10);

/// What every sandbox shows.
const SYSTEM: [&str; 6] = ["/usr", "/bin", "/sbin", "/lib", "/lib64", "/nix/store"];

/// Variables without which version managers do not find what they manage.
const MANAGERS: [&str; 8] =
    ["HOME", "PYENV_ROOT", "NVM_DIR", "ASDF_DATA_DIR", "ASDF_DIR", "MISE_DATA_DIR", "RUSTUP_HOME", "CARGO_HOME"];

impl Programs {
    pub(super) fn new(sandbox: Arc<Sandbox>, rung: Option<Rung>) -> Self {
        let search_path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        Programs { sandbox, rung, search_path }
    }

    /// The first program of one of these names. Relative places of the search path are passed over, as anybody may have put a
    /// file there.
    pub(super) fn find(&self, names: &[&str]) -> Option<Program> {
        names.iter().find_map(|name| {
            let places = std::env::split_paths(&self.search_path).filter(|place| place.is_absolute());
            places.map(|place| place.join(name)).find_map(|path| Program::at(&path))
        })
    }

    /// The check for one program: its version and what is behind it.
    pub(super) async fn check(&self, wanted: &Wanted) -> Check {
        self.look_at(wanted).await.0
    }

    /// The same, with the version.
    pub(super) async fn look_at(&self, wanted: &Wanted) -> (Check, Option<Version>) {
        let check = |found: String| Check::ok(wanted.id, wanted.group, wanted.why, found);
        let Some(program) = self.find(wanted.names) else {
            let found = format!("none of {} is on the search path", wanted.names.join(", "));
            let found = if let [name] = wanted.names { format!("{name} is not on the search path") } else { found };
            return (
                check(found).with_status(Status::Missing).with_remedy(wanted.packages.remedy(wanted.otherwise)),
                None,
            );
        };
        let printed = self.ask(&program, wanted.version_args, wanted.variables).await;
        let behind = match wanted.locate.filter(|_| printed.is_ok()) {
            Some(locate) => self.ask(&program, locate.args, wanted.variables).await.ok(),
            None => None,
        };
        let behind = behind.zip(wanted.locate).map(|(answer, locate)| Path::new(answer.trim()).join(locate.below));
        let place = program.place(behind.as_deref());
        match printed.map(|text| (Version::find(&text), text)) {
            Ok((Some(version), _)) => (check(format!("{version}, {place}")), Some(version)),
            Ok((None, _)) => (check(format!("{place}; it prints no version")).with_status(Status::Unknown), None),
            Err(why) => {
                let broken = check(format!("{place}; asked for its version it {why}")).with_status(Status::Degraded);
                (broken.with_remedy(wanted.packages.remedy(wanted.otherwise)), None)
            }
        }
    }

    /// What a program prints. Where the sandbox shows it, it is asked there and can leave nothing; elsewhere it is run as its
    /// user would run it. The error is how it ended instead.
    async fn ask(&self, program: &Program, args: &[&str], variables: &[(&str, &str)]) -> Result<String, String> {
        let limits = Limits { wall_time: ASKING, ..Limits::STANDARD };
        let shown = [&program.path, &program.real].iter().all(|path| is_system(path));
        let mut step = Step::new(&program.path, args);
        for (name, value) in variables {
            step = step.with_variable(name, value);
        }
        let launched = if let Some(rung) = self.rung.filter(|_| shown) {
            let profile = Profile::deny_all().with_limits(limits).on_rung(rung);
            self.sandbox.launch(&profile, vec![step]).await
        } else {
            step = step.with_variable("PATH", &self.search_path);
            for name in MANAGERS.iter().filter(|name| variables.iter().all(|(set, _)| set != *name)) {
                if let Some(value) = std::env::var_os(name) {
                    step = step.with_variable(name, value);
                }
            }
            self.sandbox.launch_unconfined(&limits, vec![step]).await
        };
        let report = launched.map_err(|error| format!("could not be started: {error}"))?.finish(None, pending()).await;
        if !report.outcome.is_success() {
            return Err(report.outcome.to_string());
        }
        let texts = report.steps.iter().flat_map(|step| [step.stdout.text(), step.stderr.text()]);
        Ok(texts.collect::<Vec<_>>().join("\n"))
    }
}

impl Program {
    /// The program at this very place.
    pub(super) fn at(path: &Path) -> Option<Self> {
        use std::io::Read;
        let file = std::fs::File::open(path).ok()?;
        let metadata = file.metadata().ok()?;
        if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
            return None;
        }
        let mut prefix = Vec::new();
        file.take(BinaryKind::PREFIX_BYTES as u64).read_to_end(&mut prefix).ok()?;
        Some(Program { path: path.to_owned(), real: path.canonicalize().ok()?, kind: BinaryKind::of(&prefix) })
    }

    /// Where it is, what is behind it, and whether programs in the sandbox see it.
    fn place(&self, behind: Option<&Path>) -> String {
        let real = behind.and_then(|path| path.canonicalize().ok()).unwrap_or_else(|| self.real.clone());
        let mut place = self.path.display().to_string();
        if real != self.path {
            place.push_str(&format!(" -> {}", real.display()));
        }
        if !is_system(&real) {
            place.push_str(", which programs see only where it is granted");
        }
        place
    }
}

pub(super) fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|root| path.starts_with(root))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_program_is_found_behind_links_and_relative_places_are_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().canonicalize().unwrap();
        let (bin, real) = (root.join("bin"), root.join("lib/tool-1.2"));
        fs::create_dir_all(&bin).unwrap();
        fs::create_dir_all(real.parent().unwrap()).unwrap();
        fs::write(&real, "#!/bin/sh\necho tool 1.2.3\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o755)).unwrap();
        symlink(&real, bin.join("tool")).unwrap();
        fs::create_dir(bin.join("directory")).unwrap();
        fs::write(bin.join("data"), "").unwrap();
        let search_path = format!(".:relative:{}", bin.display()).into();
        let programs = Programs { sandbox: Sandbox::new(None), rung: None, search_path };
        let found = programs.find(&["absent", "tool"]).unwrap();
        assert_eq!((&found.path, &found.real), (&bin.join("tool"), &real));
        assert!(matches!(found.kind, BinaryKind::Script { .. }));
        assert!(found.place(None).contains(" -> ") && found.place(None).contains("only where it is granted"));
        assert_eq!(programs.find(&["directory", "data"]), None);
    }

    #[tokio::test]
    async fn a_program_is_asked_for_its_version_and_one_that_fails_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let wanted = |names| Wanted {
            id: "tool.test",
            group: Group::Interpreters,
            names,
            version_args: &["--version"],
            locate: None,
            variables: &[],
            why: "a test",
            packages: Packages::default(),
            otherwise: "get it",
        };
        for (name, text) in [("good", "echo good 1.2.3"), ("bad", "echo error 7.7.7; exit 1"), ("mute", "true")] {
            let path = dir.path().join(name);
            fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        }
        let programs = Programs { sandbox: Sandbox::new(None), rung: None, search_path: dir.path().into() };
        let (good, version) = programs.look_at(&wanted(&["good"])).await;
        assert_eq!((good.status, version.map(|version| version.to_string())), (Status::Ok, Some("1.2.3".to_owned())));
        assert_eq!(programs.check(&wanted(&["bad"])).await.status, Status::Degraded);
        assert_eq!(programs.check(&wanted(&["mute"])).await.status, Status::Unknown);
        let absent = programs.check(&wanted(&["absent"])).await;
        assert_eq!((absent.status, absent.remedies.len()), (Status::Missing, 1));
    }
}
