//! The system-call filter: compiled from the commented policy of `filter/policy.rs`, and evaluated exhaustively as evidence.

mod compile;
mod evaluate;
mod policy;

pub(crate) use compile::filter_of;
pub(crate) use evaluate::disagreements;
pub(crate) use policy::{Setting, Shape};

#[cfg(test)]
mod tests;
