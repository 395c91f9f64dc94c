//! The only place of this crate with `unsafe`: starting the launcher, and the few calls that no safe crate offers.
#![allow(unsafe_code, reason = "each block below names the invariant that makes it sound")]

#[cfg(launcher)]
mod image;
pub(crate) mod ipc;
pub(crate) mod kernel;
#[allow(dead_code, reason = "some of it only the launcher uses, which is compiled apart")]
pub(crate) mod protocol;
pub(crate) mod socket;
pub(crate) mod start;
pub(crate) mod watch;
