//! The `execres` command: runs programs in a proven sandbox.
//!
//! Exit codes, outputs and options are described in `docs/cli.md`.
#![forbid(unsafe_code)]

mod args;
mod doctor;
mod exit;
mod probe;
mod quantity;
mod reap;
mod run;
mod signals;
mod stream;
mod summary;
mod wrap;

use std::process::ExitCode;

use clap::Parser;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // What happens inside is told only to those who ask, by EXECRES_LOG=debug or the like.
    tracing_subscriber::fmt()
        .with_env_filter(tracing_subscriber::EnvFilter::try_from_env("EXECRES_LOG").unwrap_or_default())
        .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
        .with_writer(std::io::stderr)
        .init();
    // One program at a time: a second thread is of use for blocking work only, which has a pool of its own.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return exit::fail(exit::INTERNAL, &format!("the async runtime cannot be started: {error}")),
    };
    let code = runtime.block_on(async {
        match cli.command {
            Command::Run(args) => run::run(*args).await,
            Command::Probe(args) => probe::probe(args).await,
            Command::Doctor(args) => doctor::doctor(args).await,
            Command::Reap(args) => reap::reap(&args),
        }
    });
    // A read of standard input that nobody waits for any more must not keep the process.
    runtime.shutdown_background();
    code
}
