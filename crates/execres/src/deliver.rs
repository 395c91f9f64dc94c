//! Copies collected outputs to where the caller wants them.

use std::io;
use std::path::Path;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use execres_workspace::{Artifact, OUTPUT_DIR};

use crate::error::RunError;

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
    let partial = format!(".{}.{}.partial", name.to_string_lossy(), std::process::id());
    kept.copy(path, &directory, &partial)?;
    directory.rename(&partial, &directory, name)
}
