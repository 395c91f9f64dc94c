//! The register of one owner: what it has made that would outlive it.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, FlockOperation};
use rustix::io::Errno;

use crate::mark::{self, MarkError, OwnerMark};
use crate::name::{EntryId, EntryName, NameError};
use crate::state::{StateDir, StateError};

/// The owner's mark within the register.
pub(crate) const REGISTER_MARK: &str = "mark.json";

/// The register of this owner. Everything that would outlive a killed process is written here before it is made.
///
/// Dropping the last reference removes an empty register. One that still lists things stays, and the next host reaps them.
#[derive(Debug)]
pub struct OwnerRegistry {
    state: StateDir,
    mark: OwnerMark,
    dir: OwnedFd,
    /// The living owner's lock on its mark: the kernel lets go of it when the process dies, however it dies.
    _lock: OwnedFd,
}

impl OwnerRegistry {
    /// Opens a register of a new instance of this process.
    ///
    /// # Errors
    /// [`RegistryError`] when the state directory or `/proc` cannot be used.
    pub fn open(state: StateDir) -> Result<Arc<Self>, RegistryError> {
        let mark = OwnerMark::current()?;
        // While an owner is on its way its mark is not locked yet; reapers wait here until it is.
        let coming = state.lock()?;
        let dir = state.make_dir(state.owners()?, &mark.instance.to_string())?;
        let lock = mark::write_file(&dir, REGISTER_MARK, &mark.to_json()?)?;
        rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).map_err(|error| state.failed(error))?;
        drop(coming);
        Ok(Arc::new(OwnerRegistry { state, mark, dir, _lock: lock }))
    }

    /// The mark that this owner leaves on what it makes.
    pub const fn mark(&self) -> &OwnerMark {
        &self.mark
    }

    /// The state directory that this register is in.
    pub const fn state(&self) -> &StateDir {
        &self.state
    }

    /// Writes down that a thing of this kind is about to be made at `path`, which must be absolute. Call it first, make the
    /// thing after; [`Registration::release`] when the thing is gone again.
    ///
    /// # Errors
    /// [`RegistryError`] when `kind` or `id` is no plain file name, `path` is not absolute, `id` is taken, or the register
    /// cannot be written.
    pub fn register(self: &Arc<Self>, kind: &str, id: &str, path: &Path) -> Result<Registration, RegistryError> {
        let (kind, id) = (EntryName::parse(kind)?, EntryId::parse(id)?);
        if !path.is_absolute() {
            return Err(RegistryError::RelativePath { path: path.to_owned() });
        }
        let kind_dir = self.state.make_dir(&self.dir, kind.as_str())?;
        match rustix::fs::statat(&kind_dir, id.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => {}
            Ok(_) => return Err(RegistryError::Taken { kind, id }),
            Err(error) => return Err(self.state.failed(error).into()),
        }
        mark::write_file(&kind_dir, id.as_str(), path.as_os_str().as_bytes())?;
        Ok(Registration { registry: Arc::clone(self), kind_dir, kind, id, path: path.to_owned() })
    }
}

impl Drop for OwnerRegistry {
    fn drop(&mut self) {
        // Only an empty register goes. Whatever fails here is reaped by the next host.
        if let Ok(owners) = self.state.owners() {
            let _kept = remove_empty(&owners, &self.mark.instance.to_string(), &self.dir);
        }
    }
}

/// Removes the register `name` when it lists nothing; an error, and everything still in place, when it does.
pub(crate) fn remove_empty(owners: impl AsFd, name: &str, dir: impl AsFd) -> Result<(), Errno> {
    let dir = dir.as_fd();
    for kind in file_names(dir)? {
        match rustix::fs::unlinkat(dir, &*kind, AtFlags::REMOVEDIR) {
            // The mark is a file and goes last.
            Ok(()) | Err(Errno::NOTDIR) => {}
            Err(error) => return Err(error),
        }
    }
    for file in [REGISTER_MARK, &mark::partial_name(REGISTER_MARK)] {
        match rustix::fs::unlinkat(dir, file, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    rustix::fs::unlinkat(owners, name, AtFlags::REMOVEDIR)
}

/// The names in a directory of ours, sorted.
pub(crate) fn file_names(dir: impl AsFd) -> Result<Vec<std::ffi::OsString>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// One registered thing. Dropping it leaves it in the register, so that it is reaped when this owner is dead.
#[derive(Debug)]
#[must_use = "a registration that is dropped stays in the register until this process is dead and another one reaps"]
pub struct Registration {
    registry: Arc<OwnerRegistry>,
    kind_dir: OwnedFd,
    kind: EntryName,
    id: EntryId,
    path: PathBuf,
}

impl Registration {
    /// The mark to leave on the thing.
    pub fn mark(&self) -> &OwnerMark {
        self.registry.mark()
    }

    /// The id within its kind.
    pub const fn id(&self) -> &EntryId {
        &self.id
    }

    /// Where the thing is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Strikes the thing off the register: it is gone, or belongs to somebody else from here on.
    ///
    /// # Errors
    /// [`RegistryError`] when the register cannot be written; the entry stays then.
    pub fn release(self) -> Result<(), RegistryError> {
        match rustix::fs::unlinkat(&self.kind_dir, self.id.as_str(), AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(RegistryError::Release { kind: self.kind, id: self.id, source: error.into() }),
        }
    }
}

/// The register cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// The state directory.
    #[error(transparent)]
    State(#[from] StateError),
    /// The mark of this process.
    #[error(transparent)]
    Mark(#[from] MarkError),
    /// The kind or the id.
    #[error(transparent)]
    Name(#[from] NameError),
    /// The path of the thing means something else in another directory.
    #[error("{} is not absolute: register the full path of the thing", path.display())]
    RelativePath {
        /// The path.
        path: PathBuf,
    },
    /// The id is in use.
    #[error("{kind} {id} is registered already: use a new id for each thing")]
    Taken {
        /// The kind.
        kind: EntryName,
        /// The id.
        id: EntryId,
    },
    /// An entry could not be struck off.
    #[error("could not strike {kind} {id} off the register")]
    Release {
        /// The kind.
        kind: EntryName,
        /// The id.
        id: EntryId,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl RegistryError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            RegistryError::State(error) => error.code(),
            RegistryError::Mark(error) => error.code(),
            RegistryError::Name(error) => error.code(),
            RegistryError::RelativePath { .. } => "owner.relative_path",
            RegistryError::Taken { .. } => "owner.id_taken",
            RegistryError::Release { .. } => "owner.release_failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registry(dir: &Path) -> Arc<OwnerRegistry> {
        OwnerRegistry::open(StateDir::open_at(&dir.join("state")).unwrap()).unwrap()
    }

    fn owners(dir: &Path) -> usize {
        std::fs::read_dir(dir.join("state/owners")).unwrap().count()
    }

    #[test]
    fn an_entry_holds_the_path_and_goes_on_release() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        let entry = registry.register("areas", "one", Path::new("/somewhere")).unwrap();
        let instance = registry.mark().instance.to_string();
        let file = dir.path().join("state/owners").join(instance).join("areas/one");
        assert_eq!(std::fs::read(&file).unwrap(), b"/somewhere");
        entry.release().unwrap();
        assert!(!file.exists());
    }

    #[test]
    fn bad_names_relative_paths_and_taken_ids_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let registry = registry(dir.path());
        let code = |kind: &str, id: &str, path: &str| match registry.register(kind, id, Path::new(path)) {
            Ok(_) => "ok",
            Err(error) => error.code(),
        };
        assert_eq!(code("areas", "one", "/a"), "ok");
        assert_eq!(code("areas", "one", "/a"), "owner.id_taken");
        assert_eq!(code("cgroups", "one", "/a"), "ok");
        assert_eq!(code("../areas", "two", "/a"), "owner.invalid_name");
        assert_eq!(code("areas", "../two", "/a"), "owner.invalid_name");
        assert_eq!(code("areas", "two", "a"), "owner.relative_path");
    }

    #[test]
    fn an_empty_register_goes_with_its_owner_and_a_full_one_stays() {
        let dir = tempfile::tempdir().unwrap();
        let empty = registry(dir.path());
        empty.register("areas", "one", Path::new("/a")).unwrap().release().unwrap();
        assert_eq!(owners(dir.path()), 1);
        drop(empty);
        assert_eq!(owners(dir.path()), 0);
        let full = registry(dir.path());
        drop(full.register("areas", "one", Path::new("/a")).unwrap());
        drop(full);
        assert_eq!(owners(dir.path()), 1);
    }
}
