//! One attack, as its header describes it.

use std::fmt;

use execres_core::Axis;

/// One attack of the corpus.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attack {
    /// The name of its file, without what comes after the dot.
    pub id: String,
    /// The path of its file in the corpus.
    pub file: String,
    /// What it is written in.
    pub language: Language,
    /// The kind of attack.
    pub class: Class,
    /// Rows of the threat list that it covers.
    pub rows: Vec<u8>,
    /// What falls when it succeeds.
    pub target: Target,
    /// The limit that it is about, by its name in a report. Where a report says that nothing enforces it, nothing is claimed.
    pub limit: Option<String>,
    /// What it tries, in words.
    pub attempt: String,
    /// What is right for it to end with.
    pub expected: Vec<Expected>,
    /// What the host looks at.
    pub witnesses: Vec<Witness>,
    /// What is set out for it beside what its witnesses need.
    pub canaries: Vec<Canary>,
    /// Why a failure proves something.
    pub control: Control,
    /// Where it can be tried.
    pub place: Place,
    /// How often it is tried.
    pub repeat: Repeat,
    /// Variables that it is given beside what every attack is told.
    pub environment: Vec<(String, String)>,
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$doc:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum $name { $($(#[$doc])* $variant,)* }

        impl $name {
            /// Every one.
            pub const ALL: &[$name] = &[$($name::$variant,)*];

            /// As it is written in headers and tables.
            pub const fn word(self) -> &'static str {
                match self { $($name::$variant => $word,)* }
            }

            /// The one that is written so.
            pub(crate) fn parse(text: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|one| one.word() == text)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    };
}

words! {
    /// What an attack is written in.
    Language {
        /// Compiled with the host's compiler.
        C = "c",
        /// Run by `/usr/bin/python3`.
        Python = "py",
        /// Run by `/bin/sh`.
        Shell = "sh",
    }
}

words! {
    /// Kinds of attack.
    Class {
        /// Processes that outlive, see, signal and steer others.
        Processes = "processes",
        /// Memory, environment and descriptors of others.
        Introspection = "introspection",
        /// What a process inherits, and what a run leaves to the next.
        Inheritance = "inheritance",
        /// Files of the host.
        Files = "files",
        /// What the host reads back from a run.
        Outputs = "outputs",
        /// Interfaces of the kernel that appear as files.
        Kernel = "kernel",
        /// Identities, capabilities and namespaces.
        Privilege = "privilege",
        /// System calls that a filter has to refuse.
        Syscalls = "syscalls",
        /// Sockets and what carries messages.
        Sockets = "sockets",
        /// Shared memory, semaphores and queues.
        Ipc = "ipc",
        /// Exhaustion of what is shared.
        Resources = "resources",
        /// Lies about how a run ended.
        Results = "results",
    }
}

words! {
    /// How the host sees that an attack succeeded.
    Witness {
        /// Files outside what is granted for writing are as they were.
        Files = "files",
        /// A secret of the host's is not in the output.
        Secret = "secret",
        /// A process of the host's, or of another owner's run, says whether something reached it.
        Victim = "victim",
        /// No process of the attack is left after the run.
        Processes = "processes",
        /// The run's outcome is the true one.
        Outcome = "outcome",
        /// A careful reader of outputs does not read anything else.
        Collector = "collector",
        /// No run is given a file that was not granted.
        Grant = "grant",
        /// The error is not the kernel's own, with which it answers outside.
        Errno = "errno",
        /// The attack itself says whether it succeeded; it is told so little that it has no reason to lie.
        Word = "word",
    }
}

words! {
    /// What is set out for an attack beside what every one finds.
    Canary {
        /// A program in the bundle with root's set-uid bit.
        SetUid = "setuid",
        /// A program in the bundle with file capabilities.
        FileCapabilities = "filecaps",
        /// A descriptor of the host's that is open and inheritable while the run is launched.
        Descriptor = "descriptor",
    }
}

words! {
    /// Where an attack can be tried.
    Place {
        /// Under every configuration.
        Everywhere = "everywhere",
        /// Where there is no network. With a loopback of its own the attempt is allowed, or may not be made.
        NoNetwork = "no-network",
        /// Where a directory is granted for writing.
        Granted = "granted",
        /// Where there is a working copy.
        WorkingCopy = "working-copy",
        /// Where memory is counted by a controller, and not looked at from time to time.
        Controller = "controller",
        /// Where the root is the run's own, so that names of the host do not exist.
        OwnRoot = "own-root",
        /// Where there is a process namespace whose first process is the run's init.
        OwnInit = "own-init",
    }
}

words! {
    /// How often an attack is tried.
    Repeat {
        /// Once.
        Once = "once",
        /// Twice in the same sandbox, to find what the first time left.
        Twice = "twice",
        /// Often: it is a race.
        Race = "race",
    }
}

impl Attack {
    /// Whether it is aimed at a process of somebody else's, or finds its secrets there.
    pub(crate) fn needs_victim(&self) -> bool {
        [Witness::Victim, Witness::Secret].iter().any(|witness| self.witnesses.contains(witness))
    }
}

/// What falls when an attack succeeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Target {
    /// An axis of the isolation.
    Axis(Axis),
    /// The network of the run.
    Network,
    /// A limit.
    Limits,
    /// What the host believes of the run.
    Results,
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Target::Axis(axis) => axis.name(),
            Target::Network => "network",
            Target::Limits => "limits",
            Target::Results => "results",
        })
    }
}

/// What is right for an attack to end with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expected {
    /// Refused with this error.
    Refused(String),
    /// Tried without an error of its own; the host sees no effect.
    NoEffect,
    /// The run ends with this outcome.
    Outcome(String),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Expected::Refused(errno) => f.pad(errno),
            Expected::NoEffect => f.pad("no effect"),
            Expected::Outcome(name) => f.pad(name),
        }
    }
}

/// Why a failure of an attack proves something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Control {
    /// The same program with the same arguments works outside.
    Outside(Ground),
    /// The same call, with arguments that nothing accepts, gets another error outside.
    Differential(Ground),
    /// It must not, or cannot, be made to work outside, for this reason.
    Reasoned(String),
}

/// Where a control runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// As an ordinary process of the host with the guest's identity.
    Host,
    /// In namespaces that the control makes for itself, where the guest's identity is root and nothing is the host's.
    Namespaces,
}
