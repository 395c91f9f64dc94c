//! C++.

use super::entry::{Entry, Plan, Steps};
use super::native;
use crate::request::RequestError;
use crate::toolchain::{ToolId, ToolchainRequirement, VersionNeed};

pub(super) const ENTRY: Entry = Entry {
    id: "cpp",
    aliases: &["c++", "cplusplus"],
    primary: "main.cpp",
    suffixes: &["cpp", "cc", "cxx"],
    manifests: &[],
    steps,
};

fn steps(plan: &Plan<'_>) -> Result<Steps, RequestError> {
    let mut sources = native::operands(plan.sources(ENTRY.suffixes))?;
    // C files of a C++ program are C: a C++ compiler would read them as C++, with other names for what they define.
    let c_sources = native::operands(plan.sources(&["c"]))?;
    let mut toolchains = vec![ToolchainRequirement::new(ToolId::CXX, VersionNeed::Any)];
    let mut build = Vec::new();
    if !c_sources.is_empty() {
        toolchains.push(ToolchainRequirement::new(ToolId::CC, VersionNeed::Any));
    }
    for (number, source) in c_sources.into_iter().enumerate() {
        let (step, object) = native::compile_c(number, source);
        build.push(step);
        sources.push(object);
    }
    native::check_count(sources.len())?;
    build.push(native::link(ToolId::CXX, native::CXX_FLAGS, sources, &[]));
    Ok(Steps { build, run: native::run(plan), toolchains })
}
