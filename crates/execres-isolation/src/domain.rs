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
pub(crate) struct Landlock(ABI, i32);

impl Landlock {
    pub(crate) fn of_this_kernel() -> Self {
        let abi = kernel::landlock_abi();
        Landlock(ABI::from(abi), abi)
    }

    /// The same as an older kernel would have it.
    pub(crate) fn at_most(self, abi: i32) -> Self {
        let abi = abi.min(self.1);
        Landlock(ABI::from(abi), abi)
    }

    /// The number that the kernel gives.
    pub(crate) fn abi(self) -> i32 {
        self.1
    }

    /// Writes that there is no domain.
    pub(crate) fn write_none(blob: &mut Wire) {
        blob.long(0).long(0).long(0).word(0);
    }

    /// Writes rights and rules as the launcher reads them.
    pub(crate) fn write(self, layout: &Layout, network: NetworkMode, blob: &mut Wire) {
        let abi = self.0;
        if self.1 == 0 {
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
