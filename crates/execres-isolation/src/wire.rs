//! Writes the blob of a run; `sys/launcher/blob.rs` reads it.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A blob that is being written.
#[derive(Debug, Default)]
pub(crate) struct Wire(Vec<u8>);

impl Wire {
    pub(crate) fn word(&mut self, word: u32) -> &mut Self {
        self.0.extend_from_slice(&word.to_le_bytes());
        self
    }

    pub(crate) fn long(&mut self, long: u64) -> &mut Self {
        self.0.extend_from_slice(&long.to_le_bytes());
        self
    }

    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> &mut Self {
        self.word(bytes.len() as u32);
        self.0.extend_from_slice(bytes);
        self.pad()
    }

    /// A text with its NUL. Texts with a NUL inside were refused where they were parsed.
    pub(crate) fn text(&mut self, text: &[u8]) -> &mut Self {
        self.word(text.len() as u32 + 1);
        self.0.extend_from_slice(text);
        self.0.push(0);
        self.pad()
    }

    /// A path of the guest as the launcher wants it while it builds the root: relative to that root.
    pub(crate) fn relative(&mut self, path: &Path) -> &mut Self {
        let bytes = path.as_os_str().as_bytes();
        self.text(bytes.strip_prefix(b"/").unwrap_or(bytes))
    }

    pub(crate) fn path(&mut self, path: &Path) -> &mut Self {
        self.text(path.as_os_str().as_bytes())
    }

    pub(crate) fn append(&mut self, other: &Wire) -> &mut Self {
        self.0.extend_from_slice(&other.0);
        self
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    fn pad(&mut self) -> &mut Self {
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }
}
