//! The limits of a run, with the defaults that hold where nobody asks for others.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The limits of one run. Sizes in bytes; every field can be set.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Limits {
    /// Memory of the whole run, scratch space included. Default 1 GiB.
    pub memory: u64,
    /// Processes and threads of the whole run. Default 256.
    pub processes: u32,
    /// Processor time, per process where no controller counts the whole run. Default 60 s.
    pub cpu_time: Duration,
    /// Elapsed time of the whole run, by a monotonic clock. Default 60 s.
    pub wall_time: Duration,
    /// Size of one file. Default 256 MiB.
    pub file_size: u64,
    /// Open files of one process. Default 1024.
    pub open_files: u32,
    /// Scratch space (`output`, `build`, `/tmp`, HOME and `/dev/shm`, each). Default 512 MiB.
    pub scratch: u64,
    /// Files and directories in each scratch space. Default 100 000.
    pub scratch_inodes: u64,
    /// What is kept of each output stream, half of it from the head and half from the tail. Default 64 KiB.
    pub output_retained: u64,
    /// What both output streams together may produce before the run is ended. Default 64 MiB.
    pub output_hard: u64,
}

impl Limits {
    /// The documented defaults.
    pub const STANDARD: Limits = Limits {
        memory: 1 << 30,
        processes: 256,
        cpu_time: Duration::from_secs(60),
        wall_time: Duration::from_secs(60),
        file_size: 256 << 20,
        open_files: 1024,
        scratch: 512 << 20,
        scratch_inodes: 100_000,
        output_retained: 64 << 10,
        output_hard: 64 << 20,
    };
}

impl Default for Limits {
    /// [`Limits::STANDARD`]; a limit grants nothing, so a default is safe here.
    fn default() -> Self {
        Limits::STANDARD
    }
}
