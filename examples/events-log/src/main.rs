//! Writes what the manager does to a log: one line of JSON an event, numbered, without anything secret.
//!
//! Run it with `cargo run -p events-log`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

use std::error::Error;
use std::io::Write;
use std::time::Duration;

use execres_core::{Config, Delivery, Kind, Manager, OwnerId, Requirement, Scope, Subscription};

use counting_provider::Counters;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::builder().build();
    manager.register_provider(Counters::new()?)?;
    let log = tokio::spawn(write_log(manager.subscribe(), Vec::new()));

    let requirement = Requirement::builder(Kind::new("counter")?)
        .scope(Scope::Session)
        .owner(OwnerId::new("session-1")?)
        .config(Config::new().with_secret("token", "do not log me"))
        .build()?;
    let first = manager.ensure(&requirement).await?;
    let second = manager.ensure(&requirement).await?;
    manager.release(&first).await?;
    manager.release(&second).await?;
    manager.shutdown(Duration::from_secs(10)).await;
    drop((first, second, manager));

    // The subscription ended with the manager and its handles, and so did the log.
    let log = String::from_utf8(log.await??)?;
    print!("{log}");
    println!("the secret is in the log: {}", log.contains("do not log me"));
    Ok(())
}

/// Writes events until the manager is gone. A log that is too slow loses events, and says how many.
async fn write_log<W: Write>(mut events: Subscription, mut log: W) -> Result<W, std::io::Error> {
    while let Some(delivery) = events.next().await {
        match delivery {
            Delivery::Event(event) => writeln!(log, "{}", serde_json::to_string(&*event)?)?,
            Delivery::Missed(count) => writeln!(log, r#"{{"missed":{count}}}"#)?,
        }
    }
    Ok(log)
}
