//! A copy of the checkout as somebody else would get it: the files under version control, and nothing that was built.

use std::fs;
use std::io;
use std::path::Path;

use crate::checkout::Checkout;
use crate::process::{ProcessError, Task};

/// A copy that could not be made.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CopyError {
    #[error(transparent)]
    Git(#[from] ProcessError),
    #[error("git could not list the files of the checkout: {stderr}")]
    NotListed { stderr: String },
    #[error("could not copy {file}: {source}")]
    File {
        file: String,
        #[source]
        source: io::Error,
    },
}

/// Copies every file that is tracked, or is new and not ignored, into `to`.
pub(crate) fn make(checkout: &Checkout, to: &Path) -> Result<(), CopyError> {
    // `safe.directory` only for this call: in a container the checkout often belongs to somebody else.
    let listing = Task::new("git")
        .args(["-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .dir(&checkout.root)
        .capture()?;
    if !listing.succeeded() {
        return Err(CopyError::NotListed { stderr: listing.stderr });
    }
    for file in listing.stdout.split('\0').filter(|file| !file.is_empty()) {
        match copy(&checkout.root.join(file), &to.join(file)) {
            // Deleted, and the deletion not committed yet.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => return Err(CopyError::File { file: file.into(), source }),
            Ok(()) => {}
        }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::copy(from, to).map(drop)
}
