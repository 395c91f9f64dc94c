//! Copies collected outputs to where the caller wants them.

use std::io;
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder};
use execres_workspace::{AccessGrant, Artifact};
use rustix::fs::{Mode, OFlags};

use crate::error::RunError;

/// Refuses a target that can be no directory, before a program runs for nothing.
pub(crate) fn check_target(target: &Path) -> Result<(), RunError> {
    match open(target, Missing::Stays) {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(RunError::DeliverTo { path: target.to_owned(), source }),
    }
}

/// Copies from the grant to `target`, which is made where it is not there.
pub(crate) fn deliver(grant: &AccessGrant, outputs: &[Artifact], target: &Path) -> Result<(), RunError> {
    if outputs.is_empty() {
        return Ok(());
    }
    let into =
        open(target, Missing::IsMade).map_err(|source| RunError::DeliverTo { path: target.to_owned(), source })?;
    Ok(grant.deliver(outputs, &into)?)
}

/// What becomes of a directory that is not there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Missing {
    Stays,
    IsMade,
}

/// Opens the target.
///
/// A relative target lies in the working directory, which can be a checkout that somebody else made: a link in it would lead
/// the outputs of somebody else's program to any place of the user's, so no link is followed there. An absolute target is the
/// caller's own word.
fn open(target: &Path, missing: Missing) -> io::Result<Dir> {
    if target.is_absolute() {
        if missing == Missing::IsMade {
            std::fs::create_dir_all(target)?;
        }
        return Dir::open_ambient_dir(target, ambient_authority());
    }
    let mut at = Dir::open_ambient_dir(".", ambient_authority())?;
    for component in target.components() {
        let name: PathBuf = match component {
            Component::CurDir => continue,
            Component::ParentDir => "..".into(),
            Component::Normal(name) => name.into(),
            Component::RootDir | Component::Prefix(_) => return Err(io::ErrorKind::InvalidInput.into()),
        };
        if missing == Missing::IsMade && component != Component::ParentDir {
            match at.create_dir_with(&name, &DirBuilder::new()) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::RDONLY | OFlags::CLOEXEC;
        let next = match rustix::fs::openat(&at, &name, flags, Mode::empty()) {
            Ok(next) => next,
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
                let what = format!("{} is a link or no directory; write the directory's own path", name.display());
                return Err(io::Error::new(io::ErrorKind::NotADirectory, what));
            }
            Err(error) => return Err(error.into()),
        };
        at = Dir::from_std_file(next.into());
    }
    Ok(at)
}
