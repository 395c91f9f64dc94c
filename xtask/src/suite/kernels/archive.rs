//! The archive that a kernel unpacks as its first file system: cpio in its "newc" form.

/// An archive in the making.
#[derive(Debug, Default)]
pub(super) struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

const DIRECTORY: u32 = 0o040_755;
const PROGRAM: u32 = 0o100_755;

impl Archive {
    pub(super) fn directory(&mut self, path: &str) {
        self.entry(path, DIRECTORY, &[]);
    }

    /// A file that anybody may read and execute.
    pub(super) fn file(&mut self, path: &str, content: &[u8]) {
        self.entry(path, PROGRAM, content);
    }

    pub(super) fn finish(mut self) -> Vec<u8> {
        self.entry("TRAILER!!!", 0, &[]);
        self.bytes
    }

    fn entry(&mut self, path: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        self.bytes.extend_from_slice(b"070701");
        let (inode, links) = (self.entries, 1);
        // Inode, mode, owner, group, links, time, size, four numbers of devices, length of the name, checksum.
        let sizes = [content.len(), path.len() + 1].map(|size| u32::try_from(size).unwrap_or(u32::MAX));
        for word in [inode, mode, 0, 0, links, 0, sizes[0], 0, 0, 0, 0, sizes[1], 0] {
            self.bytes.extend_from_slice(format!("{word:08x}").as_bytes());
        }
        self.bytes.extend_from_slice(path.as_bytes());
        self.bytes.push(0);
        self.align();
        self.bytes.extend_from_slice(content);
        self.align();
    }

    fn align(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_header_of_110_bytes_a_name_and_a_content_each_padded() {
        let mut archive = Archive::default();
        archive.file("init", b"#!x");
        let bytes = archive.finish();
        assert_eq!(&bytes[..14], b"07070100000001");
        assert_eq!(&bytes[14..22], b"000081ed");
        assert_eq!(&bytes[54..62], b"00000003");
        assert_eq!(&bytes[110..115], b"init\0");
        assert_eq!(&bytes[116..120], b"#!x\0");
        assert_eq!(&bytes[120..126], b"070701");
        assert_eq!(bytes.len() % 4, 0);
    }
}
