//! A gate that holds calls until the test lets them through.

use std::sync::Arc;

use tokio::sync::watch;

#[derive(Debug, Clone, Copy, Default)]
struct State {
    arrived: usize,
    let_through: usize,
}

/// Holds calls until the test lets them through, and tells the test how many have come.
#[derive(Debug, Clone)]
pub struct Gate(Arc<watch::Sender<State>>);

impl Gate {
    /// A closed gate.
    pub fn closed() -> Self {
        Gate(Arc::new(watch::Sender::new(State::default())))
    }

    /// Lets this many more calls through, in the order in which they came.
    pub fn let_through(&self, calls: usize) {
        self.0.send_modify(|state| state.let_through = state.let_through.saturating_add(calls));
    }

    /// Lets everybody through from now on.
    pub fn open(&self) {
        self.let_through(usize::MAX);
    }

    /// How many calls have come.
    pub fn arrived(&self) -> usize {
        self.0.borrow().arrived
    }

    /// Waits until this many calls have come.
    ///
    /// # Cancel safety
    /// Dropping the future changes nothing.
    pub async fn reached_by(&self, calls: usize) {
        self.wait_for(|state| state.arrived >= calls).await;
    }

    pub(super) async fn pass(&self) {
        let mut turn = 0;
        self.0.send_modify(|state| {
            state.arrived += 1;
            turn = state.arrived;
        });
        self.wait_for(|state| state.let_through >= turn).await;
    }

    async fn wait_for(&self, reached: impl FnMut(&State) -> bool) {
        // The sender is this gate's own, so the wait cannot end by its going away.
        let _state = self.0.subscribe().wait_for(reached).await.map(|state| *state);
    }
}
