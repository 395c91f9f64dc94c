//! Two readers of outputs: one that is careful, as a host has to be, and one that is not, as the control.

use std::io::Read;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};

/// The file that attacks leave for the host.
pub(crate) const RESULT: &str = "result";
/// How much of an output is read.
const MOST: u64 = 64 << 10;

/// What a careful reader gets: a regular file with one name, below the directory, reached over no link.
pub(crate) fn careful(directory: impl AsFd) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_XDEV;
    let file = rustix::fs::openat2(directory, RESULT, flags, Mode::empty(), resolve).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile || stat.st_nlink != 1 {
        return None;
    }
    let mut bytes = Vec::new();
    std::fs::File::from(file).take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// What a reader gets that trusts the name.
pub(crate) fn naive(directory: &Path) -> Option<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::open(directory.join(RESULT), flags, Mode::empty()).ok()?;
    let mut bytes = Vec::new();
    std::fs::File::from(file).take(MOST).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Whether something that was read holds a secret.
pub(crate) fn holds(bytes: &[u8], token: &str) -> bool {
    bytes.windows(token.len()).any(|window| window == token.as_bytes())
}
