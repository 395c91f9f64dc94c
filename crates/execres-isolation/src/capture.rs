//! Keeps the head and the tail of a stream, and counts the rest.

use std::collections::VecDeque;

use execres_core::Captured;

/// A stream that is being captured.
#[derive(Debug)]
pub(crate) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    half: usize,
    total: u64,
}

impl Capture {
    /// Keeps at most `retained` bytes: half of them the first ones, half the last ones.
    pub(crate) fn new(retained: u64) -> Self {
        let half = usize::try_from(retained / 2).unwrap_or(usize::MAX / 2);
        Capture { head: Vec::new(), tail: VecDeque::new(), half, total: 0 }
    }

    pub(crate) fn push(&mut self, mut bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let room = self.half.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        bytes = &bytes[room..];
        // Only the end of a long piece can survive, so the rest is never copied.
        bytes = &bytes[bytes.len().saturating_sub(self.half)..];
        let excess = (self.tail.len() + bytes.len()).saturating_sub(self.half);
        self.tail.drain(..excess.min(self.tail.len()));
        self.tail.extend(bytes);
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// `complete` says whether the end of the stream was reached.
    pub(crate) fn finish(self, complete: bool) -> Captured {
        Captured::new(self.head, self.tail.into(), self.total, complete)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_everything_that_fits() {
        let mut capture = Capture::new(10);
        capture.push(b"0123");
        capture.push(b"456789");
        let captured = capture.finish(true);
        assert_eq!((captured.text().as_str(), captured.dropped_bytes()), ("0123456789", 0));
    }

    #[test]
    fn keeps_head_and_tail_whatever_the_pieces() {
        let input: Vec<u8> = (0..1000u32).map(|number| b'a' + (number % 26) as u8).collect();
        for piece in [1, 3, 7, 100, 1000] {
            let mut capture = Capture::new(20);
            input.chunks(piece).for_each(|bytes| capture.push(bytes));
            let captured = capture.finish(true);
            assert_eq!(captured.head(), &input[..10], "pieces of {piece}");
            assert_eq!(captured.tail(), &input[990..], "pieces of {piece}");
            assert_eq!(captured.dropped_bytes(), 980);
        }
    }
}
