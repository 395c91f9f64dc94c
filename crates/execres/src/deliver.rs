//! Copies collected outputs to where the caller wants them.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use execres_workspace::{Artifact, CallId, OUTPUT_DIR};

use crate::error::RunError;

/// Refuses a target that can be no directory, before a program runs for nothing.
pub(crate) fn check_target(target: &Path) -> Result<(), RunError> {
    if target.exists() && !target.is_dir() {
        let source = io::Error::from(io::ErrorKind::NotADirectory);
        return Err(RunError::Deliver { path: target.to_owned(), source });
    }
    Ok(())
}

/// Copies from the grant to `target`, which is made where it is not there. A file of the same name is replaced whole, never
/// half: each copy is made beside it and then takes its name.
pub(crate) fn deliver(kept: &Dir, outputs: &[Artifact], target: &Path) -> Result<(), RunError> {
    if outputs.is_empty() {
        return Ok(());
    }
    let failed = |source: io::Error| RunError::Deliver { path: target.to_owned(), source };
    std::fs::create_dir_all(target).map_err(failed)?;
    let into = Dir::open_ambient_dir(target, ambient_authority()).map_err(failed)?;
    for output in outputs {
        let below =
            output.path.strip_prefix(OUTPUT_DIR).map_or(output.path.as_str(), |path| path.trim_start_matches('/'));
        copy(kept, &into, below).map_err(|source| RunError::Deliver { path: target.join(below), source })?;
    }
    Ok(())
}

fn copy(kept: &Dir, into: &Dir, path: &str) -> io::Result<()> {
    let path = Path::new(path);
    let (parent, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
    let directory = if parent.as_os_str().is_empty() {
        into.try_clone()?
    } else {
        into.create_dir_all(parent)?;
        into.open_dir(parent)?
    };
    // A name of its own, which nobody else has and which is short however long the output's is.
    let partial = format!(".{}.partial", CallId::random());
    let copied = copy_new(kept, path, &directory, &partial).and_then(|()| directory.rename(&partial, &directory, name));
    if copied.is_err() {
        // It may not be there; what went wrong first is what the caller needs to know.
        drop(directory.remove_file(&partial));
    }
    copied
}

/// Makes a new file with the caller's usual permissions.
fn copy_new(kept: &Dir, path: &Path, directory: &Dir, name: &str) -> io::Result<()> {
    let mut from = kept.open(path)?;
    let mut to = directory.open_with(name, OpenOptions::new().write(true).create_new(true))?;
    io::copy(&mut from, &mut to).map(drop)
}
