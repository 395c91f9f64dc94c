//! A provider that needs nothing: it makes counters, for the examples that are about something else.
#![forbid(unsafe_code)]

mod counters;

pub use counters::Counters;
