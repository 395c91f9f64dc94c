//! Who this process is, and who its guests can be.

use serde::Serialize;

use crate::identity::Identity;

/// Who this process is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct IdentityFacts {
    /// The effective user id.
    pub uid: u32,
    /// The effective group id.
    pub gid: u32,
    /// How many supplementary groups it has.
    pub groups: usize,
    /// The user that a guest is for the kernel.
    pub guest: GuestIdentity,
}

/// The user that a guest is for the kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "user")]
#[non_exhaustive]
pub enum GuestIdentity {
    /// An id that nobody else has.
    OfItsOwn,
    /// The user of this process, who is not root.
    Callers,
    /// It could only be root, so there is no guest.
    OnlyRoot,
    /// It cannot be told.
    Unknown {
        /// Why not.
        why: String,
    },
}

impl IdentityFacts {
    pub(super) fn of_this_process() -> Self {
        let guest = match Identity::next() {
            Ok(Identity::Range { .. }) => GuestIdentity::OfItsOwn,
            Ok(Identity::Own { .. }) => GuestIdentity::Callers,
            Err(crate::LaunchError::RootIdentity) => GuestIdentity::OnlyRoot,
            Err(error) => GuestIdentity::Unknown { why: error.to_string() },
        };
        IdentityFacts {
            uid: rustix::process::geteuid().as_raw(),
            gid: rustix::process::getegid().as_raw(),
            groups: rustix::process::getgroups().map_or(0, |groups| groups.len()),
            guest,
        }
    }
}
