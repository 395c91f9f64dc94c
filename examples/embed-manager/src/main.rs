//! Embeds the manager with a provider of the host's own: private temporary directories, which are gone after their release.
//!
//! Run it with `cargo run -p embed-manager`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod temp_dir;

use std::error::Error;
use std::time::Duration;

use execres_core::{Config, Delivery, Kind, Manager, OwnerId, Requirement, Scope, Subscription};

use temp_dir::{TempDir, TempDirs};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::builder().build();
    manager.register_provider(TempDirs::new()?)?;
    let mut events = manager.subscribe();

    let requirement = Requirement::builder(Kind::new("temp_dir")?)
        .scope(Scope::Session)
        .owner(OwnerId::new("session-1")?)
        .config(Config::new().with("prefix", "notes"))
        .build()?;

    println!("Two ensures of one requirement share one directory:");
    let writer = manager.ensure(&requirement).await?;
    let reader = manager.ensure(&requirement).await?;
    let directory = writer.resource::<TempDir>()?;
    std::fs::write(directory.path().join("note.txt"), "shared by two leases")?;
    let text = std::fs::read_to_string(reader.resource::<TempDir>()?.path().join("note.txt"))?;
    println!("  {} read {text:?} in {}", reader.lease_id(), directory.path().display());

    println!("The first release gives back a lease, the last one releases the directory:");
    println!("  {:?}", manager.release(&writer).await?);
    println!("  {:?}", manager.release(&reader).await?);
    println!("  the directory is there: {}", directory.path().exists());

    println!("A second release of one lease is an error:");
    if let Err(error) = manager.release(&writer).await {
        println!("  {}: {error}", error.code());
    }

    println!("What is left when the host ends is released by the shutdown:");
    let forgotten = manager.ensure(&requirement).await?;
    let left = forgotten.resource::<TempDir>()?;
    let report = manager.shutdown(Duration::from_secs(10)).await;
    println!("  clean: {}, the directory is there: {}", report.is_clean(), left.path().exists());

    println!("All of it as events:");
    print_events(&mut events);
    Ok(())
}

fn print_events(events: &mut Subscription) {
    while let Some(delivery) = events.try_next() {
        match delivery {
            Delivery::Event(event) => println!("  {:>2} {}", event.sequence, event.occurrence.name()),
            Delivery::Missed(count) => println!("  {count} events were missed"),
        }
    }
}
