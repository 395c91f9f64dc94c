use execres_core::NetworkMode;

use super::compile::{Filter, compile};
use super::evaluate::{Abi, Decision, evaluate};
use super::policy::{DANGEROUS, DANGEROUS_HERE, IN_PLACE, IN_PLACE_HERE, IN_PLACE_NEW, NEWEST_KNOWN};
use super::*;

const NETWORKS: [NetworkMode; 3] = [NetworkMode::None, NetworkMode::Loopback, NetworkMode::Inherited];
const SETTINGS: [Setting; 2] = [Setting::Namespaces, Setting::InPlace];
const STANDARD: Shape = Shape { network: NetworkMode::None, setting: Setting::Namespaces };

fn filter() -> Filter {
    compile(STANDARD).unwrap()
}

fn shapes() -> impl Iterator<Item = Shape> {
    NETWORKS.into_iter().flat_map(|network| SETTINGS.map(|setting| Shape { network, setting }))
}

#[test]
fn every_row_of_the_policy_says_why_and_stands_once() {
    let rules = || [DANGEROUS, DANGEROUS_HERE, IN_PLACE, IN_PLACE_NEW, IN_PLACE_HERE].into_iter().flatten();
    let mut numbers: Vec<i64> = rules().map(|rule| rule.number).collect();
    assert!(rules().all(|rule| rule.why.len() > 10));
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
    for shape in shapes() {
        assert_eq!(disagreements(&compile(shape).unwrap(), shape), Vec::<String>::new(), "{shape:?}");
    }
}

#[test]
fn a_filter_with_a_hole_is_found() {
    let mut filter = filter();
    // The answer of one refused call is turned into "allow".
    let hole = filter.0.iter().position(|one| one.code == 0x06 && one.k == 0x0005_0000 | libc::EPERM as u32).unwrap();
    filter.0[hole].k = 0x7fff_0000;
    assert!(!disagreements(&filter, STANDARD).is_empty());
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
fn no_file_that_can_be_read_is_used_to_hold_others_up() {
    let fcntl = |command: u64| evaluate(&filter(), Abi::Native, libc::SYS_fcntl as u32, [3, command, 1, 0, 0, 0]);
    let refused = Decision::Errno(libc::EPERM as u16);
    for command in [libc::F_SETLEASE as u64, libc::F_NOTIFY as u64, 1039, 1040, 0xffff_ffff, 0x1_0000_0400] {
        assert_eq!(fcntl(command), refused, "{command}");
    }
    for command in [libc::F_GETFL, libc::F_SETFD, libc::F_SETLK, libc::F_DUPFD_CLOEXEC, libc::F_ADD_SEALS] {
        assert_eq!(fcntl(command as u64), Decision::Allow, "{command}");
    }
}

#[test]
fn a_network_is_tcp_and_udp_and_asking_for_routes() {
    for network in [NetworkMode::Loopback, NetworkMode::Inherited] {
        let filter = compile(Shape { network, setting: Setting::Namespaces }).unwrap();
        let socket = |family: libc::c_int, protocol: u64| {
            let arguments = [family as u64, 1, protocol, 0, 0, 0];
            evaluate(&filter, Abi::Native, libc::SYS_socket as u32, arguments) == Decision::Allow
        };
        for family in [libc::AF_INET, libc::AF_INET6] {
            assert!([0, 6, 17].into_iter().all(|protocol| socket(family, protocol)), "{family}");
            // ICMP, SCTP, UDP-Lite, MPTCP.
            assert!([1, 132, 136, 262].into_iter().all(|protocol| !socket(family, protocol)), "{family}");
        }
        assert!(socket(libc::AF_NETLINK, 0) && !socket(libc::AF_NETLINK, 9) && !socket(libc::AF_NETLINK, 12));
        assert!(socket(libc::AF_UNIX, 0));
    }
}

#[test]
fn the_program_is_small_enough_for_the_kernel() {
    const BPF_MAXINSNS: usize = 4096;
    assert!(shapes().all(|shape| compile(shape).unwrap().len() < BPF_MAXINSNS));
}

#[test]
fn without_namespaces_a_run_changes_nothing_of_other_processes_and_makes_no_unix_socket() {
    let allowed = |setting, number: i64, arguments| {
        let filter = compile(Shape { network: NetworkMode::None, setting }).unwrap();
        evaluate(&filter, Abi::Native, number as u32, arguments) == Decision::Allow
    };
    let unix = [libc::AF_UNIX as u64, 1, 0, 0, 0, 0];
    let somebody = [4711, 0, 0, 0, 0, 0];
    let oneself = [0; 6];
    let setting = Setting::InPlace;
    assert!(!allowed(setting, libc::SYS_socket, unix));
    assert!(!allowed(setting, libc::SYS_shmget, oneself));
    for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity, libc::SYS_sched_setscheduler] {
        assert!(!allowed(setting, call, somebody), "{call}");
        assert!(allowed(setting, call, oneself), "{call}");
    }
    // PRIO_USER is everything that the user has.
    assert!(!allowed(setting, libc::SYS_setpriority, [2, 0, 19, 0, 0, 0]));
    assert!(!allowed(setting, libc::SYS_setpriority, [0, 4711, 19, 0, 0, 0]));
    assert!(allowed(setting, libc::SYS_setpriority, [0, 0, 19, 0, 0, 0]));
    // Pairs of streams are connected for good; a datagram socket finds its way to another name.
    let pair = |kind: libc::c_int| [libc::AF_UNIX as u64, kind as u64, 0, 0, 0, 0];
    for (kind, harmless) in
        [(libc::SOCK_STREAM, true), (libc::SOCK_SEQPACKET, true), (libc::SOCK_DGRAM, false), (libc::SOCK_RAW, false)]
    {
        for flags in [0, libc::SOCK_CLOEXEC | libc::SOCK_NONBLOCK] {
            assert_eq!(allowed(setting, libc::SYS_socketpair, pair(kind | flags)), harmless, "{kind}");
            assert!(allowed(Setting::Namespaces, libc::SYS_socketpair, pair(kind | flags)), "{kind}");
        }
    }
    assert!(!allowed(setting, libc::SYS_fchmod, oneself));
    let request = |request: u64| allowed(setting, libc::SYS_ioctl, [3, request, 0, 0, 0, 0]);
    // FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR, FS_IOC_SETVERSION, FS_IOC_ENABLE_VERITY, BTRFS_IOC_SUBVOL_CREATE, TIOCSTI.
    for refused in [0x4008_6602, 0x401c_5820, 0x4008_7602, 0x4080_6685, 0x5000_940e, libc::TIOCSTI, 0x7_4008_6602] {
        assert!(!request(refused), "{refused:x}");
    }
    assert!(request(libc::TCGETS) && request(libc::FIONREAD) && request(libc::FIOCLEX | 0x7_0000_0000));
    assert!(allowed(Setting::Namespaces, libc::SYS_socket, unix), "the control");
    assert!(allowed(Setting::Namespaces, libc::SYS_shmget, oneself));
    assert!(allowed(Setting::Namespaces, libc::SYS_sched_setaffinity, somebody));
}

/// A row that goes, or a value that changes, shows here whatever the other tests compute from the same tables.
#[test]
fn the_policy_is_what_it_is_known_to_be() {
    use super::policy::{
        FILE_COMMANDS, LOOSE_PAIRS, NAMESPACE_FLAGS, ON_ONESELF, ONE_PROCESS, PERSONALITIES, REQUESTS_ABOUT_INTERFACES,
        REQUESTS_IN_PLACE, TERMINAL_REQUESTS,
    };
    if !cfg!(target_arch = "x86_64") {
        eprintln!("EXECRES-SKIP: the_policy_is_what_it_is_known_to_be: optional: the numbers are those of x86-64");
        return;
    }
    let rows = |rules: &[super::policy::Rule]| -> String {
        rules.iter().map(|rule| format!("{:>4} {:?}\n", rule.number, rule.answer)).collect()
    };
    let tables = [DANGEROUS, DANGEROUS_HERE, IN_PLACE, IN_PLACE_NEW, IN_PLACE_HERE].map(rows).join("--\n");
    let families: Vec<_> = shapes().map(|shape| (shape, super::policy::socket_families(shape))).collect();
    let values = format!(
        "{FILE_COMMANDS:?}\n{LOOSE_PAIRS:?}\n{NAMESPACE_FLAGS:x?}\n{TERMINAL_REQUESTS:x?}\n{REQUESTS_IN_PLACE:x?}\n{REQUESTS_ABOUT_INTERFACES:x?}\n{ON_ONESELF:?}\n{ONE_PROCESS:?}\n\
         {PERSONALITIES:x?}\n{families:#?}\n{NEWEST_KNOWN}\n"
    );
    insta::assert_snapshot!("policy", tables + &values);
}
