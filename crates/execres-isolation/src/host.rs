//! What this host is and lets us do, as facts: for those who explain why an isolation is not better than it is.
//!
//! What can be tried is tried, with a launcher that runs nothing and ends at once; settings only explain a refusal. Nothing is
//! left behind. The verdict on isolation itself is [`Sandbox::evidence`](crate::Sandbox::evidence), and nothing here replaces it.

mod container;
mod identity;
mod kernel;
mod landlock;
mod memory;
mod mountinfo;
mod namespaces;
mod proc;
mod rehearsal;
mod seccomp;
mod setting;
mod temporary;
mod wsl;

use std::sync::Arc;

use execres_owner::OwnerRegistry;
use serde::Serialize;

pub use container::Container;
pub use identity::{GuestIdentity, IdentityFacts};
pub use kernel::KernelFacts;
pub use landlock::LandlockState;
pub use memory::{Hierarchy, MemoryControl, MemoryFacts};
pub use namespaces::{NamespaceFacts, NamespaceSettings, NamespaceTrial};
pub use proc::ProcFacts;
pub use seccomp::{SeccompFacts, SeccompMode};
pub use temporary::TemporaryFacts;
pub use wsl::{Wsl, WslVersion};

use mountinfo::Mounts;
use rehearsal::Rehearsal;

/// What this host is and lets this process do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct HostFacts {
    /// The kernel.
    pub kernel: KernelFacts,
    /// Whether namespaces can be made and used, and the settings that decide it.
    pub namespaces: NamespaceFacts,
    /// Landlock.
    pub landlock: LandlockState,
    /// System-call filters.
    pub seccomp: SeccompFacts,
    /// Memory controllers.
    pub memory: MemoryFacts,
    /// What covers parts of `/proc`.
    pub proc: ProcFacts,
    /// The container that this process is in, where there is one.
    pub container: Option<Container>,
    /// The Windows host that this system is a guest of, where there is one.
    pub wsl: Option<Wsl>,
    /// Who this process is, and who its guests can be.
    pub identity: IdentityFacts,
    /// The directory for temporary files.
    pub temporary: TemporaryFacts,
}

impl HostFacts {
    /// Finds out. Blocks for some milliseconds: it starts two launchers and ends them.
    ///
    /// `owners` is where a group of processes is written down while it exists, as for [`Sandbox::new`](crate::Sandbox::new).
    pub fn gather(owners: Option<&Arc<OwnerRegistry>>) -> Self {
        let mounts = Mounts::of_this_process();
        let memory = MemoryFacts::try_with(Rehearsal::start().ok(), owners, &mounts);
        let namespaces = NamespaceFacts::try_with(Rehearsal::start());
        HostFacts {
            kernel: KernelFacts::of_this_kernel(),
            namespaces,
            landlock: LandlockState::of_this_kernel(),
            seccomp: SeccompFacts::of_this_process(),
            memory,
            proc: ProcFacts::of(&mounts),
            container: Container::around_this_process(),
            wsl: Wsl::around_this_system(),
            identity: IdentityFacts::of_this_process(),
            temporary: TemporaryFacts::of_this_process(),
        }
    }
}
