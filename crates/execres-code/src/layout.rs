//! Where a program finds the roots of its grant.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};

use execres_workspace::{AccessGrant, PathError, RelativePath, Role};

/// Where a program finds the roots of its grant: at fixed places in a box, at the host's paths outside of one.
///
/// The working directory is `source`, where the output directory is reachable as `output/`, and beside it as `../output/`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GuestLayout {
    source: PathBuf,
    build: PathBuf,
    output: PathBuf,
}

impl GuestLayout {
    /// The working directory in a box.
    pub const SOURCE: &'static str = "/work/source";
    /// The output directory in a box; it is at `output` in the working directory too.
    pub const OUTPUT: &'static str = "/work/output";
    /// The build directory in a box.
    pub const BUILD: &'static str = "/work/build";
    /// The workspace itself in a box, in the live modes.
    pub const WORKSPACE: &'static str = "/work/workspace";

    /// The layout of a box.
    pub fn boxed() -> Self {
        GuestLayout { source: Self::SOURCE.into(), build: Self::BUILD.into(), output: Self::OUTPUT.into() }
    }

    /// The layout of a program that runs on the host itself; [`AccessGrant::link_output`] makes `output/` reachable there.
    pub fn host(grant: &AccessGrant) -> Self {
        let at = |role| grant.root(role).to_owned();
        GuestLayout { source: at(Role::Source), build: at(Role::Build), output: at(Role::Output) }
    }

    /// The working directory.
    pub fn source(&self) -> &Path {
        &self.source
    }

    /// The build directory.
    pub fn build(&self) -> &Path {
        &self.build
    }

    /// The output directory.
    pub fn output(&self) -> &Path {
        &self.output
    }

    /// The value of a variable: a `workspace://` value becomes the path that it means, any other stays as it is.
    ///
    /// # Errors
    /// [`RoleUriError`] when it starts with `workspace://` and means nothing.
    pub fn resolve<'a>(&self, value: &'a str) -> Result<Cow<'a, OsStr>, RoleUriError> {
        let Some(uri) = RoleUri::parse(value)? else { return Ok(Cow::Borrowed(OsStr::new(value))) };
        let root = match uri.role {
            GuestRole::Source => &self.source,
            GuestRole::Build => &self.build,
            GuestRole::Output => &self.output,
        };
        Ok(Cow::Owned(uri.path.map_or_else(|| root.clone(), |path| root.join(path.as_path())).into_os_string()))
    }
}

/// A root that a program has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum GuestRole {
    Source,
    Build,
    Output,
}

/// `workspace://<role>/<path>`: a place below a root, wherever that root will be. The path may be missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleUri {
    role: GuestRole,
    path: Option<RelativePath>,
}

impl RoleUri {
    /// How one starts.
    pub const SCHEME: &'static str = "workspace://";

    /// Parses a value; `None` when it does not start with [`RoleUri::SCHEME`].
    ///
    /// # Errors
    /// [`RoleUriError`] when the role is none that a program has, or the path is no good.
    pub fn parse(value: &str) -> Result<Option<Self>, RoleUriError> {
        let Some(rest) = value.strip_prefix(Self::SCHEME) else { return Ok(None) };
        let (role, path) = rest.split_once('/').unwrap_or((rest, ""));
        let role = match role {
            "source" => GuestRole::Source,
            "build" => GuestRole::Build,
            "output" => GuestRole::Output,
            // The logs are the host's: no program has a path to them.
            _ => return Err(RoleUriError::Role { role: role.chars().take(100).collect() }),
        };
        let path = if path.is_empty() { None } else { Some(RelativePath::parse(path)?) };
        Ok(Some(RoleUri { role, path }))
    }
}

impl fmt::Display for RoleUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match self.role {
            GuestRole::Source => "source",
            GuestRole::Build => "build",
            GuestRole::Output => "output",
        };
        write!(f, "{}{role}/", Self::SCHEME)?;
        self.path.as_ref().map_or(Ok(()), |path| f.write_str(path.as_str()))
    }
}

/// A `workspace://` value that means nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RoleUriError {
    /// There is no such root.
    #[error(
        "workspace://{role} is no root of a program: write workspace://source/, workspace://build/ or workspace://output/"
    )]
    Role {
        /// What was written.
        role: String,
    },
    /// The path is no good.
    #[error(transparent)]
    Path(#[from] PathError),
}

impl RoleUriError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            RoleUriError::Role { .. } => "code_execution.unknown_root",
            RoleUriError::Path(error) => error.code(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_resolve_below_their_root_only() {
        let layout = GuestLayout::boxed();
        let resolved = |value: &str| layout.resolve(value).map(|path| path.to_str().unwrap().to_owned());
        assert_eq!(resolved("workspace://build/cache/x"), Ok("/work/build/cache/x".into()));
        assert_eq!(resolved("workspace://output"), Ok("/work/output".into()));
        assert_eq!(resolved("workspace://source/"), Ok("/work/source".into()));
        assert_eq!(resolved("plain value"), Ok("plain value".into()));
        assert_eq!(resolved("see workspace://build"), Ok("see workspace://build".into()));
        for bad in ["workspace://logs/x", "workspace://", "workspace://build/../x", "workspace://build//etc/../x"] {
            assert!(resolved(bad).is_err(), "{bad}");
        }
    }
}
