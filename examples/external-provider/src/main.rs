//! Registers the provider with Execres, runs a program with it, and shows who runs what it cannot prove to be isolated enough for.
//!
//! Run it with `cargo run -p external-provider`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;

use execres::code::{CodeRequest, Language};
use execres::core::{Candidate, Config, NetworkMode, ProviderId};
use execres::isolation::Sandbox;
use execres::{CodeCall, Execres, Isolation};
use external_provider::BubblewrapProvider;

const PROGRAM: &str = "import os, socket\nprint('pid', os.getpid(), 'on', socket.gethostname())";

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let execres = Execres::builder().provider(BubblewrapProvider::new(Sandbox::new(None))).build()?;

    println!("What each provider proves here:");
    for probe in execres.probe(NetworkMode::None).await? {
        let axes = probe.isolation.map(|report| report.axes().to_string()).unwrap_or_default();
        println!("  {}: {}", probe.provider, probe.reason.unwrap_or(axes));
    }

    let bubblewrap = Candidate::new(ProviderId::new("bubblewrap")?);
    let named = bubblewrap.clone().with_config(Config::new().with("hostname", "example"));
    let sandbox = Candidate::new(ProviderId::new("sandbox")?);

    println!("A program that runs with as much isolation as bubblewrap has:");
    run(&execres, Isolation::PreferredDangerously, vec![named]).await?;

    println!("The same where all of it is required: bubblewrap is asked first, and the sandbox runs it:");
    run(&execres, Isolation::Required, vec![bubblewrap, sandbox]).await
}

async fn run(execres: &Execres, isolation: Isolation, candidates: Vec<Candidate>) -> Result<(), Box<dyn Error>> {
    let mut call = CodeCall::new(CodeRequest::new(Language::parse("python")?).source(PROGRAM));
    call.isolation = isolation;
    call.candidates = candidates;
    match execres.run(call).await {
        Ok(result) => {
            println!("  {}: {}", result.provider, result.stdout.text().trim());
            println!("  {} with {}", result.outcome, result.isolation.axes());
            if let Some(fallback) = result.fallback {
                println!("  it is a fallback, since {}", fallback.why);
            }
        }
        // Where bubblewrap is not installed, the error says so and how to get it.
        Err(error) => println!("  {}: {error}", error.code()),
    }
    Ok(())
}
