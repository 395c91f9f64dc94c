//! Progress of long calls.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

/// How far a call is. The stage is a static text, so nothing secret can be put into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// What is going on, for example `pulling_image`.
    pub stage: &'static str,
    /// How much is done, in a unit of the provider's.
    pub done: u64,
    /// How much there is to do, where that is known.
    pub total: Option<u64>,
}

/// Takes reports of progress. Reporting never blocks and never fails.
#[derive(Clone)]
pub struct ProgressReporter(Arc<dyn Fn(Progress) + Send + Sync>);

impl ProgressReporter {
    /// Hands every report to `take`.
    pub fn new(take: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        ProgressReporter(Arc::new(take))
    }

    /// Drops every report.
    pub fn none() -> Self {
        ProgressReporter::new(|_| {})
    }

    /// Reports how far the call is.
    pub fn report(&self, progress: Progress) {
        (self.0)(progress);
    }
}

impl fmt::Debug for ProgressReporter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProgressReporter")
    }
}
