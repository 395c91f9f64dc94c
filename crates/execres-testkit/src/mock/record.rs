//! What the mock saw: every call in order, and counts.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Mutex, MutexGuard, PoisonError};

use execres_core::{IsolationReport, Probe};
use tokio::sync::watch;

use super::act::Act;

/// A call of the provider contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Call {
    /// `probe`.
    Probe,
    /// `ensure`.
    Ensure,
    /// `health_check`.
    HealthCheck,
    /// `release`.
    Release,
}

/// How often what happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Counts {
    /// Probes that began.
    pub probed: usize,
    /// Ensures that began.
    pub ensured: usize,
    /// Health checks that began.
    pub health_checked: usize,
    /// Releases that began.
    pub released: usize,
    /// Resources that were made and not released.
    pub live: usize,
    /// Resources that were dropped by everybody without a release that succeeded.
    pub leaked: usize,
    /// Ensures that were dropped before their end.
    pub abandoned: usize,
    /// Calls for a resource that came while its release went on.
    pub overlapped: usize,
}

impl Counts {
    fn of(&mut self, call: Call) -> &mut usize {
        match call {
            Call::Probe => &mut self.probed,
            Call::Ensure => &mut self.ensured,
            Call::HealthCheck => &mut self.health_checked,
            Call::Release => &mut self.released,
        }
    }
}

/// What the test told, and what was seen.
#[derive(Debug)]
pub(super) struct Record {
    pub(super) counts: watch::Sender<Counts>,
    state: Mutex<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) calls: Vec<Call>,
    pub(super) next: BTreeMap<Call, VecDeque<Act>>,
    pub(super) always: BTreeMap<Call, Act>,
    pub(super) answers: VecDeque<Probe>,
    pub(super) answer: Probe,
    pub(super) carries: Option<IsolationReport>,
}

impl Record {
    pub(super) fn new(answer: Probe) -> Self {
        let state = State {
            calls: Vec::new(),
            next: BTreeMap::new(),
            always: BTreeMap::new(),
            answers: VecDeque::new(),
            answer,
            carries: None,
        };
        Record { counts: watch::Sender::new(Counts::default()), state: Mutex::new(state) }
    }

    /// A test that panicked elsewhere must still be able to say what it saw.
    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes that a call began, and gives its number among its like, from 1, and how it is to go.
    pub(super) fn begin(&self, call: Call) -> (usize, Act) {
        let mut state = self.state();
        state.calls.push(call);
        let told = state.next.get_mut(&call).and_then(VecDeque::pop_front);
        let act = told.or_else(|| state.always.get(&call).cloned()).unwrap_or(Act::Succeed);
        drop(state);
        let mut number = 0;
        self.counts.send_modify(|counts| {
            let count = counts.of(call);
            *count += 1;
            number = *count;
        });
        (number, act)
    }

    /// The answer of the next probe.
    pub(super) fn answer(&self) -> Probe {
        let mut state = self.state();
        state.answers.pop_front().unwrap_or_else(|| state.answer.clone())
    }
}
