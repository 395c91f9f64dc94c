//! The programs of the corpus on disk: written out, compiled, and how each is started.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execres_core::{Limits, Outcome};
use execres_isolation::{Sandbox, Step};

use crate::attack::{Attack, Language};
use crate::corpus::Corpus;

/// A directory with every program in it, which every guest may read.
#[derive(Debug)]
pub(crate) struct Programs {
    pub(crate) directory: PathBuf,
    /// What could not be made, with the reason.
    missing: BTreeMap<String, String>,
}

/// How many compilers run at once.
const COMPILERS: usize = 4;

impl Programs {
    /// Writes out the files of the corpus and compiles what has to be compiled: the attacks given, and the support.
    pub(crate) async fn make(directory: &Path, attacks: &[Attack], sandbox: &Arc<Sandbox>) -> io::Result<Self> {
        fs::create_dir_all(directory.join("path"))?;
        let mut sources = Vec::new();
        for (file, text) in Corpus::files() {
            let support = file.strip_prefix("support/");
            let name = support.unwrap_or_else(|| file.rsplit('/').next().unwrap_or(file));
            let path = directory.join(name);
            fs::write(&path, text)?;
            fs::set_permissions(&path, fs::Permissions::from_mode(0o644))?;
            let wanted = support.is_some() || attacks.iter().any(|attack| attack.file == file);
            if let Some(stem) = name.strip_suffix(".c").filter(|_| wanted) {
                sources.push(stem.to_owned());
            }
        }
        for place in [directory.to_owned(), directory.join("path")] {
            fs::set_permissions(place, fs::Permissions::from_mode(0o755))?;
        }
        let mut programs = Programs { directory: directory.to_owned(), missing: BTreeMap::new() };
        let mut compiling = tokio::task::JoinSet::new();
        for stem in sources {
            if compiling.len() >= COMPILERS {
                programs.take(compiling.join_next().await);
            }
            compiling.spawn(compile(directory.to_owned(), stem, Arc::clone(sandbox)));
        }
        while !compiling.is_empty() {
            programs.take(compiling.join_next().await);
        }
        Ok(programs)
    }

    fn take(&mut self, compiled: Option<Result<(String, Option<String>), tokio::task::JoinError>>) {
        if let Some(Ok((stem, Some(problem)))) = compiled {
            self.missing.insert(stem, problem);
        }
    }

    /// The program and its arguments, or why it cannot be started.
    pub(crate) fn command(&self, attack: &Attack) -> Result<Vec<PathBuf>, String> {
        let file = self.directory.join(attack.file.rsplit('/').next().unwrap_or(&attack.file));
        match attack.language {
            Language::C => self.compiled(&attack.id).map(|program| vec![program]),
            Language::Python if Path::new("/usr/bin/python3").exists() => {
                Ok(vec!["/usr/bin/python3".into(), "-SEB".into(), file])
            }
            Language::Python => Err("there is no /usr/bin/python3".into()),
            Language::Shell => Ok(vec!["/bin/sh".into(), file]),
        }
    }

    /// A compiled program by its name.
    pub(crate) fn compiled(&self, name: &str) -> Result<PathBuf, String> {
        match self.missing.get(name) {
            None => Ok(self.directory.join(name)),
            Some(problem) => Err(problem.clone()),
        }
    }
}

/// The name, and what went wrong.
async fn compile(directory: PathBuf, stem: String, sandbox: Arc<Sandbox>) -> (String, Option<String>) {
    let Some(compiler) = find("gcc") else { return (stem, Some("there is no gcc".into())) };
    let source = directory.join(format!("{stem}.c"));
    let arguments = ["-O1", "-w", "-pthread", "-o"].map(PathBuf::from).into_iter();
    let arguments = arguments.chain([directory.join(&stem), source]).chain(["-lrt".into()]);
    let step = Step::new(compiler, arguments).with_variable("PATH", "/usr/local/bin:/usr/bin:/bin").in_directory("/");
    let problem = match sandbox.launch_unconfined(&Limits::STANDARD, vec![step]).await {
        Err(error) => Some(error.to_string()),
        Ok(run) => {
            let report = run.finish(None, std::future::pending()).await;
            let said = report.steps.last().map(|step| step.stderr.text()).unwrap_or_default();
            (report.outcome != Outcome::Exited { code: 0 }).then(|| format!("it does not compile: {said}"))
        }
    };
    (stem, problem)
}

/// A program of the system, by its usual places.
pub(crate) fn find(name: &str) -> Option<PathBuf> {
    ["/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .map(|place| Path::new(place).join(name))
        .find(|path| path.exists())
}
