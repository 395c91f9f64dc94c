//! Reading one-line files of the kernel.

use std::fs;

/// The content without the end of the line, where the file can be read.
pub(super) fn read(path: &str) -> Option<String> {
    fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// The number in a file.
pub(super) fn number(path: &str) -> Option<u64> {
    read(path)?.parse().ok()
}
