//! The live resource of the mock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::record::Record;

/// The live resource of the mock. It notices when it is dropped without a release.
#[derive(Debug)]
pub struct MockResource {
    number: usize,
    pub(super) is_broken: AtomicBool,
    pub(super) is_released: AtomicBool,
    pub(super) releasing: AtomicUsize,
    record: Arc<Record>,
}

impl MockResource {
    pub(super) fn new(number: usize, record: Arc<Record>) -> Self {
        record.counts.send_modify(|counts| counts.live += 1);
        MockResource {
            number,
            is_broken: AtomicBool::new(false),
            is_released: AtomicBool::new(false),
            releasing: AtomicUsize::new(0),
            record,
        }
    }

    /// Which ensure made it, from 1.
    pub const fn number(&self) -> usize {
        self.number
    }

    /// Breaks it: its health check says so from now on.
    pub fn break_it(&self) {
        self.is_broken.store(true, Ordering::SeqCst);
    }

    /// Notes the release, once.
    pub(super) fn released(&self) {
        if !self.is_released.swap(true, Ordering::SeqCst) {
            self.record.counts.send_modify(|counts| counts.live -= 1);
        }
    }
}

impl Drop for MockResource {
    fn drop(&mut self) {
        if !self.is_released.load(Ordering::SeqCst) {
            self.record.counts.send_modify(|counts| counts.leaked += 1);
        }
    }
}
