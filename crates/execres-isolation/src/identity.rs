//! The user that the host's kernel sees when the guest acts. Never root.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::error::LaunchError;
use crate::sys::protocol;

/// Who the guest is outside its namespaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Identity {
    /// The host's own user, who is not root.
    Own { uid: u32, gid: u32 },
    /// An id that nobody else has, which only a privileged host can map.
    Range { id: u32 },
}

/// First id of the stretch that the published allocation of 32-bit user ids leaves unused (systemd's "Users, Groups, UIDs and
/// GIDs" page: 0x7000_0000 follows the container ranges and precedes the sign bit).
const FIRST: u32 = 0x7000_0000;
/// Ids in that stretch that we use.
const COUNT: u32 = 0x0ffd_0000;

impl Identity {
    /// The identity for the next launcher of this process.
    pub(crate) fn next() -> Result<Self, LaunchError> {
        let uid = rustix::process::geteuid().as_raw();
        let gid = rustix::process::getegid().as_raw();
        let own = IdMap::read("/proc/self/uid_map")?;
        // Root inside a user namespace may be an ordinary user outside; that is what counts.
        let is_root = own.outside(uid) == Some(0);
        let range = if can_map_ranges() { own.unused() } else { None };
        match (range, is_root) {
            (Some(id), _) => Ok(Identity::Range { id }),
            (None, true) => Err(LaunchError::RootIdentity),
            (None, false) => Ok(Identity::Own { uid, gid }),
        }
    }

    /// Whether guests of this process have a user of their own.
    pub(crate) fn is_separate() -> bool {
        matches!(Self::next(), Ok(Identity::Range { .. }))
    }

    /// The host's own, which only an unconfined process has when that is root.
    pub(crate) fn own() -> Self {
        Identity::Own { uid: rustix::process::geteuid().as_raw(), gid: rustix::process::getegid().as_raw() }
    }

    /// The id that a process of the guest takes in place of the host's, where namespaces give it its name and where they do
    /// not.
    pub(crate) fn to_take(self, in_namespaces: bool) -> u32 {
        match (self, in_namespaces) {
            (_, true) => protocol::GUEST_ID,
            (Identity::Range { id }, false) => id,
            (Identity::Own { .. }, false) => protocol::KEEP_IDENTITY,
        }
    }

    /// The words of a SETUP message: flags, user, group.
    pub(crate) fn setup(self) -> (u32, u32, u32) {
        match self {
            Identity::Own { uid, gid } => (0, uid, gid),
            Identity::Range { id } => (protocol::SETUP_RANGE, id, id),
        }
    }
}

fn can_map_ranges() -> bool {
    use rustix::thread::CapabilitySet;
    rustix::thread::capabilities(None).is_ok_and(|sets| {
        sets.effective.contains(CapabilitySet::SETUID) && sets.effective.contains(CapabilitySet::SETGID)
    })
}

/// A user namespace's map as this process sees it: inside, outside, count.
#[derive(Debug)]
struct IdMap(Vec<(u32, u32, u32)>);

impl IdMap {
    fn read(path: &str) -> Result<Self, LaunchError> {
        let text = std::fs::read_to_string(path).map_err(|source| LaunchError::Proc { path: path.into(), source })?;
        let line = |line: &str| {
            let mut numbers = line.split_ascii_whitespace().map_while(|number| number.parse().ok());
            Some((numbers.next()?, numbers.next()?, numbers.next()?))
        };
        Ok(IdMap(text.lines().filter_map(line).collect()))
    }

    fn outside(&self, inside: u32) -> Option<u32> {
        let within = |(first, outside, count): &(u32, u32, u32)| {
            let distance = inside.checked_sub(*first)?;
            (distance < *count).then(|| outside.wrapping_add(distance))
        };
        self.0.iter().find_map(within)
    }

    /// An id that this process has not used yet: from the unused stretch where it is mapped, else from the end of the largest
    /// range that is.
    ///
    /// Two processes of one machine can meet the same id by chance, among a quarter of a billion, which takes away the separate
    /// accounting between the two and nothing else.
    fn unused(&self) -> Option<u32> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        static SEED: OnceLock<u32> = OnceLock::new();
        // One after the other from a place that no other process starts at, a fork of this one included, which has the seed.
        let seed =
            *SEED.get_or_init(|| u32::from_le_bytes(*uuid::Uuid::new_v4().as_bytes().first_chunk().unwrap_or(&[7; 4])));
        let pid = rustix::process::getpid().as_raw_nonzero().get().unsigned_abs();
        let start = seed ^ pid.wrapping_mul(0x9e37_79b9);
        let offset = start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed));
        let id = FIRST + offset % COUNT;
        if self.outside(id).is_some() {
            return Some(id);
        }
        let (first, _, count) = *self.0.iter().max_by_key(|(_, _, count)| *count)?;
        // The lower half belongs to the users of the container.
        let half = count / 2;
        let id = first.checked_add(half)?.checked_add(offset % half.max(1))?;
        (half > 1024 && self.outside(id).is_some_and(|outside| outside != 0)).then_some(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_mapped_and_never_root() {
        let whole = IdMap(vec![(0, 0, u32::MAX)]);
        assert!(whole.unused().unwrap() >= FIRST);
        let container = IdMap(vec![(0, 100_000, 65_536)]);
        let id = container.unused().unwrap();
        let many: std::collections::BTreeSet<u32> = (0..500).map(|_| whole.unused().unwrap()).collect();
        assert_eq!(many.len(), 500, "no two launchers of one process share an id");
        assert!((32_768..65_536).contains(&id), "{id}");
        assert_eq!(container.outside(id), Some(100_000 + id));
        assert_eq!(IdMap(vec![(0, 1000, 1)]).unused(), None);
    }
}
