//! The manager's tables do not grow.
//!
//! A binary of its own, because it looks at the memory of the whole process.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "support/plain.rs"]
mod plain;

use execres_core::{ActionCallId, Config, Filter, Kind, Manager, OwnerId, ProviderId, Requirement};

use plain::Plain;

/// Memory of the process that is really there, in bytes.
fn resident() -> usize {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: usize = statm.split(' ').nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// What may come and go in an allocator that has reached its size.
const SLACK: usize = 6 << 20;

#[tokio::test]
async fn tables_do_not_grow() {
    let full = std::env::var("EXECRES_TEST_SIZE").is_ok_and(|size| size == "full");
    let cycles: u64 = if full { 1_000_000 } else { 20_000 };
    let kind = Kind::new("thing").unwrap();
    let manager = Manager::builder().build();
    manager.register_provider(Plain(ProviderId::new("plain").unwrap(), [kind.clone()])).unwrap();
    let cycle = async |number: u64| {
        // Everything that could be kept is another one every time: key, owner, call, configuration.
        let requirement = Requirement::builder(kind.clone())
            .owner(OwnerId::new(format!("owner-{number}")).unwrap())
            .action_call_id(ActionCallId::new(format!("call-{number}")).unwrap())
            .config(Config::new().with("number", number).with("ballast", "x".repeat(1000)))
            .build()
            .unwrap();
        let id = manager.declare(requirement).unwrap();
        let handle = manager.ensure(&id).await.unwrap();
        manager.release(&handle).await.unwrap();
        manager.withdraw(&id).unwrap();
    };
    for number in 0..cycles / 10 {
        cycle(number).await;
    }
    let before = resident();
    for number in 0..cycles {
        cycle(number).await;
    }
    let after = resident();
    assert!(after < before + SLACK, "{cycles} cycles took {} bytes", after - before);
    assert!(manager.list(&Filter::all()).is_empty());

    // The control: what is kept does show.
    let mut kept = Vec::new();
    for number in 0..20_000_u64 {
        let config = Config::new().with("number", number).with("ballast", "x".repeat(1000));
        kept.push(manager.ensure(Requirement::builder(kind.clone()).config(config).build().unwrap()).await.unwrap());
    }
    assert!(resident() > after + SLACK, "what is kept does not show");
}
