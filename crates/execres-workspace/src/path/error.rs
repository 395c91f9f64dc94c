//! What is wrong with a path.

/// A path that was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the path {path:?} {fault}")]
pub struct PathError {
    /// The path, as it was given; a long one is cut.
    pub path: String,
    /// What is wrong with it.
    pub fault: PathFault,
}

impl PathError {
    pub(crate) fn new(path: &str, fault: PathFault) -> Self {
        let shown = path.chars().take(200).collect::<String>();
        let cut = if shown.len() < path.len() { "…" } else { "" };
        PathError { path: format!("{shown}{cut}"), fault }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self.fault {
            PathFault::NotUnderOutput => "workspace.path_not_under_output",
            PathFault::Private => "workspace.path_private",
            _ => "workspace.path_invalid",
        }
    }
}

/// What is wrong with a path, and what to write instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathFault {
    /// Nothing is left of it.
    #[error("names nothing: write the path of a file, relative to the working directory")]
    Empty,
    /// It starts at the root.
    #[error("is absolute: write it relative to the working directory")]
    Absolute,
    /// It has a `..`.
    #[error("has a `..`: write the path without it")]
    Parent,
    /// It leads into the private directory.
    #[error("leads into the private directory `.execres`: choose another name")]
    Private,
    /// It has a backslash.
    #[error("has a backslash: separate directories with `/`")]
    Backslash,
    /// It has NUL, a control character, or one that turns the direction of what follows.
    #[error("has a control character, or one that turns the direction of text: use printable characters")]
    Control,
    /// It starts or ends with white space.
    #[error("starts or ends with white space: remove it")]
    WhiteSpace,
    /// It is longer than 4096 bytes.
    #[error("is longer than 4096 bytes: shorten it")]
    TooLong,
    /// One of its names is longer than 255 bytes.
    #[error("has a name longer than 255 bytes: shorten it")]
    NameTooLong,
    /// An output path that is not below `output/`.
    #[error(
        "is not under `output/`: write `output/NAME` for a file, `output/NAME/` for a directory, `output/` for all"
    )]
    NotUnderOutput,
}
