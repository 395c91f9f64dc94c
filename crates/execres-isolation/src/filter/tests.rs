use execres_core::NetworkMode;

use super::compile::Filter;
use super::evaluate::{Abi, Decision, evaluate};
use super::policy::{DANGEROUS, DANGEROUS_HERE, NEWEST_KNOWN};
use super::*;

fn filter() -> Filter {
    compile(NetworkMode::None).unwrap()
}

#[test]
fn every_row_of_the_policy_says_why_and_stands_once() {
    let mut numbers: Vec<i64> = DANGEROUS.iter().chain(DANGEROUS_HERE).map(|rule| rule.number).collect();
    assert!(DANGEROUS.iter().chain(DANGEROUS_HERE).all(|rule| rule.why.len() > 10));
    numbers.sort_unstable();
    let rows = numbers.len();
    numbers.dedup();
    assert_eq!(numbers.len(), rows);
}

#[test]
fn every_dangerous_call_is_refused_on_every_abi() {
    let filter = filter();
    for rule in DANGEROUS.iter().chain(DANGEROUS_HERE) {
        for abi in Abi::ALL {
            let decision = evaluate(&filter, *abi, rule.number as u32, [0; 6]);
            assert!(matches!(decision, Decision::Errno(_) | Decision::Kill), "{rule:?} through {abi:?}: {decision:?}");
        }
    }
}

#[test]
fn no_number_is_decided_otherwise_than_the_policy_says() {
    for network in [NetworkMode::None, NetworkMode::Loopback, NetworkMode::Inherited] {
        assert_eq!(disagreements(&compile(network).unwrap(), network), Vec::<String>::new());
    }
}

#[test]
fn a_filter_with_a_hole_is_found() {
    let mut filter = filter();
    // The answer of one refused call is turned into "allow".
    let hole = filter.0.iter().position(|one| one.code == 0x06 && one.k == 0x0005_0000 | libc::EPERM as u32).unwrap();
    filter.0[hole].k = 0x7fff_0000;
    assert!(!disagreements(&filter, NetworkMode::None).is_empty());
}

#[test]
fn numbers_beyond_the_newest_known_and_x32_look_absent_and_i386_ends_the_program() {
    let filter = filter();
    let absent = Decision::Errno(libc::ENOSYS as u16);
    for number in [NEWEST_KNOWN + 1, NEWEST_KNOWN + 1000, 0x3fff_ffff] {
        assert_eq!(evaluate(&filter, Abi::Native, number, [0; 6]), absent);
    }
    if cfg!(target_arch = "x86_64") {
        for number in 0..=NEWEST_KNOWN {
            assert_eq!(evaluate(&filter, Abi::X32, number, [0; 6]), absent);
            assert_eq!(evaluate(&filter, Abi::I386, number, [0; 6]), Decision::Kill);
        }
    }
}

#[test]
fn high_bits_of_a_request_change_nothing() {
    let filter = filter();
    let refused = Decision::Errno(libc::EPERM as u16);
    let ioctl = libc::SYS_ioctl as u32;
    assert_eq!(evaluate(&filter, Abi::Native, ioctl, [0, libc::TIOCSTI, 0, 0, 0, 0]), refused);
    assert_eq!(evaluate(&filter, Abi::Native, ioctl, [0, libc::TIOCSTI | 0xdead_0000_0000, 0, 0, 0, 0]), refused);
    assert_eq!(evaluate(&filter, Abi::Native, ioctl, [0, libc::TCGETS, 0, 0, 0, 0]), Decision::Allow);
}

#[test]
fn the_program_is_small_enough_for_the_kernel() {
    const BPF_MAXINSNS: usize = 4096;
    assert!(filter().len() < BPF_MAXINSNS);
}
