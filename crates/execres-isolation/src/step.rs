//! What a run is made of: programs, one after the other, in one root.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

/// What a run is made of: build steps and a run step, one after the other, in one root.
#[derive(Debug)]
pub struct Step {
    pub(crate) program: Program,
    pub(crate) arguments: Vec<OsString>,
    pub(crate) directory: PathBuf,
    pub(crate) environment: Vec<(OsString, OsString)>,
    pub(crate) stdin: Stdin,
    /// Descriptor 3, which only probes have.
    pub(crate) extra: Option<OwnedFd>,
}

#[derive(Debug)]
pub(crate) enum Program {
    Path(PathBuf),
    /// The launcher's own image, as the guest of a probe.
    Image,
}

/// What a step reads from its standard input.
#[derive(Debug)]
#[non_exhaustive]
pub enum Stdin {
    /// Nothing.
    Empty,
    /// These bytes.
    Bytes(Vec<u8>),
}

impl Step {
    /// A step that runs `program`, a path in the guest, with `arguments` after the program's own name, in `/`, with nothing on
    /// its standard input.
    pub fn new(program: impl Into<PathBuf>, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        let program = program.into();
        let mut all = vec![program.clone().into_os_string()];
        all.extend(arguments.into_iter().map(Into::into));
        Step {
            program: Program::Path(program),
            arguments: all,
            directory: "/".into(),
            environment: Vec::new(),
            stdin: Stdin::Empty,
            extra: None,
        }
    }

    /// The working directory in the guest.
    #[must_use]
    pub fn in_directory(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = directory.into();
        self
    }

    /// Adds a variable for this step, over the profile's.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.environment.push((name.into(), value.into()));
        self
    }

    /// What the step reads.
    #[must_use]
    pub fn with_stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }
}
