//! Reaping: removing what provably dead owners left.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FlockOperation, Mode, OFlags};
use rustix::io::Errno;

use crate::mark::{self, Liveness, OwnerMark};
use crate::name::{EntryId, EntryName};
use crate::registry::{REGISTER_MARK, file_names, remove_empty};
use crate::state::{StateDir, StateError, open_dir_at};

/// Longest path that is read from a register.
const MAX_PATH_BYTES: u64 = 64 << 10;

/// A thing that a dead owner left.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Leftover {
    /// Its dead owner. A thing that carries a mark itself must carry this one.
    pub owner: OwnerMark,
    /// Its kind.
    pub kind: EntryName,
    /// Its id within the kind.
    pub id: EntryId,
    /// Where it was made, or was about to be made.
    pub path: PathBuf,
}

/// What a reaper did with a leftover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reap {
    /// It was there and is gone.
    Removed,
    /// It was not there: its owner died before making it, or after removing it.
    Absent,
}

/// Removes leftovers of one kind.
pub trait Reaper {
    /// The kind, as it was registered.
    fn kind(&self) -> &str;

    /// Removes one leftover, after making sure that what is at its path is what its owner made.
    ///
    /// # Errors
    /// [`ReapError`] when it cannot be removed, or may be somebody else's. It stays in the register.
    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError>;
}

/// Why a leftover was not removed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReapError {
    /// What is at its path does not carry its owner's mark.
    #[error("{} does not carry its owner's mark: look at it, and remove it by hand", path.display())]
    NotOurs {
        /// The path.
        path: PathBuf,
    },
    /// It could not be removed.
    #[error("{} could not be removed: {why}", path.display())]
    Failed {
        /// The path.
        path: PathBuf,
        /// Why.
        why: String,
    },
}

/// What reaping did.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct ReapReport {
    /// What was removed.
    pub removed: Vec<Leftover>,
    /// What was left alone.
    pub kept: Vec<ReapKept>,
    /// What should have been removed and was not.
    pub failed: Vec<ReapFailure>,
}

/// Something that was left alone.
#[derive(Debug)]
#[non_exhaustive]
pub enum ReapKept {
    /// The owner lives, or may live.
    Owner {
        /// Its instance.
        instance: String,
    },
    /// It was made in another mount namespace, and its path leads nowhere in this one.
    OutOfSight {
        /// The thing.
        leftover: Leftover,
    },
    /// Nobody was given who knows how to remove this kind.
    NoReaper {
        /// The thing.
        leftover: Leftover,
    },
}

/// Something that should have been removed and was not. It is tried again by the next reaping.
#[derive(Debug)]
#[non_exhaustive]
pub struct ReapFailure {
    /// The path of the thing, or of the register.
    pub path: PathBuf,
    /// Why, in words.
    pub why: String,
}

/// Removes what dead owners left, with the reaper of each kind. Things of living owners are never looked at.
///
/// Several processes may reap at once: each dead owner is taken by one of them. Living owners can come and go meanwhile.
///
/// # Errors
/// [`StateError`] when the register cannot be read at all. What goes wrong with one thing is in [`ReapReport::failed`].
pub fn reap(state: &StateDir, reapers: &[&dyn Reaper]) -> Result<ReapReport, StateError> {
    let mut report = ReapReport::default();
    let owners = state.owners()?;
    let mut dead = Vec::new();
    let coming = state.lock()?;
    for name in file_names(&owners).map_err(|error| state.failed(error))? {
        let path = state.path().join("owners").join(&name);
        match Owner::take(&owners, &name) {
            Ok(Taken::Dead(owner)) => dead.push(owner),
            Ok(Taken::Living) => {
                report.kept.push(ReapKept::Owner { instance: name.to_string_lossy().into_owned() });
            }
            Ok(Taken::Gone) => {}
            Err(why) => report.failed.push(ReapFailure { path, why: why.to_string() }),
        }
    }
    // What is in `dead` is locked, so nobody else takes it; removing can take its time.
    drop(coming);
    for owner in dead {
        let path = state.path().join("owners").join(&owner.name);
        if let Err(why) = owner.reap(&owners, &path, reapers, &mut report) {
            report.failed.push(ReapFailure { path, why: why.to_string() });
        }
    }
    Ok(report)
}

enum Taken {
    Dead(Owner),
    Living,
    Gone,
}

/// The register of a dead owner, locked by us.
struct Owner {
    name: OsString,
    dir: OwnedFd,
    mark: OwnerMark,
    _lock: OwnedFd,
}

impl Owner {
    /// Takes an owner if it is dead. The caller holds the lock under which owners come and go.
    fn take(owners: &OwnedFd, name: &OsStr) -> io::Result<Taken> {
        let dir = match open_dir_at(owners, Path::new(name)) {
            Ok(dir) => dir,
            Err(Errno::NOENT) => return Ok(Taken::Gone),
            Err(error) => return Err(error.into()),
        };
        let flags = OFlags::RDWR | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = match rustix::fs::openat(&dir, REGISTER_MARK, flags, Mode::empty()) {
            Ok(file) => file,
            // It died on its way, before it could own anything; or it is just leaving.
            Err(Errno::NOENT) => return gone(remove_empty(owners, &name.to_string_lossy(), &dir)),
            Err(error) => return Err(error.into()),
        };
        match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => return Ok(Taken::Living),
            Err(error) => return Err(error.into()),
        }
        let copy = rustix::io::fcntl_dupfd_cloexec(&file, 0)?;
        let mark = OwnerMark::read(copy).map_err(io::Error::other)?;
        if OsStr::new(&mark.instance.to_string()) != name {
            return Err(io::Error::other("the mark in this register is another owner's"));
        }
        match mark.liveness().map_err(io::Error::other)? {
            // The lock is free, yet the process lives: it let go of its register, not of what is in it.
            Liveness::Alive => Ok(Taken::Living),
            // Of another namespace only the lock can tell, and it does: a living owner holds it.
            Liveness::Dead | Liveness::Unknown => {
                Ok(Taken::Dead(Owner { name: name.to_owned(), dir, mark, _lock: file }))
            }
        }
    }

    fn reap(&self, owners: &OwnedFd, path: &Path, reapers: &[&dyn Reaper], report: &mut ReapReport) -> io::Result<()> {
        for kind_name in file_names(&self.dir)? {
            let Some(kind) = kind_name.to_str().and_then(|text| EntryName::parse(text).ok()) else { continue };
            let kind_dir = match open_dir_at(&self.dir, Path::new(kind.as_str())) {
                Ok(dir) => dir,
                // The mark.
                Err(Errno::NOTDIR) => continue,
                Err(error) => return Err(error.into()),
            };
            let reaper = reapers.iter().find(|reaper| reaper.kind() == kind.as_str());
            for id_name in file_names(&kind_dir)? {
                let Some(id) = id_name.to_str().and_then(|text| EntryId::parse(text).ok()) else {
                    // An entry that was never finished: its thing was never made.
                    rustix::fs::unlinkat(&kind_dir, &*id_name, AtFlags::empty())?;
                    continue;
                };
                let entry = path.join(kind.as_str()).join(id.as_str());
                let leftover =
                    Leftover { owner: self.mark.clone(), kind: kind.clone(), path: read_path(&kind_dir, &id)?, id };
                let Some(reaper) = reaper else {
                    report.kept.push(ReapKept::NoReaper { leftover });
                    continue;
                };
                match reaper.reap(&leftover) {
                    // Of another mount namespace, as of a service with a private /tmp: not to be seen here is not to be gone.
                    Ok(Reap::Absent) if !leftover.owner.paths_count_here().unwrap_or(false) => {
                        report.kept.push(ReapKept::OutOfSight { leftover });
                    }
                    Ok(done) => {
                        rustix::fs::unlinkat(&kind_dir, leftover.id.as_str(), AtFlags::empty())?;
                        if done == Reap::Removed {
                            report.removed.push(leftover);
                        }
                    }
                    Err(error) => report.failed.push(ReapFailure { path: entry, why: error.to_string() }),
                }
            }
        }
        match remove_empty(owners, &self.name.to_string_lossy(), &self.dir) {
            // Something is left in it, and the report says what.
            Ok(()) | Err(Errno::NOTEMPTY) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }
}

fn gone(removed: Result<(), Errno>) -> io::Result<Taken> {
    match removed {
        Ok(()) | Err(Errno::NOENT) => Ok(Taken::Gone),
        Err(error) => Err(error.into()),
    }
}

fn read_path(kind_dir: &OwnedFd, id: &EntryId) -> io::Result<PathBuf> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(kind_dir, id.as_str(), flags, Mode::empty())?;
    let mut path = Vec::new();
    std::fs::File::from(file).take(MAX_PATH_BYTES).read_to_end(&mut path)?;
    Ok(PathBuf::from(OsString::from_vec(path)))
}

impl fmt::Display for Leftover {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} at {} (owner: process {})", self.kind, self.id, self.path.display(), self.owner.pid)
    }
}

impl Leftover {
    /// Whether the directory open as `dir` carries the mark of this leftover's owner.
    ///
    /// # Errors
    /// [`crate::MarkError`] when its mark cannot be read.
    pub fn owns(&self, dir: impl std::os::fd::AsFd) -> Result<bool, mark::MarkError> {
        Ok(OwnerMark::read_from(dir)?.as_ref() == Some(&self.owner))
    }
}

#[cfg(test)]
mod tests;
