//! Opening things in trees that somebody else wrote: beneath a directory, over no link, and only what they should be.

mod beneath;
mod kind;
mod regular;

pub(crate) use beneath::{Mounts, open_beneath, open_dir_beneath};
pub use kind::EntryKind;
pub(crate) use regular::{OpenFault, Regular, open_regular, regular_from};
