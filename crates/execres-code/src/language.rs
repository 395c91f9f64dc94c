//! Languages: one file and one line of the table each.

mod bash;
mod c;
mod cpp;
mod entry;
mod native;
mod nodejs;
mod python;
mod table;

pub(crate) use entry::Plan;
pub use table::{Language, UnknownLanguage};
