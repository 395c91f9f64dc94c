//! What servers of the Model Context Protocol are started with. Python and the container engines have checks of their own.

use super::install::Packages;
use super::program::{Programs, Wanted};
use super::report::{Check, Group};

const WANTED: [Wanted; 2] = [
    Wanted {
        id: "mcp.npx",
        group: Group::Mcp,
        names: &["npx"],
        version_args: &["--version"],
        locate: None,
        variables: &[("npm_config_logs_max", "0"), ("npm_config_update_notifier", "false")],
        why: "many MCP servers are started by `npx -y PACKAGE`",
        packages: Packages { apt: "npm", dnf: "npm", pacman: "npm", apk: "npm" },
        otherwise: "It comes with Node.js: https://nodejs.org/.",
    },
    Wanted {
        id: "mcp.uvx",
        group: Group::Mcp,
        names: &["uvx", "uv"],
        version_args: &["--version"],
        locate: None,
        variables: &[],
        why: "many MCP servers are started by `uvx PACKAGE`",
        packages: Packages { apt: "", dnf: "uv", pacman: "uv", apk: "uv" },
        otherwise: "Install it with `pipx install uv`, or as https://docs.astral.sh/uv/ says.",
    },
];

pub(super) async fn checks(programs: &Programs) -> Vec<Check> {
    let mut checks = Vec::new();
    for wanted in &WANTED {
        checks.push(programs.check(wanted).await);
    }
    checks
}
