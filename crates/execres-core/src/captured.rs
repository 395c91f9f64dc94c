//! What was kept of an output stream.

use serde::{Serialize, Serializer, ser::SerializeStruct};

/// Which output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// One captured stream: its head and its tail as bytes, and how much was dropped between them.
///
/// Bytes are kept as they came. [`Captured::text`] shows them, and [`Captured::is_lossy`] says when showing them lost something.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Captured {
    head: Vec<u8>,
    tail: Vec<u8>,
    total_bytes: u64,
    complete: bool,
}

impl Captured {
    /// A captured stream. `total_bytes` is everything that the program wrote, kept or not; `complete` is false when the
    /// stream was closed by us while somebody still held its other end.
    pub fn new(head: Vec<u8>, tail: Vec<u8>, total_bytes: u64, complete: bool) -> Self {
        Captured { head, tail, total_bytes, complete }
    }

    /// The first bytes. All of them when nothing was dropped and `tail` is empty.
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    /// The last bytes, where something was dropped before them.
    pub fn tail(&self) -> &[u8] {
        &self.tail
    }

    /// Everything that the program wrote, kept or not.
    pub const fn total_bytes(&self) -> u64 {
        self.total_bytes
    }

    /// How many bytes were dropped between head and tail.
    pub fn dropped_bytes(&self) -> u64 {
        self.total_bytes.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }

    /// Whether the end of the stream was reached.
    pub const fn is_complete(&self) -> bool {
        self.complete
    }

    /// Whether [`Captured::text`] replaced bytes that are not UTF-8.
    ///
    /// A character cut in two by dropping counts too: what is shown is then not what was written.
    pub fn is_lossy(&self) -> bool {
        if self.dropped_bytes() == 0 {
            // Head and tail are contiguous, so a character may span them.
            return std::str::from_utf8(&self.bytes()).is_err();
        }
        std::str::from_utf8(&self.head).is_err() || std::str::from_utf8(&self.tail).is_err()
    }

    /// What was kept, as text, with a line that counts what was dropped.
    pub fn text(&self) -> String {
        match self.dropped_bytes() {
            0 => String::from_utf8_lossy(&self.bytes()).into_owned(),
            dropped => format!(
                "{}\n[… {dropped} bytes dropped …]\n{}",
                String::from_utf8_lossy(&self.head),
                String::from_utf8_lossy(&self.tail)
            ),
        }
    }

    fn bytes(&self) -> Vec<u8> {
        [self.head.as_slice(), self.tail.as_slice()].concat()
    }
}

impl Serialize for Captured {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Captured", 5)?;
        map.serialize_field("text", &self.text())?;
        map.serialize_field("total_bytes", &self.total_bytes)?;
        map.serialize_field("dropped_bytes", &self.dropped_bytes())?;
        map.serialize_field("lossy_utf8", &self.is_lossy())?;
        map.serialize_field("complete", &self.complete)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_what_was_dropped_and_says_so() {
        let captured = Captured::new(b"abc".to_vec(), b"xyz".to_vec(), 100, true);
        assert_eq!(captured.dropped_bytes(), 94);
        assert_eq!(captured.text(), "abc\n[… 94 bytes dropped …]\nxyz");
    }

    #[test]
    fn a_character_across_head_and_tail_is_whole_when_nothing_was_dropped() {
        let bytes = "é".as_bytes();
        let whole = Captured::new(vec![bytes[0]], vec![bytes[1]], 2, true);
        assert_eq!((whole.text().as_str(), whole.is_lossy()), ("é", false));
        let cut = Captured::new(vec![bytes[0]], vec![], 2, true);
        assert!(cut.is_lossy());
    }
}
