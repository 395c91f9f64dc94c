//! Reads the blob of a run. A position that runs over the end makes every later read fail, so one check at the end is enough.

use crate::numbers::EINVAL;
use crate::sys::{CStr, Errno, Result, call};

/// A reader over the mapped blob. Copying it remembers a position.
#[derive(Clone, Copy)]
pub struct Blob {
    bytes: &'static [u8],
    at: usize,
}

impl Blob {
    /// Maps the whole memfd.
    pub fn map(fd: i32) -> Result<Blob> {
        const PROT_READ: usize = 1;
        const MAP_PRIVATE: usize = 2;
        // struct stat: the size is the seventh word on both machines.
        let mut stat = [0u64; 32];
        call(crate::numbers::FSTAT, &[fd as usize, stat.as_mut_ptr() as usize])?;
        let size = stat[6] as usize;
        let address = call(crate::numbers::MMAP, &[0, size, PROT_READ, MAP_PRIVATE, fd as usize, 0])?;
        // SAFETY: the mapping has `size` bytes, stays for the life of the process, and the memfd is sealed against change.
        let bytes = unsafe { core::slice::from_raw_parts(address as *const u8, size) };
        Ok(Blob { bytes, at: 0 })
    }

    pub fn word(&mut self) -> Result<u32> {
        let end = self.at + 4;
        let bytes = self.bytes.get(self.at..end).ok_or(Errno(EINVAL))?;
        self.at = end;
        Ok(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
    }

    pub fn long(&mut self) -> Result<u64> {
        let low = u64::from(self.word()?);
        Ok(low | u64::from(self.word()?) << 32)
    }

    pub fn bytes(&mut self) -> Result<&'static [u8]> {
        let length = self.word()? as usize;
        let end = self.at.checked_add(length).ok_or(Errno(EINVAL))?;
        let bytes = self.bytes.get(self.at..end).ok_or(Errno(EINVAL))?;
        self.at = (end + 3) & !3;
        Ok(bytes)
    }

    /// A text with its NUL.
    pub fn text(&mut self) -> Result<CStr> {
        let bytes = self.bytes()?;
        if bytes.last() == Some(&0) { Ok(CStr::new(bytes)) } else { Err(Errno(EINVAL)) }
    }
}
