//! The locks and atomics of the manager's state machine.
//!
//! They are the standard library's. The unit tests that try every order of two callers' steps are built with the feature `shuttle`, and
//! then they are shuttle's, so that what is tested is this very state machine and no model of it.

#[cfg(all(test, feature = "shuttle"))]
pub(crate) use shuttle::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize},
};
#[cfg(not(all(test, feature = "shuttle")))]
pub(crate) use std::sync::{
    Mutex, MutexGuard, RwLock,
    atomic::{AtomicBool, AtomicU64, AtomicUsize},
};

/// Keeps what one thread writes often off the cache lines of what others read. 128 bytes, because processors fetch lines in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Apart<T>(pub(crate) T);
