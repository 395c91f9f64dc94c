//! Limits from two sides.

use execres_core::Limits;

/// Both limits hold.
pub(crate) fn tighter(one: &Limits, other: &Limits) -> Limits {
    Limits {
        memory: one.memory.min(other.memory),
        processes: one.processes.min(other.processes),
        cpu_time: one.cpu_time.min(other.cpu_time),
        wall_time: one.wall_time.min(other.wall_time),
        file_size: one.file_size.min(other.file_size),
        open_files: one.open_files.min(other.open_files),
        scratch: one.scratch.min(other.scratch),
        scratch_inodes: one.scratch_inodes.min(other.scratch_inodes),
        output_retained: one.output_retained.min(other.output_retained),
        output_hard: one.output_hard.min(other.output_hard),
    }
}
