//! One collection under way.

use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd};
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::fs::OFlags;
use rustix::io::Errno;

use super::refusal::{Refusal, RefusalReason};
use super::{Artifact, CollectCaps, CollectError, Collected};
use crate::copy::{CopyFault, copy_hashed, size};
use crate::open::{EntryKind, Mounts, OpenFault, Regular, open_beneath, open_dir_beneath, open_regular};
use crate::path::{OutputKind, OutputPath, RelativePath};
use crate::place::{Placed, Umask};
use crate::tree::{names_of, shown_below};

/// Refusals below directories that are written down; the others are counted.
const MAX_REFUSALS_BELOW: usize = 100;

/// What became of one file.
enum Taken {
    Kept(Artifact),
    Missing,
    Refused(RefusalReason),
}

pub(super) struct Collector<'a> {
    untrusted: BorrowedFd<'a>,
    device: u64,
    into: &'a Dir,
    caps: CollectCaps,
    total: u64,
    directory_files: usize,
    scanned: usize,
    refused_below: usize,
    taken: BTreeSet<RelativePath>,
    collected: Collected,
}

impl<'a> Collector<'a> {
    pub(super) fn new(untrusted: BorrowedFd<'a>, caps: CollectCaps, into: &'a Dir) -> Result<Self, CollectError> {
        let stat = rustix::fs::fstat(untrusted).map_err(|error| CollectError::Untrusted { source: error.into() })?;
        Ok(Collector {
            untrusted,
            device: stat.st_dev,
            into,
            caps,
            total: 0,
            directory_files: 0,
            scanned: 0,
            refused_below: 0,
            taken: BTreeSet::new(),
            collected: Collected::default(),
        })
    }

    pub(super) fn finish(mut self) -> Collected {
        self.collected.outputs.sort_by(|one, other| one.path.cmp(&other.path));
        self.collected
    }

    /// Collects one declared output.
    pub(super) fn declared(&mut self, declared: &OutputPath) -> Result<(), CollectError> {
        let path = match (declared.kind(), declared.within()) {
            (OutputKind::Directory, within) => return self.directory(declared, within),
            (OutputKind::File, Some(path)) => path,
            // A file has a name, or it would not have parsed.
            (OutputKind::File, None) => return Ok(()),
        };
        match self.file(path)? {
            Some(Taken::Kept(artifact)) => self.collected.outputs.push(artifact),
            Some(Taken::Missing) => self.collected.missing.push(declared.clone()),
            Some(Taken::Refused(reason)) => self.refuse_declared(declared, reason),
            None => {}
        }
        Ok(())
    }

    /// Collects every file below a directory, depth first and by name, so that what a cap cuts off does not depend on luck.
    fn directory(&mut self, declared: &OutputPath, within: Option<&RelativePath>) -> Result<(), CollectError> {
        let top = within.map_or_else(PathBuf::new, |path| path.as_path().to_owned());
        let mut waiting = vec![top.clone()];
        let mut cut = None;
        while let Some(path) = waiting.pop() {
            let names = match self.list(&path) {
                Ok(Some(names)) => names,
                Ok(None) => {
                    cut = Some(RefusalReason::TooMany { cap: self.caps.scanned_entries, what: "entries" });
                    break;
                }
                Err(error) if path == top => {
                    return self.unlisted(declared, error);
                }
                Err(error) => {
                    self.refuse_below(&path, RefusalReason::from(error));
                    continue;
                }
            };
            let mut directories = Vec::new();
            for name in names {
                let below = path.join(name);
                match self.kind(&below) {
                    Ok(EntryKind::Directory) => directories.push(below),
                    Ok(EntryKind::File) => match self.below(&below)? {
                        Some(reason) if cut.is_none() => cut = Some(reason),
                        _ => {}
                    },
                    Ok(kind) => self.refuse_below(&below, RefusalReason::NotRegular { kind }),
                    Err(error) => self.refuse_below(&below, RefusalReason::from(error)),
                }
            }
            waiting.extend(directories.into_iter().rev());
        }
        if let Some(reason) = cut {
            self.refuse_declared(declared, reason);
        }
        Ok(())
    }

    /// Takes one file below a directory. Answers why the directory is not complete, if it is a cap that this file is over.
    fn below(&mut self, path: &Path) -> Result<Option<RefusalReason>, CollectError> {
        let parsed = match kept_name(path) {
            Ok(parsed) => parsed,
            Err(reason) => {
                self.refuse_below(path, reason);
                return Ok(None);
            }
        };
        if self.directory_files == self.caps.directory_files && !self.taken.contains(&parsed) {
            return Ok(Some(RefusalReason::TooMany { cap: self.caps.directory_files, what: "files" }));
        }
        match self.file(&parsed)? {
            Some(Taken::Kept(artifact)) => {
                self.directory_files += 1;
                self.collected.outputs.push(artifact);
            }
            Some(Taken::Refused(reason)) => {
                let cut = reason.is_size().then_some(RefusalReason::CutBySize);
                self.refuse_below(path, reason);
                return Ok(cut);
            }
            // It went away, or is kept already.
            Some(Taken::Missing) | None => {}
        }
        Ok(None)
    }

    /// Takes one file; `None` when it is taken already.
    fn file(&mut self, path: &RelativePath) -> Result<Option<Taken>, CollectError> {
        if self.taken.contains(path) {
            return Ok(None);
        }
        let file = match open_regular(self.untrusted, path.as_path(), Mounts::Stay) {
            Ok(file) => file,
            Err(fault) => {
                return Ok(Some(RefusalReason::from_fault(fault).map_or(Taken::Missing, Taken::Refused)));
            }
        };
        if let Some(reason) = self.unfit(&file) {
            return Ok(Some(Taken::Refused(reason)));
        }
        let taken = self.copy(path, &file)?;
        if matches!(taken, Taken::Kept(_)) {
            self.taken.insert(path.clone());
        }
        Ok(Some(taken))
    }

    /// What the open file's own facts say against it.
    fn unfit(&self, file: &Regular) -> Option<RefusalReason> {
        let bytes = size(file);
        if file.stat.st_dev != self.device {
            Some(RefusalReason::OtherFileSystem)
        } else if file.stat.st_nlink == 0 {
            Some(RefusalReason::Changed)
        } else if file.stat.st_nlink > 1 {
            Some(RefusalReason::HardLinked { links: links(file.stat.st_nlink) })
        } else if bytes > self.caps.file_bytes {
            Some(RefusalReason::TooLarge { bytes, cap: self.caps.file_bytes })
        } else if bytes > self.caps.total_bytes - self.total {
            Some(RefusalReason::TotalTooLarge { cap: self.caps.total_bytes })
        } else {
            None
        }
    }

    fn copy(&mut self, path: &RelativePath, file: &Regular) -> Result<Taken, CollectError> {
        let failed = |source: std::io::Error| CollectError::Write { path: path.as_path().to_owned(), source };
        let placed = match Placed::create(self.into, path, Umask::Applies) {
            Ok(placed) => placed,
            // A tree that changes can show one name as a directory and as a file.
            Err(Errno::EXIST | Errno::NOTDIR | Errno::ISDIR | Errno::LOOP) => {
                return Ok(Taken::Refused(RefusalReason::Taken));
            }
            Err(error) => return Err(failed(error.into())),
        };
        let fault = match copy_hashed(file, &placed.file) {
            Ok((bytes, sha256)) => {
                self.total += bytes;
                return Ok(Taken::Kept(Artifact {
                    path: format!("output/{path}"),
                    bytes,
                    sha256,
                    media_type: mime_guess::from_path(path.as_path()).first_or_octet_stream().to_string(),
                }));
            }
            Err(fault) => fault,
        };
        placed.withdraw().map_err(|error| failed(error.into()))?;
        match fault {
            CopyFault::Changed => Ok(Taken::Refused(RefusalReason::Changed)),
            CopyFault::Read(error) => Ok(Taken::Refused(RefusalReason::io(error))),
            CopyFault::Write(error) => Err(failed(error)),
        }
    }

    /// The names in a directory; `None` when that would be more entries than are looked at.
    fn list(&mut self, path: &Path) -> Result<Option<Vec<std::ffi::OsString>>, Errno> {
        let dir = open_dir_beneath(self.untrusted, path, Mounts::Stay)?;
        let names = names_of(dir.as_fd(), self.caps.scanned_entries - self.scanned)?;
        self.scanned += names.as_ref().map_or(0, Vec::len);
        Ok(names)
    }

    fn kind(&self, path: &Path) -> Result<EntryKind, Errno> {
        let found = open_beneath(self.untrusted, path, OFlags::PATH, Mounts::Stay)?;
        Ok(EntryKind::of(&rustix::fs::fstat(found)?))
    }

    /// A declared directory that cannot be listed.
    fn unlisted(&mut self, declared: &OutputPath, error: Errno) -> Result<(), CollectError> {
        let Some(within) = declared.within() else { return Err(CollectError::Untrusted { source: error.into() }) };
        let reason = match self.kind(within.as_path()) {
            Ok(EntryKind::Directory) => RefusalReason::from(error),
            Ok(EntryKind::File) => RefusalReason::NotADirectory,
            Ok(kind) => RefusalReason::NotRegular { kind },
            Err(error) => match RefusalReason::from_fault(OpenFault::from(error)) {
                Some(reason) => reason,
                None => {
                    self.collected.missing.push(declared.clone());
                    return Ok(());
                }
            },
        };
        self.refuse_declared(declared, reason);
        Ok(())
    }

    fn refuse_declared(&mut self, declared: &OutputPath, reason: RefusalReason) {
        self.collected.refused.push(Refusal { path: declared.to_string(), reason, is_declared: true });
    }

    fn refuse_below(&mut self, path: &Path, reason: RefusalReason) {
        if self.refused_below == MAX_REFUSALS_BELOW {
            self.collected.refused_more += 1;
            return;
        }
        self.refused_below += 1;
        self.collected.refused.push(Refusal { path: shown_below("output/", path), reason, is_declared: false });
    }
}

/// The count of names, whose width differs between architectures.
fn links(count: impl Into<u64>) -> u64 {
    count.into()
}

/// A path below a directory output, as ours. It must be spelled on disk as we would spell it, or the copy would get another
/// name than the original.
fn kept_name(path: &Path) -> Result<RelativePath, RefusalReason> {
    let why = |why: String| RefusalReason::Name { why };
    let text = path.to_str().ok_or_else(|| why("it is not UTF-8".to_owned()))?;
    let parsed = RelativePath::parse(text).map_err(|error| why(error.fault.to_string()))?;
    if parsed.as_str() == text { Ok(parsed) } else { Err(why("it is not in Unicode NFC".to_owned())) }
}
