//! The corpus of attacks on the sandbox: small programs with a typed header each, the canaries and controls that make their
//! failure mean something, and a runner that judges by what the host saw.
#![forbid(unsafe_code)]

mod attack;
mod collector;
mod configuration;
mod control;
mod corpus;
mod header;
mod judge;
mod matrix;
mod outside;
mod page;
mod programs;
mod protocol;
mod rows;
mod runner;
mod scene;
mod snapshot;
mod victim;

pub use attack::{Attack, Canary, Class, Control, Expected, Language, Place, Repeat, Target, Witness};
pub use configuration::{Company, Configuration, Grants};
pub use control::{ControlResult, Proof};
pub use corpus::{Corpus, CorpusError};
pub use header::HeaderError;
pub use judge::{Effect, Verdict};
pub use matrix::{Cell, Matrix, Row};
pub use page::page;
pub use protocol::Answer;
pub use rows::{Home, THREATS, Threat};
pub use runner::{Runner, RunnerError, Size};
