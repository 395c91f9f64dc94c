//! Listing a tree that somebody else wrote.

use std::collections::VecDeque;
use std::ffi::{OsStr, OsString};
use std::os::fd::BorrowedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, Dir};
use rustix::io::Errno;
use serde::Serialize;

use crate::open::{EntryKind, Mounts, open_dir_beneath};

/// The kernel takes no longer path than this, its end mark included.
const MAX_PATH_BYTES: usize = 4095;

/// How far a listing goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeBounds {
    /// Most entries that are listed. Default 1000.
    pub entries: usize,
    /// Most names in a path. Default 32.
    pub depth: usize,
}

impl Default for TreeBounds {
    fn default() -> Self {
        TreeBounds { entries: 1000, depth: 32 }
    }
}

/// One entry of a tree.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeEntry {
    /// Its path as it is on disk, which may be anything.
    pub path: PathBuf,
    /// What it is.
    pub kind: EntryKind,
    /// Its apparent size in bytes.
    pub bytes: u64,
}

impl TreeEntry {
    /// The path as text that can be printed anywhere.
    pub fn shown(&self) -> String {
        printable(self.path.as_os_str())
    }
}

/// Whether a listing has everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Completeness {
    /// It has.
    Complete,
    /// It was cut at its bounds, or a directory could not be read.
    Cut,
}

/// A listing, sorted by path.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TreeListing {
    /// The entries.
    pub entries: Vec<TreeEntry>,
    /// Whether that is all.
    pub completeness: Completeness,
}

/// Lists what is below a directory, within bounds. No link is followed and no other mount is entered. The tree may change
/// meanwhile; what goes away is left out.
///
/// # Errors
/// [`std::io::Error`] when the directory itself cannot be read.
pub fn list_tree(root: BorrowedFd<'_>, bounds: TreeBounds) -> std::io::Result<TreeListing> {
    let mut listing = TreeListing { entries: Vec::new(), completeness: Completeness::Complete };
    let mut waiting = VecDeque::from([(PathBuf::new(), 0)]);
    while let Some((path, depth)) = waiting.pop_front() {
        let is_root = path.as_os_str().is_empty();
        let dir = match open_dir_beneath(root, &path, Mounts::Stay) {
            Ok(dir) => dir,
            Err(error) if is_root => return Err(error.into()),
            // Something is mounted there, so it is not part of this tree.
            Err(Errno::XDEV) => continue,
            Err(_) => {
                listing.completeness = Completeness::Cut;
                continue;
            }
        };
        // As many names as there is room for. Which ones, of a directory with more, is up to the kernel.
        let room = bounds.entries - listing.entries.len();
        for entry in
            Dir::read_from(&dir)?.filter(|entry| entry.as_ref().map_or(true, |entry| !is_dots(entry))).take(room + 1)
        {
            if listing.entries.len() == bounds.entries {
                listing.completeness = Completeness::Cut;
                break;
            }
            let Ok(entry) = entry else {
                listing.completeness = Completeness::Cut;
                break;
            };
            let Ok(stat) = rustix::fs::statat(&dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) else { continue };
            let below = path.join(OsStr::from_bytes(entry.file_name().to_bytes()));
            let kind = EntryKind::of(&stat);
            if kind == EntryKind::Directory {
                if depth + 1 < bounds.depth && below.as_os_str().len() < MAX_PATH_BYTES {
                    waiting.push_back((below.clone(), depth + 1));
                } else {
                    listing.completeness = Completeness::Cut;
                }
            }
            listing.entries.push(TreeEntry { path: below, kind, bytes: u64::try_from(stat.st_size).unwrap_or(0) });
        }
        if listing.entries.len() == bounds.entries && !waiting.is_empty() {
            listing.completeness = Completeness::Cut;
            break;
        }
    }
    listing.entries.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(listing)
}

fn is_dots(entry: &rustix::fs::DirEntry) -> bool {
    [b".".as_slice(), b".."].contains(&entry.file_name().to_bytes())
}

/// The names in a directory, sorted; `None` when there are more than `most`.
pub(crate) fn names_of(dir: BorrowedFd<'_>, most: usize) -> Result<Option<Vec<OsString>>, Errno> {
    let mut names = Vec::new();
    for entry in Dir::read_from(dir)? {
        let entry = entry?;
        if is_dots(&entry) {
            continue;
        }
        if names.len() == most {
            return Ok(None);
        }
        names.push(OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
    }
    names.sort();
    Ok(Some(names))
}

/// A path from somebody else, as text without control characters: nothing that is printed can pass for something else.
pub(crate) fn printable(path: &OsStr) -> String {
    let mut text = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        for character in chunk.valid().chars() {
            if character.is_control() || is_direction(character) {
                text.extend(character.escape_default());
            } else {
                text.push(character);
            }
        }
        for byte in chunk.invalid() {
            text.push_str(&format!("\\x{byte:02x}"));
        }
    }
    text
}

/// Characters that turn the direction of what follows on a screen.
const fn is_direction(character: char) -> bool {
    matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// For messages about a path below another.
pub(crate) fn shown_below(prefix: &str, path: &Path) -> String {
    format!("{prefix}{}", printable(path.as_os_str()))
}

#[cfg(test)]
mod tests;
