//! The layers of the isolation, so that a test can leave one away and see its axis fall.

use crate::sys::protocol;

/// One layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layer {
    /// The PID namespace with its own init.
    PidNamespace,
    /// The mount namespace with a root of its own.
    MountNamespace,
    /// The namespace of SysV and POSIX queues.
    IpcNamespace,
    /// The empty network namespace.
    NetworkNamespace,
    /// The identity that is never the host's root.
    Identity,
    /// `no_new_privs`.
    NoNewPrivileges,
    /// The empty capability sets.
    Capabilities,
    /// The Landlock domain.
    Landlock,
    /// The system-call filter.
    Seccomp,
}

impl Layer {
    /// Every layer.
    pub const ALL: [Layer; 9] = [
        Layer::PidNamespace,
        Layer::MountNamespace,
        Layer::IpcNamespace,
        Layer::NetworkNamespace,
        Layer::Identity,
        Layer::NoNewPrivileges,
        Layer::Capabilities,
        Layer::Landlock,
        Layer::Seccomp,
    ];

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The layers that are in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Layers(u16);

impl Layers {
    /// All of them.
    pub const fn all() -> Self {
        Layers((1 << Layer::ALL.len()) - 1)
    }

    /// None of them.
    pub(crate) const fn none() -> Self {
        Layers(0)
    }

    /// All of these but one.
    #[must_use]
    pub const fn without_dangerously(self, layer: Layer) -> Self {
        Layers(self.0 & !layer.bit())
    }

    /// Whether a layer is in force.
    pub const fn has(self, layer: Layer) -> bool {
        self.0 & layer.bit() != 0
    }

    /// The flags of a run for what is left away.
    pub(crate) fn off_flags(self) -> u32 {
        let flags = [
            (Layer::PidNamespace, protocol::OFF_PID),
            (Layer::MountNamespace, protocol::OFF_MOUNT),
            (Layer::IpcNamespace, protocol::OFF_IPC),
            (Layer::Identity, protocol::OFF_IDENTITY),
            (Layer::NoNewPrivileges, protocol::OFF_NO_NEW_PRIVS),
            (Layer::Capabilities, protocol::OFF_CAPABILITIES),
            (Layer::Landlock, protocol::OFF_LANDLOCK),
            (Layer::Seccomp, protocol::OFF_SECCOMP),
        ];
        flags.iter().filter(|(layer, _)| !self.has(*layer)).fold(0, |sum, (_, flag)| sum | flag)
    }
}
