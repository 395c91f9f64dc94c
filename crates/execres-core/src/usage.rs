//! What a run used.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Where a peak comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum UsageSource {
    /// The kernel's controller of the whole run.
    Controller,
    /// Looked up from time to time over the whole run; a short peak can be missed.
    Polled,
    /// The largest single process of the run, from its resource usage.
    LargestProcess,
}

/// A peak with where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// Bytes for memory, a count for processes.
    pub value: u64,
    /// Where the number comes from.
    pub source: UsageSource,
}

/// What a run used. Times are in seconds in JSON.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Usage {
    /// Elapsed time by a monotonic clock.
    #[serde(with = "seconds")]
    pub wall: Duration,
    /// Processor time in user mode, of all processes that were waited for. A lower bound: children of a program that ignores
    /// `SIGCHLD` are collected by the kernel and counted nowhere.
    #[serde(with = "seconds")]
    pub cpu_user: Duration,
    /// Processor time in the kernel, likewise.
    #[serde(with = "seconds")]
    pub cpu_system: Duration,
    /// Peak memory in bytes, where it is known.
    pub peak_memory: Option<Peak>,
    /// Peak number of processes and threads, where it is known.
    pub peak_processes: Option<Peak>,
}

mod seconds {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(duration.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
