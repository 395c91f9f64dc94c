//! The bounded stream of events.

use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use futures_util::Stream;
use futures_util::stream::unfold;

use tokio::sync::broadcast;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};

use super::{Event, Occurrence, Subject};
use crate::sync::{AtomicUsize, Mutex};

/// How many events a subscriber may be behind before it misses the oldest.
const CAPACITY: usize = 1024;

#[derive(Debug)]
pub(crate) struct EventBus {
    sender: broadcast::Sender<Arc<Event>>,
    /// How many subscriptions there are. The channel knows too, and takes a lock of all threads to say it.
    listeners: Arc<AtomicUsize>,
    /// The number of the last event that was told. Held while the next one is numbered and sent, so that subscribers see
    /// numbers in order.
    told: Mutex<u64>,
}

impl EventBus {
    pub(crate) fn new() -> Self {
        EventBus { sender: broadcast::Sender::new(CAPACITY), listeners: Arc::default(), told: Mutex::new(0) }
    }

    pub(crate) fn subscribe(&self) -> Subscription {
        self.listeners.fetch_add(1, Ordering::SeqCst);
        Subscription { receiver: self.sender.subscribe(), listeners: Arc::clone(&self.listeners) }
    }

    /// Sends an event. Never waits for a subscriber.
    pub(crate) fn emit(&self, subject: impl FnOnce() -> Subject, occurrence: Occurrence) {
        let nobody_listens = self.listeners.load(Ordering::SeqCst) == 0;
        if nobody_listens && !tracing::enabled!(target: "execution_resource", tracing::Level::INFO) {
            return;
        }
        let subject = subject();
        trace(&subject, &occurrence);
        if nobody_listens {
            return;
        }
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        *told += 1;
        // Nobody being subscribed any more is no failure.
        drop(self.sender.send(Arc::new(Event { sequence: *told, at: SystemTime::now(), subject, occurrence })));
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
        Occurrence::Failed { .. }
        | Occurrence::Unhealthy { .. }
        | Occurrence::Abandoned
        | Occurrence::Denied { .. } => at!(warn),
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

/// The events since the subscription. It keeps the manager neither busy nor alive.
///
/// Take them one by one with [`next`](Subscription::next), or make a [`Stream`] of it with [`into_stream`](Subscription::into_stream).
#[derive(Debug)]
pub struct Subscription {
    receiver: broadcast::Receiver<Arc<Event>>,
    listeners: Arc<AtomicUsize>,
}

impl Subscription {
    /// The next event, or how many were missed; `None` when the manager and all its handles are gone.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses nothing.
    pub async fn next(&mut self) -> Option<Delivery> {
        match self.receiver.recv().await {
            Ok(event) => Some(Delivery::Event(event)),
            Err(RecvError::Lagged(missed)) => Some(Delivery::Missed(missed)),
            Err(RecvError::Closed) => None,
        }
    }

    /// What there is now, without waiting; `None` when there is nothing.
    pub fn try_next(&mut self) -> Option<Delivery> {
        match self.receiver.try_recv() {
            Ok(event) => Some(Delivery::Event(event)),
            Err(TryRecvError::Lagged(missed)) => Some(Delivery::Missed(missed)),
            Err(TryRecvError::Empty | TryRecvError::Closed) => None,
        }
    }

    /// The same as a stream, which ends when the manager and all its handles are gone.
    pub fn into_stream(self) -> impl Stream<Item = Delivery> + Send + 'static {
        unfold(self, |mut events| async move {
            let delivery = events.next().await?;
            Some((delivery, events))
        })
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        self.listeners.fetch_sub(1, Ordering::SeqCst);
    }
}
