//! Bash.

use super::entry::{Entry, Plan, Steps};
use crate::bundle::Program;
use crate::request::RequestError;
use crate::toolchain::{ToolId, ToolchainRequirement, VersionNeed};

pub(super) const ENTRY: Entry = Entry {
    id: "bash",
    aliases: &["sh", "shell"],
    primary: "main.sh",
    suffixes: &["sh", "bash"],
    manifests: &[],
    steps,
};

fn steps(plan: &Plan<'_>) -> Result<Steps, RequestError> {
    Ok(Steps {
        build: Vec::new(),
        // A script does not read start-up files by itself, and an environment that names one ($BASH_ENV) is the caller's.
        run: plan.interpret(Program::Tool(ToolId::BASH), &[], &[]),
        toolchains: vec![ToolchainRequirement::new(ToolId::BASH, VersionNeed::Any)],
    })
}
