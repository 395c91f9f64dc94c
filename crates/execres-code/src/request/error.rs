//! What is wrong with a request.

use execres_workspace::{FileSetError, OutputPath, PathError, RelativePath};

use super::{MAX_ARG_BYTES, MAX_ARGS, MAX_ENV, MAX_ENV_BYTES, MAX_OUTPUTS, MAX_STDIN_BYTES};
use crate::language::Language;
use crate::layout::RoleUriError;

/// A request that gives no bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RequestError {
    /// There is no code in it.
    #[error(
        "no {language} source was given: give source text, or a file that ends in {}",
        language.suffixes().iter().map(|suffix| format!(".{suffix}")).collect::<Vec<_>>().join(" or ")
    )]
    NoSource {
        /// The language.
        language: Language,
    },
    /// The entry point is none of the files.
    #[error("the entry point {path} is none of the files: give it as a file, or name one that is given")]
    NoEntryPoint {
        /// The entry point.
        path: RelativePath,
    },
    /// The entry point is in another language.
    #[error(
        "the entry point {path} is no {language} source: choose a file that ends in {}, or another language",
        language.suffixes().iter().map(|suffix| format!(".{suffix}")).collect::<Vec<_>>().join(" or ")
    )]
    EntryPointSuffix {
        /// The entry point.
        path: RelativePath,
        /// The language.
        language: Language,
    },
    /// A source file holds NUL.
    #[error("the source {path} holds a NUL byte: give text")]
    SourceNul {
        /// The file.
        path: RelativePath,
    },
    /// The files are no set.
    #[error(transparent)]
    Files(#[from] FileSetError),
    /// A path is no good.
    #[error(transparent)]
    Path(PathError),
    /// There are too many sources for one compiler call.
    #[error("{count} source files are more than {most}: put them into fewer files")]
    TooManySources {
        /// How many.
        count: usize,
        /// The limit.
        most: usize,
    },
    /// There are too many arguments.
    #[error(
        "{count} arguments, those that start the program included, are more than {MAX_ARGS}: hand the data over by \
         standard input or in a file"
    )]
    TooManyArgs {
        /// How many, those that start the program included.
        count: usize,
    },
    /// An argument is too long.
    #[error(
        "argument {position} has {bytes} bytes, more than {MAX_ARG_BYTES}: hand the data over by standard input or in a file"
    )]
    ArgTooLong {
        /// Which, from 0.
        position: usize,
        /// Its length.
        bytes: usize,
    },
    /// An argument holds NUL.
    #[error("argument {position} holds a NUL byte, which no program can be given: remove it")]
    ArgNul {
        /// Which, from 0.
        position: usize,
    },
    /// The standard input is too large.
    #[error("the standard input has {bytes} bytes, more than {MAX_STDIN_BYTES}: hand it over as an input file")]
    StdinTooLarge {
        /// Its size.
        bytes: usize,
    },
    /// There are too many variables.
    #[error("{count} variables are more than {MAX_ENV}: put them into a file")]
    TooManyVariables {
        /// How many.
        count: usize,
    },
    /// A variable has no good name.
    #[error("{name:?} names no variable: write a name without `=` and NUL")]
    VariableName {
        /// The name; a long one is cut.
        name: String,
    },
    /// A variable has no good value.
    #[error("the value of {name} holds a NUL byte, or is longer than {MAX_ENV_BYTES} bytes: shorten it, or use a file")]
    VariableValue {
        /// The variable.
        name: String,
    },
    /// A variable is given twice.
    #[error("the variable {name} is given twice: give it once")]
    VariableTwice {
        /// The variable.
        name: String,
    },
    /// A variable names a root that a program does not have.
    #[error("the value of {name} names no place: {source}")]
    VariableRoot {
        /// The variable.
        name: String,
        /// What is wrong with the value.
        #[source]
        source: RoleUriError,
    },
    /// There are too many declared outputs.
    #[error("{count} declared outputs are more than {MAX_OUTPUTS}: declare a directory, as in output/plots/")]
    TooManyOutputs {
        /// How many.
        count: usize,
    },
    /// An output is declared twice.
    #[error("{path} is declared twice: declare it once (upper and lower case count as the same)")]
    OutputTwice {
        /// The output.
        path: OutputPath,
    },
    /// Installing dependencies is asked for, and cannot be done.
    #[error(
        "installing what {path} asks for is not available yet: use the dependency policy `deny`, and what is installed"
    )]
    InstallUnavailable {
        /// The file that says what the program depends on.
        path: RelativePath,
    },
}

impl RequestError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            RequestError::NoSource { .. } => "code_execution.no_source",
            RequestError::NoEntryPoint { .. } => "code_execution.no_entry_point",
            RequestError::EntryPointSuffix { .. } => "code_execution.entry_point_language",
            RequestError::SourceNul { .. } => "code_execution.source_nul",
            RequestError::Files(error) => error.code(),
            RequestError::Path(error) => error.code(),
            RequestError::TooManySources { .. } => "code_execution.too_many_sources",
            RequestError::TooManyArgs { .. } => "code_execution.too_many_args",
            RequestError::ArgTooLong { .. } => "code_execution.arg_too_long",
            RequestError::ArgNul { .. } => "code_execution.arg_nul",
            RequestError::StdinTooLarge { .. } => "code_execution.stdin_too_large",
            RequestError::TooManyVariables { .. } => "code_execution.too_many_variables",
            RequestError::VariableName { .. } => "code_execution.variable_name",
            RequestError::VariableValue { .. } => "code_execution.variable_value",
            RequestError::VariableTwice { .. } => "code_execution.variable_twice",
            RequestError::VariableRoot { source, .. } => source.code(),
            RequestError::TooManyOutputs { .. } => "code_execution.too_many_outputs",
            RequestError::OutputTwice { .. } => "code_execution.output_twice",
            RequestError::InstallUnavailable { .. } => "code_execution.install_unavailable",
        }
    }
}
