//! Limits from two sides.

use std::time::Duration;

use execres_core::{Limits, Policy};

/// What a policy limits.
#[derive(Debug, Clone)]
pub(crate) struct PolicyLimits {
    limits: Option<Limits>,
    timeout: Option<Duration>,
    kept: Option<u64>,
}

impl PolicyLimits {
    pub(crate) fn of(policy: &Policy) -> Self {
        PolicyLimits { limits: policy.limits.clone(), timeout: policy.timeout, kept: policy.max_output_bytes }
    }

    /// The limits of a job under the policy: both hold.
    pub(crate) fn tighten(&self, job: &Limits) -> Limits {
        let mut limits = self.limits.as_ref().map_or_else(|| job.clone(), |policy| tighter(job, policy));
        if let Some(timeout) = self.timeout {
            limits.wall_time = limits.wall_time.min(timeout);
        }
        if let Some(kept) = self.kept {
            // A program has two streams, and what is kept of each is counted by itself.
            limits.output_retained = limits.output_retained.min(kept / 2);
        }
        limits
    }
}

fn tighter(one: &Limits, other: &Limits) -> Limits {
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
