//! Lets go of resources by scope and owner, and of everything at the end.
//!
//! Run it with `cargo run -p scopes-and-shutdown`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::time::Duration;

use execres_core::{Filter, Handle, Kind, Manager, OwnerId, Requirement, Scope};

use counting_provider::Counters;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::builder().build();
    manager.register_provider(Counters::new()?)?;

    println!("Two resources of sessions, one of a request and one of an agent:");
    let mut handles = Vec::new();
    for (scope, owner) in
        [(Scope::Session, "alice"), (Scope::Request, "alice"), (Scope::Session, "bob"), (Scope::Agent, "alice")]
    {
        handles.push(ensure(&manager, scope, owner).await?);
    }
    print_handles(&manager);

    println!("The end of alice's session takes what is hers in that scope, whoever holds a lease in it:");
    let released = manager.release_scope(Scope::Session, &OwnerId::new("alice")?).await?;
    println!("  {} released", released.len());
    print_handles(&manager);

    println!("A handle that is dropped gives its lease back as well; the last one releases the resource:");
    let before = manager.list(&Filter::all()).len();
    drop(handles.pop());
    // The owner runtime does that, and nobody has to wait for it.
    while manager.list(&Filter::all()).len() == before {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    println!("  {before} before, {} after", manager.list(&Filter::all()).len());

    println!("The end of the host takes everything, the newest first:");
    let report = manager.shutdown(Duration::from_secs(10)).await;
    println!("  clean: {}", report.is_clean());
    print_handles(&manager);
    if let Err(error) = ensure(&manager, Scope::Session, "carol").await {
        println!("  and nothing comes after it: {}", error);
    }
    Ok(())
}

async fn ensure(manager: &Manager, scope: Scope, owner: &str) -> Result<Handle, Box<dyn Error>> {
    let builder = Requirement::builder(Kind::new("counter")?).scope(scope).owner(OwnerId::new(owner)?);
    Ok(manager.ensure(builder.build()?).await?)
}

fn print_handles(manager: &Manager) {
    for snapshot in manager.list(&Filter::all()) {
        println!("  {:<8} {:<8} {}", snapshot.owner, snapshot.scope, snapshot.status);
    }
    println!("  {} in all", manager.list(&Filter::all()).len());
}
