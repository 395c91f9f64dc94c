//! The system-call filter: compiled from the commented policy of `filter/policy.rs`, and evaluated exhaustively as evidence.

mod compile;
mod evaluate;
mod policy;

pub(crate) use compile::{Filter, FilterError, compile};
pub(crate) use evaluate::{Abi, Decision, evaluate};
pub(crate) use policy::{DANGEROUS, conditions_hold};

#[cfg(test)]
mod tests;
