//! What the tests of this crate share: a register of owners that is theirs alone.

use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;

use execres_owner::{OwnerRegistry, StateDir};
use tempfile::TempDir;

/// A register that goes away with the directory.
pub(crate) fn owners() -> (TempDir, Arc<OwnerRegistry>) {
    let private = std::fs::Permissions::from_mode(0o700);
    let state = tempfile::Builder::new().permissions(private).tempdir().unwrap();
    let owners = OwnerRegistry::open(StateDir::open_at(state.path()).unwrap()).unwrap();
    (state, owners)
}
