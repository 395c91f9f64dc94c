//! The workspace's own commands: `cargo xtask test`, `suite`, `suites`, `setup`, `bench`, `mutants` and `tidy`.

#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command of the workspace talks to the terminal")]

mod bench;
mod checkout;
mod clean_copy;
mod cli;
mod expected_tests;
mod libtest;
mod mutants;
mod process;
mod report;
mod setup;
mod suite;
mod table;
mod test;
mod tidy;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    match cli::Cli::parse().run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("xtask: {error}");
            ExitCode::FAILURE
        }
    }
}
