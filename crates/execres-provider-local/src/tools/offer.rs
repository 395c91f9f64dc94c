//! What a provider can offer with these tools.

use execres_code::{CodeRequest, Language, ToolId, ToolchainRequirement, Version, VersionNeed};
use execres_core::{Capabilities, CapabilityRequirements, VersionRule};

use super::Toolbox;

/// Adds the languages and toolchains that are there. Only what is asked for is looked for, because looking can be slow.
pub(crate) async fn with_tools(
    mut offered: Capabilities,
    required: &CapabilityRequirements,
    toolbox: &Toolbox,
) -> Capabilities {
    for name in &required.languages {
        if speaks(toolbox, name).await {
            offered = offered.with_language(name);
        }
    }
    for (name, rule) in &required.toolchains {
        let Ok(id) = ToolId::parse(name) else { continue };
        let version = match rule {
            VersionRule::Any => VersionNeed::Any,
            // Any version at all: the manager compares, and says what it found.
            _ => VersionNeed::AtLeast(Version::of([0])),
        };
        match toolbox.get(&ToolchainRequirement::new(id, version)).await {
            Ok(tool) => {
                offered = offered.with_toolchain(name, tool.version);
            }
            Err(error) => tracing::debug!(%error, tool = %name, "a tool cannot be offered"),
        }
    }
    offered
}

/// Whether every tool of a language is there.
async fn speaks(toolbox: &Toolbox, language: &str) -> bool {
    let Ok(language) = Language::parse(language) else { return false };
    // The smallest program of the language says what it takes.
    let Ok(bundle) = CodeRequest::new(language).source("\n").bundle() else { return false };
    for need in bundle.toolchains() {
        if !toolbox.has(&need.tool).await {
            return false;
        }
    }
    true
}
