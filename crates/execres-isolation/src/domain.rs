//! The Landlock domain of a run: which rights it handles on this kernel, and where they are given back.

use std::path::Path;

use execres_core::NetworkMode;
use landlock::{ABI, Access, AccessFs, AccessNet, Scope};

use crate::layout::Layout;
use crate::profile::Source;
use crate::sys::kernel;
use crate::wire::Wire;

/// Landlock as this kernel has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Landlock {
    abi: ABI,
    number: i32,
    state: State,
}

/// Whether there is Landlock at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Available,
    /// The kernel has it, and its list of security modules at boot does not.
    SwitchedOff,
    NotBuilt,
    /// The host is emulated as one without it, or refuses the call.
    Refused,
}

impl Landlock {
    pub(crate) fn of_this_kernel() -> Self {
        match kernel::landlock_abi() {
            Ok(number) => Landlock { abi: ABI::from(number), number, state: State::Available },
            Err(errno) => Self::absent(match errno {
                libc::EOPNOTSUPP => State::SwitchedOff,
                libc::ENOSYS => State::NotBuilt,
                _ => State::Refused,
            }),
        }
    }

    fn absent(state: State) -> Self {
        Landlock { abi: ABI::Unsupported, number: 0, state }
    }

    /// The same as an older kernel would have it.
    pub(crate) fn at_most(self, abi: i32) -> Self {
        match abi.min(self.number) {
            number @ 1.. => Landlock { abi: ABI::from(number), number, ..self },
            _ => Self::absent(State::Refused),
        }
    }

    /// The number that the kernel gives; 0 where there is none.
    pub(crate) fn abi(self) -> i32 {
        self.number
    }

    /// What a report says of it.
    pub(crate) fn in_words(self) -> String {
        match self.state {
            State::Available => format!("ABI {}", self.number),
            State::SwitchedOff => "switched off at boot: `landlock` is not in the kernel's `lsm=` list".to_owned(),
            State::NotBuilt => "not built into this kernel, or hidden by a filter".to_owned(),
            State::Refused => "refused".to_owned(),
        }
    }

    /// Writes that there is no domain.
    pub(crate) fn write_none(blob: &mut Wire) {
        blob.long(0).long(0).long(0).word(0);
    }

    /// Writes rights and rules as the launcher reads them.
    pub(crate) fn write(self, layout: &Layout, network: NetworkMode, blob: &mut Wire) {
        let abi = self.abi;
        if self.number == 0 {
            return Self::write_none(blob);
        }
        let all = AccessFs::from_all(abi);
        let net = match network {
            NetworkMode::None => AccessNet::from_all(abi).bits(),
            _ => 0,
        };
        blob.long(all.bits()).long(net).long(Scope::from_all(abi).bits());

        let read = AccessFs::from_read(abi).bits();
        let write = all.bits();
        let mut rules: Vec<(u64, Option<&Source>, &Path)> =
            layout.readable.iter().map(|place| (read, place.source.as_ref(), place.path.as_path())).collect();
        let writable = layout.writable.iter().map(|place| (write, place.source.as_ref(), place.path.as_path()));
        rules.extend(writable);
        blob.word(rules.len() as u32);
        for (access, source, path) in rules {
            let (device, inode) = source.map_or((0, 0), |source| (source.device, source.inode));
            // A rule on a file may only name rights that files have.
            let is_file = source.is_some_and(|source| !source.is_dir);
            let access = if is_file { access & AccessFs::from_file(abi).bits() } else { access };
            blob.long(access).long(device).long(inode).path(path);
        }
    }
}
