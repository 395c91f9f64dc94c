//! Interrupts end the run, and the command says how it went.

use execres::CancellationToken;
use tokio::signal::unix::{SignalKind, signal};

/// Cancels the token at the first interrupt, hang-up or request to end.
pub(crate) fn cancel_on_interrupt(token: &CancellationToken) {
    for kind in [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()] {
        let token = token.clone();
        // Without a handler the signal ends this process, and with it the run.
        let Ok(mut signals) = signal(kind) else { continue };
        tokio::spawn(async move {
            if signals.recv().await.is_some() {
                token.cancel();
            }
        });
    }
}
