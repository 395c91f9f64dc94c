//! The launcher's program, embedded.

/// A static ELF without a loader; see `launcher/main.rs`.
pub(super) static IMAGE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/launcher"));
