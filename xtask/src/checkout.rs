//! Where the workspace and its target directory are.

use std::env;
use std::path::{Path, PathBuf};

use cargo_metadata::{CargoOpt, Metadata, MetadataCommand};

/// A checkout of the workspace.
#[derive(Debug, Clone)]
pub(crate) struct Checkout {
    /// The directory of the workspace's `Cargo.toml`.
    pub(crate) root: PathBuf,
    /// Where cargo builds.
    pub(crate) target: PathBuf,
}

impl Checkout {
    /// The checkout that this xtask was built from.
    pub(crate) fn find() -> Result<Self, cargo_metadata::Error> {
        let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../Cargo.toml");
        let metadata = MetadataCommand::new().manifest_path(manifest).no_deps().exec()?;
        Ok(Self { root: metadata.workspace_root.into_std_path_buf(), target: metadata.target_directory.into() })
    }

    /// `cargo metadata` of the whole workspace, with the resolved graph.
    pub(crate) fn metadata(&self) -> Result<Metadata, cargo_metadata::Error> {
        MetadataCommand::new().manifest_path(self.root.join("Cargo.toml")).features(CargoOpt::AllFeatures).exec()
    }
}

/// Where a program is on this process's search path.
pub(crate) fn find_program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|dir| dir.join(name)).find(|candidate| is_executable(candidate))
}

#[cfg(unix)]
fn is_executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &Path) -> bool {
    path.is_file()
}
