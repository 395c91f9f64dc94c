//! What the manager costs, beside a map and a pool that do less.
//!
//! `cargo xtask bench manager` runs it. The provider does nothing, so that what is measured is the manager. Events are on and nobody is
//! subscribed.

#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark fails by panicking, and prints")]

mod machine;
mod memory;
mod plain;
mod scaling;
mod single;

fn main() {
    machine::print();
    divan::main();
    // Cargo's own test run asks for a list only.
    if std::env::args().any(|arg| arg == "--bench") {
        scaling::print();
        memory::print();
        machine::print();
    }
}
