//! Why an output was not taken.

use rustix::io::Errno;
use serde::{Serialize, Serializer, ser::SerializeStruct};

use crate::open::{EntryKind, OpenFault};

/// Something that is there and was not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refusal {
    /// As a declared output is spelled, with control characters escaped.
    pub path: String,
    /// Why.
    pub reason: RefusalReason,
    /// Whether it was declared itself, and is not only something below a declared directory.
    pub is_declared: bool,
}

impl Serialize for Refusal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Refusal", 4)?;
        map.serialize_field("path", &self.path)?;
        map.serialize_field("code", self.reason.code())?;
        map.serialize_field("reason", &self.reason.to_string())?;
        map.serialize_field("declared", &self.is_declared)?;
        map.end()
    }
}

/// Why, in words that follow the path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RefusalReason {
    /// It is a directory and was declared as a file.
    #[error("is a directory: declare it with a `/` at the end to keep the files below it")]
    Directory,
    /// It was declared as a directory and is none.
    #[error("is no directory: declare it without the `/` at the end to keep the file")]
    NotADirectory,
    /// It is no regular file.
    #[error("is {kind}: only regular files are kept; write the content into a file")]
    NotRegular {
        /// What it is.
        kind: EntryKind,
    },
    /// A directory on the way is a link.
    #[error("lies behind a symbolic link, and links are not followed: write the file itself under output/")]
    LinkOnTheWay,
    /// The file has other names.
    #[error("has {links} names (hard links): only a file with one name is kept; write a copy")]
    HardLinked {
        /// How many.
        links: u64,
    },
    /// It lies in another mount.
    #[error("lies in another file system: write the file itself under output/")]
    OtherFileSystem,
    /// Nobody may read it.
    #[error("cannot be read with the permissions that the program gave it: make it readable")]
    Unreadable,
    /// It is too large.
    #[error("has {bytes} bytes, more than the cap of {cap} for one file")]
    TooLarge {
        /// Its apparent size.
        bytes: u64,
        /// The cap.
        cap: u64,
    },
    /// Together with what was taken before it is too large.
    #[error("would take all outputs together over the cap of {cap} bytes")]
    TotalTooLarge {
        /// The cap.
        cap: u64,
    },
    /// The directory holds more than is taken or looked at.
    #[error("holds more than {cap} {what}, so not all of it was kept: write fewer, or pack them into one file")]
    TooMany {
        /// The cap.
        cap: usize,
        /// Of what.
        what: &'static str,
    },
    /// The directory was cut short by a cap of sizes.
    #[error("was not kept in full: a file below it is over a cap of sizes")]
    CutBySize,
    /// It changed while it was read.
    #[error("changed while it was read: end what writes to it before the program ends")]
    Changed,
    /// Its name cannot be handed on.
    #[error("has a name that cannot be kept: {why}")]
    Name {
        /// What is wrong with the name.
        why: String,
    },
    /// Something of that name was kept before.
    #[error("has the name of something that is at the destination already")]
    Taken,
    /// Reading it failed.
    #[error("could not be read: {answer}")]
    Io {
        /// What the system answered.
        answer: String,
    },
}

impl RefusalReason {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            RefusalReason::Directory => "workspace.output_is_directory",
            RefusalReason::NotADirectory => "workspace.output_is_no_directory",
            RefusalReason::NotRegular { .. } => "workspace.output_not_a_file",
            RefusalReason::LinkOnTheWay => "workspace.output_behind_link",
            RefusalReason::HardLinked { .. } => "workspace.output_hard_linked",
            RefusalReason::OtherFileSystem => "workspace.output_other_file_system",
            RefusalReason::Unreadable => "workspace.output_unreadable",
            RefusalReason::TooLarge { .. } => "workspace.output_too_large",
            RefusalReason::TotalTooLarge { .. } => "workspace.outputs_too_large",
            RefusalReason::TooMany { .. } => "workspace.outputs_too_many",
            RefusalReason::CutBySize => "workspace.outputs_cut",
            RefusalReason::Changed => "workspace.output_changed",
            RefusalReason::Name { .. } => "workspace.output_name",
            RefusalReason::Taken => "workspace.output_taken",
            RefusalReason::Io { .. } => "workspace.output_failed",
        }
    }

    /// Whether a cap of sizes is the reason.
    pub(super) const fn is_size(&self) -> bool {
        matches!(self, RefusalReason::TooLarge { .. } | RefusalReason::TotalTooLarge { .. })
    }

    /// The reason for a fault at opening; `None` when nothing is there.
    pub(super) fn from_fault(fault: OpenFault) -> Option<Self> {
        Some(match fault {
            OpenFault::Missing => return None,
            OpenFault::LinkOnTheWay => RefusalReason::LinkOnTheWay,
            OpenFault::NotRegular(EntryKind::Directory) => RefusalReason::Directory,
            OpenFault::NotRegular(kind) => RefusalReason::NotRegular { kind },
            OpenFault::OtherFileSystem => RefusalReason::OtherFileSystem,
            OpenFault::Unreadable => RefusalReason::Unreadable,
            OpenFault::Io(error) => RefusalReason::io(error),
        })
    }

    pub(super) fn io(error: impl Into<std::io::Error>) -> Self {
        RefusalReason::Io { answer: error.into().to_string() }
    }
}

impl From<Errno> for RefusalReason {
    fn from(error: Errno) -> Self {
        RefusalReason::from_fault(OpenFault::from(error)).unwrap_or(RefusalReason::Changed)
    }
}
