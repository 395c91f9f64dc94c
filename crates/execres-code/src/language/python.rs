//! Python.

use super::entry::{Entry, Plan, Steps};
use crate::bundle::Program;
use crate::request::RequestError;
use crate::toolchain::{ToolId, ToolchainRequirement, Version, VersionNeed};

pub(super) const ENTRY: Entry = Entry {
    id: "python",
    aliases: &["py", "python3"],
    primary: "main.py",
    suffixes: &["py"],
    manifests: &["requirements.txt", "pyproject.toml"],
    steps,
};

/// What a program in a box needs, and no library by itself sets.
const ENV: [(&str, &str); 3] = [
    // Figures are files here: a toolkit for windows would find no display.
    ("MPLBACKEND", "Agg"),
    // The source is read-only, and a bytecode cache that is thrown away is of no use.
    ("PYTHONDONTWRITEBYTECODE", "1"),
    // What was printed is out when a limit ends the program.
    ("PYTHONUNBUFFERED", "1"),
];

fn steps(plan: &Plan<'_>) -> Result<Steps, RequestError> {
    Ok(Steps {
        build: Vec::new(),
        run: plan.interpret(Program::Tool(ToolId::PYTHON), &[], &ENV),
        toolchains: vec![ToolchainRequirement::new(ToolId::PYTHON, VersionNeed::AtLeast(Version::of([3, 10])))],
    })
}
