//! The corpus under the strictest and the widest profile. The suite `attacks` runs it under every configuration.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]

mod support;

use execres_attacks::{Configuration, Corpus, Proof, Runner, Size};
use support::owners;

#[tokio::test(flavor = "multi_thread")]
async fn everything_is_contained_and_every_control_proves_it() {
    let (_state, owners) = owners();
    let corpus = Corpus::load().unwrap();
    let runner = Runner::new(&corpus, &owners, Size::from_environment()).await.unwrap();
    let mut configurations = Configuration::standard(&owners);
    configurations.retain(|configuration| ["granted"].contains(&configuration.name));
    let matrix = runner.run(&corpus, &configurations).await.unwrap();
    for (attack, reason) in matrix.not_run() {
        eprintln!("EXECRES-SKIP: {attack}: {reason}");
    }
    eprintln!("{matrix}");
    assert!(matrix.failures().is_empty(), "{:#?}", matrix.failures());
    let proven = matrix.rows.iter().filter(|row| matches!(row.control.proof, Proof::Outside | Proof::Differential(_)));
    assert!(proven.count() * 3 >= matrix.rows.len(), "too few controls worked outside:\n{matrix}");
}
