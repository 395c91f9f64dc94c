//! What an adapter is.

use execres_workspace::{FileEntry, RelativePath};

use crate::bundle::{Program, Step, StepRole};
use crate::request::RequestError;
use crate::toolchain::ToolchainRequirement;

/// One language. To add one, write a file with one of these and add it to the table.
#[derive(Debug)]
pub(super) struct Entry {
    /// The id, as in JSON.
    pub(super) id: &'static str,
    /// Other names that people write, lower-case.
    pub(super) aliases: &'static [&'static str],
    /// What source text without a name is called.
    pub(super) primary: &'static str,
    /// Suffixes of its source files, without the dot.
    pub(super) suffixes: &'static [&'static str],
    /// Files that say what a program depends on.
    pub(super) manifests: &'static [&'static str],
    /// The steps that build and run a program.
    pub(super) steps: fn(&Plan<'_>) -> Result<Steps, RequestError>,
}

/// What an adapter makes steps from: files that are parsed and arguments that are checked.
pub(crate) struct Plan<'a> {
    pub(crate) files: &'a [FileEntry],
    pub(crate) entry_point: &'a RelativePath,
    pub(crate) args: &'a [String],
}

/// What an adapter makes.
pub(crate) struct Steps {
    pub(crate) build: Vec<Step>,
    pub(crate) run: Step,
    pub(crate) toolchains: Vec<ToolchainRequirement>,
}

impl Plan<'_> {
    /// The files with one of these suffixes, sorted by path.
    pub(super) fn sources(&self, suffixes: &[&str]) -> Vec<&RelativePath> {
        let has = |path: &RelativePath| path.extension().is_some_and(|extension| suffixes.contains(&extension));
        self.files.iter().map(FileEntry::path).filter(|path| has(path)).collect()
    }

    /// A run step that gives the entry point, and then the program's arguments, to an interpreter.
    pub(super) fn interpret(&self, program: Program, flags: &[&str], env: &[(&str, &str)]) -> Step {
        let mut args: Vec<String> = flags.iter().map(|flag| (*flag).to_owned()).collect();
        args.push(operand(self.entry_point));
        args.extend_from_slice(self.args);
        Step::new(StepRole::Run, program, args, env)
    }
}

/// A path that no tool can take for an option.
pub(super) fn operand(path: &RelativePath) -> String {
    if path.as_str().starts_with(['-', '@', '+']) { format!("./{path}") } else { path.to_string() }
}
