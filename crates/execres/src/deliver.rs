//! Copies collected outputs to where the caller wants them.

use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use execres_workspace::{AccessGrant, Artifact};

use crate::error::RunError;

/// Refuses a target that can be no directory, before a program runs for nothing.
pub(crate) fn check_target(target: &Path) -> Result<(), RunError> {
    if target.exists() && !target.is_dir() {
        let source = std::io::Error::from(std::io::ErrorKind::NotADirectory);
        return Err(RunError::DeliverTo { path: target.to_owned(), source });
    }
    Ok(())
}

/// Copies from the grant to `target`, which is made where it is not there.
pub(crate) fn deliver(grant: &AccessGrant, outputs: &[Artifact], target: &Path) -> Result<(), RunError> {
    if outputs.is_empty() {
        return Ok(());
    }
    let open = || {
        std::fs::create_dir_all(target)?;
        Dir::open_ambient_dir(target, ambient_authority())
    };
    let into = open().map_err(|source| RunError::DeliverTo { path: target.to_owned(), source })?;
    Ok(grant.deliver(outputs, &into)?)
}
