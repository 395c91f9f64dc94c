//! Owner marks: who made a thing on this host, whether that process still lives, and reaping of what dead ones left.
//!
//! A host that is killed cannot clean up. So everything that outlives a process (an execution area, a cgroup directory) is
//! written down *before* it is made, in a state directory of the user, under the mark of its owner. The next host reads the
//! register and removes what provably dead owners left.
//!
//! ```text
//! <state>/lock                              serialises the coming and going of owners
//! <state>/owners/<instance>/mark.json       the owner's mark; the living owner holds a lock on it
//! <state>/owners/<instance>/<kind>/<id>     one registered thing; the file holds its path
//! ```
//!
//! Two proofs of death are asked for, and both must agree. The kernel drops the lock on `mark.json` when the last holder is
//! gone, whatever namespace it lived in; and the mark's boot id, process id and start time must not name a living process.
//!
//! What is removed may have been filled by somebody hostile: [`remove_contents`] copes with whatever they made of it.
//!
//! Everything here is synchronous.
#![forbid(unsafe_code)]

mod mark;
mod name;
mod private;
mod reap;
mod registry;
mod removal;
mod state;

pub use mark::{InstanceId, Liveness, MARK_FILE, MarkError, OwnerMark};
pub use name::{EntryId, EntryName, NameError};
pub use private::private_directory;
pub use reap::{Leftover, Reap, ReapError, ReapFailure, ReapKept, ReapReport, Reaper, reap};
pub use registry::{OwnerRegistry, Registration, RegistryError};
pub use removal::remove_contents;
pub use state::{StateDir, StateError};
