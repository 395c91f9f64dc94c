//! C.

use super::entry::{Entry, Plan, Steps};
use super::native;
use crate::request::RequestError;
use crate::toolchain::{ToolId, ToolchainRequirement, VersionNeed};

pub(super) const ENTRY: Entry =
    Entry { id: "c", aliases: &[], primary: "main.c", suffixes: &["c"], manifests: &[], steps };

fn steps(plan: &Plan<'_>) -> Result<Steps, RequestError> {
    let sources = native::operands(plan.sources(ENTRY.suffixes))?;
    // The mathematical functions are in a library of their own, which C programs are used to asking for.
    let build = vec![native::link(ToolId::CC, native::C_FLAGS, sources, &["-lm"])];
    Ok(Steps {
        build,
        run: native::run(plan),
        toolchains: vec![ToolchainRequirement::new(ToolId::CC, VersionNeed::Any)],
    })
}
