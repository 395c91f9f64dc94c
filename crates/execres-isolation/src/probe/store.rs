//! Evidence on disk, for programs that are started anew for each run.
//!
//! A file of evidence is believed only when nobody but this user can have written it: it lies in the state directory, which
//! is the user's alone, belongs to the user, is closed to others, has one name, and is no link. A guest never reaches it:
//! profiles refuse to grant it. It carries the whole fingerprint that it was found under, the boot's identity included, so
//! that a reboot, another build or another setting of the kernel makes it worthless.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;
use std::sync::Arc;

use execres_core::IsolationReport;
use execres_owner::{OwnerRegistry, private_directory};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The directory of evidence in the state directory.
pub(crate) const DIRECTORY: &str = "evidence";
/// Changes with the format, so that another one is not read.
const FORMAT: u32 = 1;
/// A report is a few kilobytes.
const LARGEST: u64 = 256 << 10;
/// Files that are kept. Each shape and each boot makes one; this bounds the directory and nothing else.
const MOST: usize = 64;

#[derive(Serialize, Deserialize)]
struct Stored<R> {
    format: u32,
    fingerprint: String,
    report: R,
}

/// What was found for this fingerprint, if it can be believed.
pub(super) fn load(owners: &Arc<OwnerRegistry>, fingerprint: &str) -> Option<IsolationReport> {
    let directory = open(owners.state().path()).ok()?;
    match read(&directory, fingerprint) {
        Ok(report) => report,
        Err(Errno::NOENT) => None,
        Err(error) => {
            tracing::debug!(%error, "stored evidence is not believed");
            None
        }
    }
}

/// Writes down what was found. That it could not be costs the next program a probe and nothing else.
pub(super) fn save(owners: &Arc<OwnerRegistry>, fingerprint: &str, report: &IsolationReport) {
    let written = open(owners.state().path()).and_then(|directory| write(&directory, fingerprint, report));
    if let Err(error) = written {
        tracing::debug!(%error, "evidence could not be stored");
    }
}

fn name_of(fingerprint: &str) -> String {
    format!("{}.json", hex::encode(Sha256::digest(fingerprint.as_bytes())))
}

fn open(state: &Path) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let state = rustix::fs::open(state, flags, Mode::empty())?;
    let directory = private_directory(&state, DIRECTORY)?;
    for fd in [&state, &directory] {
        if !is_ours_alone(fd, FileType::Directory)? {
            return Err(Errno::PERM);
        }
    }
    Ok(directory)
}

/// Whether nobody but this user can have had a hand in it.
fn is_ours_alone(fd: impl AsFd, kind: FileType) -> Result<bool, Errno> {
    let stat = rustix::fs::fstat(fd)?;
    let own = stat.st_uid == rustix::process::geteuid().as_raw();
    Ok(own && stat.st_mode & 0o077 == 0 && FileType::from_raw_mode(stat.st_mode) == kind)
}

fn read(directory: &OwnedFd, fingerprint: &str) -> Result<Option<IsolationReport>, Errno> {
    // Opening a FIFO or a device that somebody put there must not wait.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(directory, name_of(fingerprint), flags, Mode::empty())?;
    let stat = rustix::fs::fstat(&file)?;
    if !is_ours_alone(&file, FileType::RegularFile)? || stat.st_nlink != 1 {
        return Err(Errno::PERM);
    }
    let mut text = Vec::new();
    File::from(file).take(LARGEST).read_to_end(&mut text).map_err(|_| Errno::IO)?;
    let Ok(stored) = serde_json::from_slice::<Stored<IsolationReport>>(&text) else { return Ok(None) };
    // The name is a digest of the fingerprint; the fingerprint itself is what counts.
    let same = stored.format == FORMAT && stored.fingerprint == fingerprint;
    Ok(same.then_some(stored.report))
}

fn write(directory: &OwnedFd, fingerprint: &str, report: &IsolationReport) -> Result<(), Errno> {
    let stored = Stored { format: FORMAT, fingerprint: fingerprint.to_owned(), report };
    let text = serde_json::to_vec(&stored).map_err(|_| Errno::INVAL)?;
    make_room(directory)?;
    let partial = format!("{}.partial", uuid::Uuid::new_v4().simple());
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut file = File::from(rustix::fs::openat(directory, &partial, flags, Mode::RUSR | Mode::WUSR)?);
    rustix::fs::fchmod(&file, Mode::RUSR | Mode::WUSR)?;
    let renamed = file.write_all(&text).map_err(|_| Errno::IO).and_then(|()| {
        // Whole or not at all: a reader sees the old file or the new one.
        rustix::fs::renameat(directory, &partial, directory, name_of(fingerprint))
    });
    if renamed.is_err() {
        rustix::fs::unlinkat(directory, &partial, AtFlags::empty())?;
    }
    renamed
}

/// Removes everything when there is too much: most of it is of other boots and builds.
fn make_room(directory: &OwnedFd) -> Result<(), Errno> {
    let entries: Vec<_> = rustix::fs::Dir::read_from(directory)?
        .filter_map(Result::ok)
        .map(|entry| entry.file_name().to_owned())
        .filter(|name| !name.to_bytes().starts_with(b"."))
        .collect();
    if entries.len() < MOST {
        return Ok(());
    }
    for name in entries {
        match rustix::fs::unlinkat(directory, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
