//! Copying a file and hashing it, from one descriptor and in constant memory.

use std::fs::File;
use std::io;

use crate::digest::{Sha256, Sha256Hasher};
use crate::open::Regular;

const BUFFER_BYTES: usize = 128 << 10;

/// Why a copy was not finished.
#[derive(Debug)]
pub(crate) enum CopyFault {
    /// It is not the file that was looked at any more: its size, or its times, changed meanwhile.
    Changed,
    /// It could not be read.
    Read(io::Error),
    /// The copy could not be written.
    Write(io::Error),
}

/// Copies `from` to `to` from its start, hashing what is written. Never more than the size that was seen at opening is
/// copied, so the caller's check of that size bounds the copy whatever the file's owner does meanwhile.
pub(crate) fn copy_hashed(from: &Regular, to: &File) -> Result<(u64, Sha256), CopyFault> {
    let expected = size(from);
    let mut buffer = vec![0; BUFFER_BYTES];
    let mut hasher = Sha256Hasher::new();
    let mut copied = 0;
    while copied < expected {
        let want = buffer.len().min(usize::try_from(expected - copied).unwrap_or(usize::MAX));
        // Read at a position: the descriptor may be shared with somebody who moves its offset.
        let got = rustix::io::retry_on_intr(|| rustix::io::pread(&from.file, &mut buffer[..want], copied))
            .map_err(|error| CopyFault::Read(error.into()))?;
        if got == 0 {
            return Err(CopyFault::Changed);
        }
        hasher.update(&buffer[..got]);
        io::Write::write_all(&mut &*to, &buffer[..got]).map_err(CopyFault::Write)?;
        copied += got as u64;
    }
    let after = rustix::fs::fstat(&from.file).map_err(|error| CopyFault::Read(error.into()))?;
    let same = after.st_size == from.stat.st_size
        && (after.st_mtime, after.st_mtime_nsec) == (from.stat.st_mtime, from.stat.st_mtime_nsec);
    if same { Ok((copied, hasher.finish())) } else { Err(CopyFault::Changed) }
}

/// The apparent size: what reading it would give, however little a sparse file takes on disk.
pub(crate) fn size(file: &Regular) -> u64 {
    u64::try_from(file.stat.st_size).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Seek};

    use super::*;
    use crate::open::regular_from;

    #[test]
    fn the_whole_file_is_copied_wherever_its_offset_stands() {
        let content: Vec<u8> = (0..300_000_u32).map(|n| (n % 251) as u8).collect();
        let mut source = tempfile::tempfile().unwrap();
        io::Write::write_all(&mut source, &content).unwrap();
        let mut copy = tempfile::tempfile().unwrap();
        let answer = copy_hashed(&regular_from(source).unwrap(), &copy).unwrap();
        assert_eq!(answer, (300_000, Sha256::of(&content)));
        copy.rewind().unwrap();
        let mut read = Vec::new();
        copy.read_to_end(&mut read).unwrap();
        assert_eq!(read, content);
    }

    #[test]
    fn a_file_that_grew_or_shrank_since_it_was_looked_at_is_told() {
        for size_after in [3_u64, 8] {
            let source = tempfile::tempfile().unwrap();
            source.set_len(5).unwrap();
            let seen = regular_from(source.try_clone().unwrap()).unwrap();
            source.set_len(size_after).unwrap();
            let copy = tempfile::tempfile().unwrap();
            assert!(matches!(copy_hashed(&seen, &copy), Err(CopyFault::Changed)));
            assert!(copy.metadata().unwrap().len() <= 5, "no more is copied than was looked at");
        }
    }
}
