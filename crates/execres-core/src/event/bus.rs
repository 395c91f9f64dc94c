//! The bounded stream of events.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::{Event, Occurrence, Subject};

/// How many events a subscriber may be behind before it misses the oldest.
const CAPACITY: usize = 1024;

#[derive(Debug)]
pub(crate) struct EventBus {
    sender: broadcast::Sender<Arc<Event>>,
    sequence: AtomicU64,
    /// Held while an event is numbered and sent, so that subscribers see numbers in order.
    in_order: Mutex<()>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        EventBus { sender: broadcast::Sender::new(CAPACITY), sequence: AtomicU64::new(0), in_order: Mutex::new(()) }
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        Subscription(self.sender.subscribe())
    }

    /// Sends an event. Never waits for a subscriber.
    pub(crate) fn emit(&self, subject: impl FnOnce() -> Subject, occurrence: Occurrence) {
        if self.sender.receiver_count() == 0 && !tracing::enabled!(target: "execution_resource", tracing::Level::INFO) {
            self.sequence.fetch_add(1, Ordering::Relaxed);
            return;
        }
        let subject = subject();
        trace(&subject, &occurrence);
        let _order = self.in_order.lock().unwrap_or_else(PoisonError::into_inner);
        let sequence = self.sequence.fetch_add(1, Ordering::Relaxed) + 1;
        // Nobody being subscribed is no failure.
        drop(self.sender.send(Arc::new(Event { sequence, at: SystemTime::now(), subject, occurrence })));
    }
}

fn trace(subject: &Subject, occurrence: &Occurrence) {
    macro_rules! at {
        ($level:ident) => {
            tracing::$level!(
                target: "execution_resource",
                requirement_id = %subject.requirement_id,
                handle_id = subject.handle_id.as_ref().map(|id| id.as_str()),
                kind = %subject.kind,
                scope = %subject.scope,
                owner = %subject.owner,
                resource_key = %subject.resource_key,
                provider_id = subject.provider_id.as_ref().map(|id| id.as_str()),
                code = occurrence.code().map(tracing::field::display),
                "{}",
                occurrence.name()
            )
        };
    }
    match occurrence {
        Occurrence::Failed { .. } | Occurrence::Unhealthy { .. } | Occurrence::Denied { .. } => at!(warn),
        _ => at!(info),
    }
}

/// What a subscriber gets.
#[derive(Debug, Clone, PartialEq)]
pub enum Delivery {
    /// An event.
    Event(Arc<Event>),
    /// The subscriber was too slow, and this many events are lost to it; the next one follows.
    Missed(u64),
}

/// A stream of the events since the subscription. It keeps the manager neither busy nor alive.
#[derive(Debug)]
pub struct Subscription(broadcast::Receiver<Arc<Event>>);

impl Subscription {
    /// The next event, or how many were missed; `None` when the manager and all its handles are gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Delivery> {
        match self.0.recv().await {
            Ok(event) => Some(Delivery::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(Delivery::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// What there is now, without waiting; `None` when there is nothing.
    pub fn try_next(&mut self) -> Option<Delivery> {
        match self.0.try_recv() {
            Ok(event) => Some(Delivery::Event(event)),
            Err(TryRecvError::Lagged(missed)) => Some(Delivery::Missed(missed)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }
}
