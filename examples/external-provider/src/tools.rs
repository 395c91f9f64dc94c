//! Tools that the profile has: those of the system, below `/usr`.

use std::ffi::OsStr;
use std::future::pending;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use execres::code::{ToolId, ToolSpec};
use execres::core::{Capabilities, CapabilityRequirements, Limits, Version};
use execres::isolation::Sandbox;

use crate::bubblewrap::Bubblewrap;
use crate::evidence::Scene;

/// The tool that a language runs with.
const LANGUAGES: [(&str, &str); 5] =
    [("python", "python"), ("nodejs", "node"), ("bash", "bash"), ("c", "cc"), ("cpp", "c++")];

/// How long a tool may take to say its version.
const ASKING: Duration = Duration::from_secs(5);

/// The place of a tool, where the profile has it.
pub(crate) fn find(id: &ToolId) -> Option<PathBuf> {
    let places = ToolSpec::of(id)?.places(OsStr::new("/usr/local/bin:/usr/bin"));
    // A link that leads out of /usr leads nowhere in the profile.
    let is_there = |place: &PathBuf| place.canonicalize().is_ok_and(|file| file.starts_with("/usr") && file.is_file());
    places.into_iter().find(is_there)
}

/// Adds what is asked for and there. Versions are asked for where a requirement names them.
pub(crate) async fn offer(
    mut offered: Capabilities,
    required: &CapabilityRequirements,
    bubblewrap: &Bubblewrap,
    sandbox: &Arc<Sandbox>,
) -> Capabilities {
    for (language, tool) in LANGUAGES {
        if ToolId::parse(tool).is_ok_and(|tool| find(&tool).is_some()) {
            offered = offered.with_language(language);
        }
    }
    for tool in required.toolchains.keys() {
        let Ok(id) = ToolId::parse(tool) else { continue };
        if let Some(path) = find(&id) {
            offered = offered.with_toolchain(tool, version(&id, &path, bubblewrap, sandbox).await);
        }
    }
    offered
}

/// What a tool says when it is asked, in the profile, for its version.
async fn version(id: &ToolId, path: &Path, bubblewrap: &Bubblewrap, sandbox: &Arc<Sandbox>) -> Option<Version> {
    let spec = ToolSpec::of(id)?;
    let scene = Scene::set().ok()?;
    let step = bubblewrap.step(0, scene.roots(), path, spec.version_args);
    let limits = Limits { wall_time: ASKING, ..Limits::STANDARD };
    let report = sandbox.launch_unconfined(&limits, vec![step]).await.ok()?.finish(None, pending()).await;
    let step = report.steps.first()?;
    spec.parse_version(&format!("{}\n{}", step.stdout.text(), step.stderr.text()))
}
