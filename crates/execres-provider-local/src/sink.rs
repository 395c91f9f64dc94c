//! Passes streamed output on, with the role of its step.

use std::sync::Arc;

use execres_code::{Bundle, OutputSink, StepAt, StepRole};
use execres_core::Stream;

/// A job's sink as the sandbox wants it.
pub(crate) struct Adapter {
    sink: Arc<dyn OutputSink>,
    roles: Vec<StepRole>,
}

impl Adapter {
    pub(crate) fn new(sink: &Arc<dyn OutputSink>, bundle: &Bundle) -> Self {
        Adapter { sink: Arc::clone(sink), roles: bundle.steps().map(execres_code::Step::role).collect() }
    }
}

impl execres_isolation::OutputSink for Adapter {
    fn write(&self, step: usize, stream: Stream, bytes: &[u8]) {
        if let Some(role) = self.roles.get(step) {
            self.sink.write(StepAt { index: step, role: *role }, stream, bytes);
        }
    }
}
