//! M10: a shutdown at the very moment at which a resource is told to be ready.
//!
//! A binary of its own, because what is logged calls back, and the subscriber is the whole process's.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/plain.rs"]
mod plain;

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use execres_core::{ErrorCode, Filter, Kind, Manager, OwnerId, ProviderId, Requirement, Scope, ShutdownReport};

use plain::Plain;

/// Looks, and shuts down where it is told to, while `ready` is being told.
#[derive(Clone)]
struct AtReady {
    manager: Manager,
    shuts_down: Arc<AtomicBool>,
    seen: Arc<Mutex<Vec<usize>>>,
    report: Arc<Mutex<Option<ShutdownReport>>>,
}

impl io::Write for AtReady {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if String::from_utf8_lossy(bytes).contains("execution_resource.ready") {
            self.seen.lock().unwrap().push(self.manager.list(&Filter::all()).len());
            if self.shuts_down.load(Ordering::SeqCst) {
                let manager = self.manager.clone();
                let report = std::thread::spawn(move || manager.blocking().shutdown(Duration::ZERO).unwrap()).join();
                *self.report.lock().unwrap() = Some(report.unwrap());
            }
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn m10_a_shutdown_while_ready_is_told_hands_nothing_out_and_leaves_nothing() {
    let manager = Manager::builder().build();
    let kind = Kind::new("thing").unwrap();
    manager.register_provider(Plain(ProviderId::new("plain").unwrap(), [kind.clone()])).unwrap();
    let hook =
        AtReady { manager: manager.clone(), shuts_down: Arc::default(), seen: Arc::default(), report: Arc::default() };
    let (writer, all) = (hook.clone(), tracing_subscriber::fmt().with_max_level(tracing::Level::INFO).with_ansi(false));
    tracing::subscriber::set_global_default(all.with_writer(move || writer.clone()).finish()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let ensure = |owner: &str| {
        let owner = OwnerId::new(owner).unwrap();
        let requirement = Requirement::builder(kind.clone()).scope(Scope::Session).owner(owner).build().unwrap();
        runtime.block_on(manager.ensure(requirement))
    };

    let first = ensure("one").expect("the control: nobody shuts down");
    assert_eq!(*hook.seen.lock().unwrap(), [1], "who hears of it finds it");
    runtime.block_on(manager.release(&first)).unwrap();

    hook.shuts_down.store(true, Ordering::SeqCst);
    assert_eq!(ensure("two").map(drop).unwrap_err().code(), ErrorCode::SHUTDOWN);
    let report = hook.report.lock().unwrap().take().expect("it was shut down in that moment");
    assert!(
        report.unfinished_ensures == 1 || !report.released.is_empty() || !report.unfinished.is_empty(),
        "{report:?}"
    );
    let last = runtime.block_on(manager.shutdown(Duration::from_secs(10)));
    assert!(last.is_clean(), "{last:?}");
    assert_eq!(manager.list(&Filter::all()).len(), 0, "nothing is left");
}
