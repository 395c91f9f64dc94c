//! Where a package's manifest is, as a reader finds it.

use cargo_metadata::{Metadata, Package};

/// The path of a package's `Cargo.toml` from the root of the workspace.
pub(super) fn place(metadata: &Metadata, package: &Package) -> String {
    let path = &package.manifest_path;
    path.strip_prefix(&metadata.workspace_root).unwrap_or(path).to_string()
}
