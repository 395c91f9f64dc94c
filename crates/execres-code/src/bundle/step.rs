//! One step of a bundle.

use std::collections::BTreeMap;
use std::fmt;

use execres_workspace::Role;
use serde::Serialize;

use crate::toolchain::ToolId;

/// The name, in the build directory, of what compiled languages build.
pub(crate) const BUILT_APP: &str = "app";

/// What a step does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum StepRole {
    /// It makes the program.
    Build,
    /// It is the program.
    Run,
}

/// What a step executes. Whoever runs it finds the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Program {
    /// A tool of the place where it runs.
    Tool(ToolId),
    /// A file in the build directory, made by an earlier step.
    Built(&'static str),
}

impl Program {
    /// How it is shown to people.
    pub fn shown(&self) -> String {
        match self {
            Program::Tool(tool) => tool.to_string(),
            Program::Built(name) => format!("../build/{name}"),
        }
    }
}

/// One step: what is executed, with which arguments and variables. The working directory is the source root.
#[derive(Clone, PartialEq, Eq)]
pub struct Step {
    role: StepRole,
    program: Program,
    args: Vec<String>,
    env: BTreeMap<String, String>,
}

impl Step {
    pub(crate) fn new(role: StepRole, program: Program, args: Vec<String>, env: &[(&str, &str)]) -> Self {
        let env = env.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        Step { role, program, args, env }
    }

    /// Adds the caller's variables, which win over the adapter's.
    pub(crate) fn extend_env(&mut self, env: &BTreeMap<String, String>) {
        self.env.extend(env.iter().map(|(key, value)| (key.clone(), value.clone())));
    }

    /// What it does.
    pub const fn role(&self) -> StepRole {
        self.role
    }

    /// What is executed.
    pub const fn program(&self) -> &Program {
        &self.program
    }

    /// The arguments after the program's own name. They may be empty strings.
    pub fn args(&self) -> &[String] {
        &self.args
    }

    /// The variables that are set, sorted by name. A `workspace://` value means a place:
    /// [`GuestLayout::resolve`](crate::GuestLayout::resolve).
    pub const fn env(&self) -> &BTreeMap<String, String> {
        &self.env
    }

    /// The root that is the working directory.
    pub const fn cwd(&self) -> Role {
        Role::Source
    }

    /// The whole command, as it is shown to people.
    pub fn shown(&self) -> Vec<String> {
        [self.program.shown()].into_iter().chain(self.args.iter().cloned()).collect()
    }
}

impl fmt::Debug for Step {
    /// Without the values of variables, which may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Step")
            .field("role", &self.role)
            .field("command", &self.shown())
            .field("env", &self.env.keys())
            .finish()
    }
}
