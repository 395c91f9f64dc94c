//! What the corpus is: its size, its headers, the threat list, and the page that is written from it.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use execres_attacks::{Class, Control, Corpus, Home, THREATS};

#[test]
fn there_are_more_than_a_hundred_attacks_of_every_class() {
    let corpus = Corpus::load().unwrap();
    assert!(corpus.attacks().len() >= 100, "{}", corpus.attacks().len());
    for class in Class::ALL {
        let count = corpus.attacks().iter().filter(|attack| attack.class == *class).count();
        assert!(count >= 3, "{class}: {count}");
        assert!(
            corpus
                .attacks()
                .iter()
                .filter(|attack| attack.class == *class)
                .all(|attack| { attack.file.starts_with(&format!("{class}/")) })
        );
    }
}

#[test]
fn every_row_of_the_threat_list_is_attacked_or_belongs_elsewhere() {
    let corpus = Corpus::load().unwrap();
    let attacked: BTreeSet<u8> = corpus.attacks().iter().flat_map(|attack| attack.rows.clone()).collect();
    let known: Vec<u8> = THREATS.iter().map(|threat| threat.row).collect();
    assert_eq!(known, (1..=62).collect::<Vec<u8>>());
    for threat in THREATS {
        if threat.home == Home::Corpus {
            assert!(attacked.contains(&threat.row), "no attack covers row {}: {}", threat.row, threat.what);
        }
    }
    assert!(attacked.iter().all(|row| known.contains(row)), "{attacked:?}");
}

#[test]
fn most_controls_are_more_than_reasons() {
    let corpus = Corpus::load().unwrap();
    let reasoned = corpus.attacks().iter().filter(|attack| matches!(attack.control, Control::Reasoned(_))).count();
    assert!(reasoned * 2 < corpus.attacks().len(), "{reasoned} of {}", corpus.attacks().len());
}

#[test]
fn the_page_has_every_attack_as_its_header_describes_it() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/containment.md");
    let page = std::fs::read_to_string(page).unwrap();
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| `")).collect();
    let corpus = Corpus::load().unwrap();
    for attack in corpus.attacks() {
        let start = format!("| `{}` | {} |", attack.id, attack.attempt);
        assert!(
            rows.iter().any(|row| row.starts_with(&start)),
            "write the page anew, `{start}` is not in it: cargo run -p execres-attacks -- --write-page docs/containment.md"
        );
    }
    assert_eq!(rows.len(), corpus.attacks().len(), "the page has attacks that are no longer there: write it anew");
    for bad in ["ESCAPED", "UNEXPECTED", "not run"] {
        assert!(!page.contains(bad), "{bad}");
    }
}
