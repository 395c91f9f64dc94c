//! The Landlock domain of a run: which rights it handles on this kernel, and where they are given back.

use std::path::Path;

use execres_core::NetworkMode;
use landlock::{ABI, Access, AccessFs, AccessNet, Scope};

use crate::layout::Layout;
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
        let mut rules: Vec<(u64, &Path)> = vec![(read, Path::new("/"))];
        for path in &layout.writable {
            // A rule on a file may only name rights that files have.
            let device = path.starts_with("/dev") && path != Path::new("/dev/shm") && path != Path::new("/dev/pts");
            rules.push((if device { write & AccessFs::from_file(abi).bits() } else { write }, path));
        }
        blob.word(rules.len() as u32);
        for (access, path) in rules {
            blob.long(access).path(path);
        }
    }
}
