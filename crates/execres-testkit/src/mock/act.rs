//! How one call of the mock goes.

use std::sync::Arc;
use std::time::Duration;

use execres_core::{ErrorCode, ProviderError};
use tokio::sync::Barrier;

use super::gate::Gate;

/// The code of every failure that a test orders.
const TOLD_TO_FAIL: ErrorCode = ErrorCode::of_provider("mock_told_to_fail");

/// How one call goes.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Act {
    /// It succeeds.
    Succeed,
    /// It fails, with this text in the message, the suggestion and the cause.
    Fail(String),
    /// It panics.
    Panic,
    /// It never ends.
    Hang,
    /// It comes back to its caller once before it succeeds.
    Yield,
    /// It waits at a gate, then succeeds.
    Wait(Gate),
    /// It waits until as many calls as the barrier wants are there at once, then succeeds.
    Meet(Arc<Barrier>),
    /// It takes this long by tokio's clock, then succeeds. Under `tokio::time::pause` that is no real time.
    Take(Duration),
}

impl Act {
    /// It fails, with this text.
    pub fn fail(text: impl Into<String>) -> Self {
        Act::Fail(text.into())
    }

    /// It waits until `calls` calls are there at once.
    pub fn meet(calls: usize) -> Self {
        Act::Meet(Arc::new(Barrier::new(calls)))
    }

    #[expect(clippy::panic, reason = "a call that is told to panic does")]
    pub(super) async fn play(self) -> Result<(), ProviderError> {
        match self {
            Act::Succeed => {}
            Act::Fail(text) => {
                return Err(ProviderError::new(TOLD_TO_FAIL, text.clone())
                    .with_suggestion(format!("tell it otherwise than {text}"))
                    .with_source(text));
            }
            Act::Panic => panic!("told to panic"),
            Act::Hang => std::future::pending().await,
            Act::Yield => tokio::task::yield_now().await,
            Act::Wait(gate) => gate.pass().await,
            Act::Meet(barrier) => {
                barrier.wait().await;
            }
            Act::Take(time) => tokio::time::sleep(time).await,
        }
        Ok(())
    }
}
