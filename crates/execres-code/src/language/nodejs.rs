//! Node.js.

use super::entry::{Entry, Plan, Steps};
use crate::bundle::Program;
use crate::request::RequestError;
use crate::toolchain::{ToolId, ToolchainRequirement, Version, VersionNeed};

pub(super) const ENTRY: Entry = Entry {
    id: "nodejs",
    aliases: &["node", "javascript", "js"],
    primary: "main.js",
    suffixes: &["js", "mjs", "cjs"],
    manifests: &["package.json", "package-lock.json"],
    steps,
};

fn steps(plan: &Plan<'_>) -> Result<Steps, RequestError> {
    Ok(Steps {
        build: Vec::new(),
        run: plan.interpret(Program::Tool(ToolId::NODE), &[], &[]),
        toolchains: vec![ToolchainRequirement::new(ToolId::NODE, VersionNeed::AtLeast(Version::of([18])))],
    })
}
