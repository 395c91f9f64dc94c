//! The languages that programs are written in: each with the tools that its programs take.

use std::path::Path;

use execres_code::{BinaryKind, CodeRequest, Language, ToolSpec, ToolchainRequirement, VersionNeed};
use execres_core::Version;
use execres_provider_local::{ToolError, Toolbox};

use super::install::Packages;
use super::program::Program;
use super::report::{Check, Group, Remedy, Status};

const WHY: &str = "programs of this language run with it";

pub(super) async fn checks(toolbox: &Toolbox) -> Vec<Check> {
    let mut checks = Vec::new();
    for language in Language::all() {
        checks.push(check(toolbox, language).await);
    }
    checks
}

async fn check(toolbox: &Toolbox, language: Language) -> Check {
    let check = |found: String| Check::ok(format!("language.{}", language.id()), Group::Languages, WHY, found);
    // The smallest program of the language says what it takes.
    let bundle = match CodeRequest::new(language).source("\n").bundle() {
        Ok(bundle) => bundle,
        Err(error) => return check(error.to_string()).with_status(Status::Unknown),
    };
    let mut found = Vec::new();
    for need in bundle.toolchains() {
        // Any version at all, so that the tool is asked: what cannot say its version in the sandbox does not run there.
        let any = ToolchainRequirement::new(need.tool.clone(), VersionNeed::AtLeast(Version::of([0])));
        match toolbox.get(&any).await {
            Ok(tool) => {
                let version = tool.version.map_or_else(String::new, |version| format!("{version}, "));
                let real = tool.path.canonicalize().unwrap_or_else(|_| tool.path.clone());
                let link = if real == tool.path { String::new() } else { format!(" -> {}", real.display()) };
                found.push(format!(
                    "{version}{}{link}{}",
                    tool.path.display(),
                    passed_over(need.tool.as_str(), &tool.path)
                ));
            }
            Err(error) => {
                let missing = matches!(error, ToolError::Missing { .. } | ToolError::Unknown { .. });
                let status = if missing { Status::Missing } else { Status::Degraded };
                return check(error.to_string()).with_status(status).with_remedy(remedy(need.tool.as_str(), &error));
            }
        }
    }
    check(found.join("; "))
}

/// The script that the search path has before the binary that programs get, such as a version manager's shim.
fn passed_over(tool: &str, used: &Path) -> String {
    let Some(spec) = ToolSpec::all().iter().find(|spec| spec.id == tool) else { return String::new() };
    let search_path = std::env::var_os("PATH").unwrap_or_default();
    let first = spec.places(&search_path).into_iter().find_map(|place| Program::at(&place));
    match first {
        Some(Program { path, kind: BinaryKind::Script { .. }, .. }) if path != used => {
            format!(" (not {}, a shim)", path.display())
        }
        _ => String::new(),
    }
}

fn remedy(tool: &str, error: &ToolError) -> Remedy {
    let packages = match tool {
        "python" => Packages { pacman: "python", ..Packages::named("python3") },
        "node" => Packages::named("nodejs"),
        "bash" => Packages::named("bash"),
        "cc" => Packages { apk: "build-base", ..Packages::named("gcc") },
        "c++" => Packages { apt: "g++", dnf: "gcc-c++", pacman: "gcc", apk: "build-base" },
        "go" => Packages { apt: "golang-go", dnf: "golang", pacman: "go", apk: "go" },
        "rustc" => Packages { pacman: "rust", dnf: "rust", apt: "rustc", apk: "rust" },
        _ => Packages::default(),
    };
    match error {
        ToolError::Silent { path, .. } => Remedy::commands(
            "Try it by hand. Where it works outside, its installation cannot be shown to programs: use one below /usr.",
            [format!("'{}' --version", path.display())],
        ),
        _ => packages.remedy("Install it, and put it on the search path."),
    }
}
