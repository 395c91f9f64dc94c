//! A provider of `code_execution` as somebody else would write it: programs run in [bubblewrap](https://github.com/containers/bubblewrap).
//!
//! It reports only what it can prove. For every axis it tries what the axis forbids, in the very profile that programs get, and sees that
//! the same works outside. That proves `process_contained` and `host_filesystem_restricted`. It proves neither
//! `privilege_escalation_blocked`, since what a program writes belongs to the host's user, nor `syscalls_restricted`,
//! since this profile has no filter; so whoever requires those gets another provider.
//!
//! `docs/writing-a-provider.md` goes through it file by file.
#![forbid(unsafe_code)]

mod bubblewrap;
mod config;
mod error;
mod evidence;
mod provider;
mod runner;
mod tools;

pub use provider::BubblewrapProvider;
