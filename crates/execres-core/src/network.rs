//! The network of a run.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Which network a run has. The order is the one of reach: each mode can do what those before it can.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum NetworkMode {
    /// None at all: no interface is up and internet sockets cannot be made.
    None,
    /// A loopback interface of the run's own, shared with nobody.
    Loopback,
    /// The host's network, unrestricted.
    Inherited,
}

impl NetworkMode {
    /// The stable name, as in JSON and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            NetworkMode::None => "none",
            NetworkMode::Loopback => "loopback",
            NetworkMode::Inherited => "inherited",
        }
    }
}

impl fmt::Display for NetworkMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
