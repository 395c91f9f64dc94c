//! Tools of this machine: found behind links and shims, and asked for their version once.

mod cache;
mod find;
mod offer;

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use execres_code::{ToolId, ToolSpec, ToolchainRequirement, Version, VersionNeed};
use execres_core::Limits;
use execres_isolation::{LaunchError, Profile, Sandbox, Step};
use tokio::sync::Mutex;

use cache::VersionCache;
use find::Found;
pub(crate) use offer::with_tools;

/// A tool that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool {
    /// Its id.
    pub id: ToolId,
    /// What is executed: the binary itself or a link to it, never a shim.
    pub path: PathBuf,
    /// What it needs beyond the system's own roots, read-only and at the same paths.
    pub roots: Vec<PathBuf>,
    /// Its version, where somebody asked for one and it could tell.
    pub version: Option<Version>,
}

/// The tools of this machine. Finding and asking happen once for each tool.
#[derive(Debug)]
pub struct Toolbox {
    sandbox: Arc<Sandbox>,
    search_path: OsString,
    /// Tools whose place the host named itself.
    named: BTreeMap<String, PathBuf>,
    known: Mutex<HashMap<String, Tool>>,
    versions: VersionCache,
}

/// Where programs are looked for when nobody says, as `execvp` does it, with the places of what an administrator installed.
const USUAL_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// How long a tool may take to say its version. Version managers are slow on a cold disk.
const ASKING: Duration = Duration::from_secs(20);

impl Toolbox {
    /// The tools on the search path of this process, or on the usual one where it has none. Versions are remembered in `state_dir` across processes, where there is
    /// one.
    pub fn new(sandbox: Arc<Sandbox>, state_dir: Option<&Path>) -> Self {
        Toolbox {
            sandbox,
            search_path: std::env::var_os("PATH").unwrap_or_else(|| USUAL_PATH.into()),
            named: BTreeMap::new(),
            known: Mutex::new(HashMap::new()),
            versions: VersionCache::at(state_dir),
        }
    }

    /// Takes this binary for a tool, instead of searching. Its installation is granted to programs, read-only, even where it
    /// lies in a home directory: naming it is the host's word for that.
    #[must_use]
    pub fn with_tool(mut self, id: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.named.insert(id.into(), path.into());
        self
    }

    /// Whether a tool is there, without asking it anything.
    pub async fn has(&self, id: &ToolId) -> bool {
        self.find(id).await.is_ok()
    }

    /// A tool that meets a need.
    ///
    /// # Errors
    /// [`ToolError`] when it is not there, or its version does not do.
    ///
    /// # Cancel safety
    /// Dropping the future leaves nothing behind; what was found out by then is kept.
    pub async fn get(&self, need: &ToolchainRequirement) -> Result<Tool, ToolError> {
        let mut tool = self.find(&need.tool).await?;
        if need.version == VersionNeed::Any {
            return Ok(tool);
        }
        let found = match tool.version.clone() {
            Some(version) => version,
            None => self.ask(&tool).await?,
        };
        if !need.is_met_by(&found) {
            return Err(ToolError::Version { need: need.to_string(), path: tool.path, found: found.to_string() });
        }
        tool.version = Some(found);
        self.known.lock().await.insert(tool.id.to_string(), tool.clone());
        Ok(tool)
    }

    async fn find(&self, id: &ToolId) -> Result<Tool, ToolError> {
        if let Some(tool) = self.known.lock().await.get(id.as_str()) {
            return Ok(tool.clone());
        }
        let spec = ToolSpec::of(id).ok_or_else(|| ToolError::Unknown { tool: id.to_string() })?;
        let named = self.named.get(id.as_str());
        let (found, shims) = match named {
            Some(path) => (find::named(path), vec![path.clone()]),
            None => find::search(spec, &self.search_path),
        };
        let found = match found {
            Some(found) => Some(found),
            None => self.behind_a_shim(spec, &shims).await,
        };
        let found = found.ok_or_else(|| match named {
            Some(path) => ToolError::Named { tool: id.to_string(), path: path.clone() },
            None => ToolError::missing(spec),
        })?;
        let tool = Tool { id: id.clone(), path: found.path, roots: found.roots, version: None };
        self.known.lock().await.insert(tool.id.to_string(), tool.clone());
        Ok(tool)
    }

    /// A version manager's shim runs the tool, so asking through it gives the binary behind it. It is a script of the host's
    /// own search path, or one that the host named, and is run as the host would run it.
    async fn behind_a_shim(&self, spec: &ToolSpec, shims: &[PathBuf]) -> Option<Found> {
        let arguments = spec.locate_args?;
        let limits = Limits { wall_time: ASKING, ..Limits::STANDARD };
        for shim in shims.iter().filter(|shim| find::is_script(shim)) {
            let mut step = Step::new(shim, arguments).with_variable("PATH", &self.search_path);
            for name in ["HOME", "PYENV_ROOT", "NVM_DIR", "ASDF_DATA_DIR", "ASDF_DIR", "MISE_DATA_DIR"] {
                if let Some(value) = std::env::var_os(name) {
                    step = step.with_variable(name, value);
                }
            }
            let Ok(run) = self.sandbox.launch_unconfined(&limits, vec![step]).await else { continue };
            let report = run.finish(None, pending()).await;
            let printed = report.steps.first().map(|step| step.stdout.text()).unwrap_or_default();
            if let Some(found) = find::named(Path::new(printed.trim())) {
                return Some(found);
            }
        }
        None
    }

    /// Asks a tool for its version: inside a sandbox of its own, or, on a host that has none, as the host itself would ask.
    /// There only `trusted_local` is left, which is going to run the tool in no other way.
    async fn ask(&self, tool: &Tool) -> Result<Version, ToolError> {
        if let Some(version) = self.versions.get(&tool.path) {
            return Ok(version);
        }
        let silent = |why: String| ToolError::Silent { path: tool.path.clone(), why };
        let spec = ToolSpec::of(&tool.id).ok_or_else(|| ToolError::Unknown { tool: tool.id.to_string() })?;
        let limits = Limits { wall_time: ASKING, ..Limits::STANDARD };
        let profile =
            grant(Profile::deny_all().with_limits(limits.clone()), tool).map_err(|error| silent(error.to_string()))?;
        let step = || vec![Step::new(&tool.path, spec.version_args)];
        let run = match self.sandbox.best_rung(&Profile::deny_all()).await {
            Ok(standing) => self.sandbox.launch(&profile.on_rung(standing.rung), step()).await,
            Err(LaunchError::UserNamespaces { .. } | LaunchError::RootIdentity) => {
                self.sandbox.launch_unconfined(&limits, step()).await
            }
            Err(error) => Err(error),
        };
        let run = run.map_err(|error| silent(error.to_string()))?;
        let report = run.finish(None, pending()).await;
        let printed: String = report
            .steps
            .iter()
            .flat_map(|step| [step.stdout.text(), step.stderr.text()])
            .collect::<Vec<_>>()
            .join("\n");
        // What a tool prints when it fails is an error with numbers in it, such as its own path, and no version.
        let version = Some(printed).filter(|_| report.outcome.is_success()).and_then(|text| spec.parse_version(&text));
        let version = version.ok_or_else(|| silent(report.outcome.to_string()))?;
        self.versions.put(&tool.path, &version);
        Ok(version)
    }
}

/// Grants what a tool needs.
pub(crate) fn grant(profile: Profile, tool: &Tool) -> Result<Profile, execres_isolation::ProfileError> {
    tool.roots.iter().try_fold(profile, |profile, root| profile.read(root, root))
}

/// Why a tool cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// Nobody here knows it.
    #[error("{tool} is no tool that can be found here")]
    Unknown {
        /// Its id.
        tool: String,
    },
    /// It is not on the search path.
    #[error("{tool} is not installed: none of {candidates} is on the search path")]
    Missing {
        /// Its id.
        tool: String,
        /// The names that were searched.
        candidates: String,
    },
    /// The host named a place for it where it is not.
    #[error("{path:?} was named for {tool}, and is no program, nor a script that leads to one")]
    Named {
        /// Its id.
        tool: String,
        /// The place.
        path: PathBuf,
    },
    /// It has another version.
    #[error("{need} is needed, and {path:?} is {found}")]
    Version {
        /// What is needed.
        need: String,
        /// Where it is.
        path: PathBuf,
        /// What it says.
        found: String,
    },
    /// It does not say its version.
    #[error("{path:?} does not say its version: {why}")]
    Silent {
        /// Where it is.
        path: PathBuf,
        /// What happened instead.
        why: String,
    },
}

impl ToolError {
    fn missing(spec: &ToolSpec) -> Self {
        ToolError::Missing { tool: spec.id.to_owned(), candidates: spec.candidates.join(", ") }
    }
}
