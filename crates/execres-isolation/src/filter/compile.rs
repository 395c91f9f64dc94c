//! Compiles the policy.
//!
//! The program has two parts. Ours comes first and decides by architecture and number in a binary search, because a long row
//! of comparisons costs 1.8 µs each when the kernel installs a filter. What it neither refuses nor ends goes on to the part
//! that looks at arguments, which `seccompiler` compiles from [`SeccompRule`]s.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use super::policy::{
    Answer, FILE_COMMANDS, INIT, INTERNET_PROTOCOLS, LOOSE_PAIRS, NAMESPACE_FLAGS, NEWEST_FILE_COMMAND, NEWEST_KNOWN,
    ON_ONESELF, ONE_PROCESS, PERSONALITIES, SOCKET_TYPE, Setting, Shape, TERMINAL_REQUESTS, requests_in_place, rule_on,
    socket_families,
};

/// A compiled filter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Filter(pub(super) BpfProgram);

impl Filter {
    /// The program as the kernel reads it: eight bytes an instruction.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let instruction = |one: &sock_filter| {
            let mut bytes = [0; 8];
            bytes[..2].copy_from_slice(&one.code.to_ne_bytes());
            (bytes[2], bytes[3]) = (one.jt, one.jf);
            bytes[4..].copy_from_slice(&one.k.to_ne_bytes());
            bytes
        };
        self.0.iter().flat_map(instruction).collect()
    }

    /// The number of instructions.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

/// The policy could not be compiled; a defect of this crate that its tests would show.
#[derive(Debug, thiserror::Error)]
#[error("the system-call policy does not compile")]
pub(crate) struct FilterError(#[from] seccompiler::BackendError);

pub(super) const AUDIT_ARCH: u32 = if cfg!(target_arch = "x86_64") { 0xc000_003e } else { 0xc000_00b7 };
pub(super) const X32_BIT: u32 = 0x4000_0000;
pub(super) const ALLOW: u32 = 0x7fff_0000;
pub(super) const KILL: u32 = 0x8000_0000;
pub(super) const ERRNO: u32 = 0x0005_0000;

const LOAD: u16 = 0x20;
const JUMP: u16 = 0x05;
const JUMP_EQUAL: u16 = 0x15;
const JUMP_GREATER: u16 = 0x25;
const JUMP_GREATER_OR_EQUAL: u16 = 0x35;
const RETURN: u16 = 0x06;

const OFFSET_NUMBER: u32 = 0;
const OFFSET_ARCH: u32 = 4;

fn instruction(code: u16, k: u32, jt: u8, jf: u8) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The filter of a run of this shape. It is compiled once in the life of the process, so the program that a probe evaluates is
/// the very one that runs get.
pub(crate) fn filter_of(shape: Shape) -> Result<Arc<Filter>, FilterError> {
    static COMPILED: Mutex<BTreeMap<Shape, Arc<Filter>>> = Mutex::new(BTreeMap::new());
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(filter) = compiled.get(&shape) {
        return Ok(Arc::clone(filter));
    }
    let filter = Arc::new(compile(shape)?);
    compiled.insert(shape, Arc::clone(&filter));
    Ok(filter)
}

/// Compiles the policy of a shape.
pub(super) fn compile(shape: Shape) -> Result<Filter, FilterError> {
    let mut program = guard(shape.setting);
    program.extend(by_arguments(shape)?);
    Ok(Filter(program))
}

/// What a number gets from our part; `None` sends it on.
fn answer_of(number: u32, setting: Setting) -> Option<u32> {
    let rule = rule_on(i64::from(number), setting)?;
    Some(match rule.answer {
        Answer::Refused => ERRNO | libc::EPERM as u32,
        Answer::Absent => ERRNO | libc::ENOSYS as u32,
        Answer::Unsupported => ERRNO | libc::EOPNOTSUPP as u32,
    })
}

fn guard(setting: Setting) -> BpfProgram {
    let absent = instruction(RETURN, ERRNO | libc::ENOSYS as u32, 0, 0);
    let mut program = vec![
        // Another architecture has other numbers, so nothing below would mean what it says.
        instruction(LOAD, OFFSET_ARCH, 0, 0),
        instruction(JUMP_EQUAL, AUDIT_ARCH, 1, 0),
        instruction(RETURN, KILL, 0, 0),
        instruction(LOAD, OFFSET_NUMBER, 0, 0),
        // x32 shares the architecture of x86-64 and has numbers of its own, with this bit. ENOSYS is what a kernel without
        // x32 answers.
        instruction(JUMP_GREATER_OR_EQUAL, X32_BIT, 0, 1),
        absent.clone(),
        instruction(JUMP_GREATER, NEWEST_KNOWN, 0, 1),
        absent,
    ];
    // Runs of numbers with one answer, in order: the leaves of the search.
    let mut runs: Vec<(u32, Option<u32>)> = Vec::new();
    for number in 0..=NEWEST_KNOWN {
        let answer = answer_of(number, setting);
        if runs.last().is_none_or(|(_, last)| *last != answer) {
            runs.push((number, answer));
        }
    }
    let mut tree = search(&runs);
    // Leaves that send the number on jump to the end of the tree, whatever their place in it.
    let end = tree.len();
    for (place, one) in tree.iter_mut().enumerate() {
        if one.code == JUMP && one.k == ON {
            one.k = (end - place - 1) as u32;
        }
    }
    program.extend(tree);
    program
}

/// Stands for "the end of the tree" until its place is known.
const ON: u32 = u32::MAX;

fn search(runs: &[(u32, Option<u32>)]) -> BpfProgram {
    if let [(_, answer)] = runs {
        return vec![match answer {
            Some(action) => instruction(RETURN, *action, 0, 0),
            None => instruction(JUMP, ON, 0, 0),
        }];
    }
    let (left, right) = runs.split_at(runs.len() / 2);
    let smaller = search(left);
    let mut program = match u8::try_from(smaller.len()) {
        Ok(distance) => vec![instruction(JUMP_GREATER_OR_EQUAL, right[0].0, distance, 0)],
        // A conditional jump reaches 255 instructions; an unconditional one reaches everywhere.
        Err(_) => {
            vec![instruction(JUMP_GREATER_OR_EQUAL, right[0].0, 0, 1), instruction(JUMP, smaller.len() as u32, 0, 0)]
        }
    };
    program.extend(smaller);
    program.extend(search(right));
    program
}

fn by_arguments(shape: Shape) -> Result<BpfProgram, FilterError> {
    let condition = |argument: u8, width: SeccompCmpArgLen, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(argument, width, operator, value)
    };
    let rule = |conditions: Vec<SeccompCondition>| SeccompRule::new(conditions);
    // Every condition of a rule has to hold for it to refuse, so "none of these" is one rule of many conditions.
    let none_of = |argument: u8, values: &[u64]| {
        let differ = |value: &u64| condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, *value);
        values.iter().map(differ).collect::<Result<Vec<_>, _>>().and_then(rule)
    };
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let flags = NAMESPACE_FLAGS
        .iter()
        .map(|flag| rule(vec![condition(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(*flag), *flag)?]));
    rules.insert(libc::SYS_clone, flags.collect::<Result<_, _>>()?);
    let requests = match shape.setting {
        Setting::Namespaces => TERMINAL_REQUESTS
            .iter()
            .map(|request| rule(vec![condition(1, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *request)?]))
            .collect::<Result<Vec<_>, _>>()?,
        Setting::InPlace => vec![none_of(1, &requests_in_place(shape.network))?],
    };
    rules.insert(libc::SYS_ioctl, requests);
    // A rule without conditions would be none of ours to make: it refuses the call whatever its arguments are.
    let families = socket_families(shape);
    let mut sockets = if families.is_empty() { Vec::new() } else { vec![none_of(0, families)?] };
    for family in families.iter().map(|family| *family as i32) {
        let of_family = || condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, family as u64);
        let not = |protocol: &u64| condition(2, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, *protocol);
        let allowed: &[u64] = match family {
            libc::AF_INET | libc::AF_INET6 => &INTERNET_PROTOCOLS,
            libc::AF_NETLINK => &[libc::NETLINK_ROUTE as u64],
            _ => continue,
        };
        let mut conditions = vec![of_family()?];
        conditions.extend(allowed.iter().map(not).collect::<Result<Vec<_>, _>>()?);
        sockets.push(rule(conditions)?);
    }
    rules.insert(libc::SYS_socket, sockets);
    let command = |operator, value| rule(vec![condition(1, SeccompCmpArgLen::Dword, operator, value)?]);
    let mut commands =
        FILE_COMMANDS.iter().map(|one| command(SeccompCmpOp::Eq, *one)).collect::<Result<Vec<_>, _>>()?;
    commands.push(command(SeccompCmpOp::Gt, NEWEST_FILE_COMMAND)?);
    rules.insert(libc::SYS_fcntl, commands);
    let mut pairs = vec![none_of(0, &[libc::AF_UNIX as u64])?];
    if shape.setting == Setting::InPlace {
        for kind in LOOSE_PAIRS {
            let operator = SeccompCmpOp::MaskedEq(SOCKET_TYPE);
            pairs.push(rule(vec![condition(1, SeccompCmpArgLen::Dword, operator, kind)?])?);
        }
    }
    rules.insert(libc::SYS_socketpair, pairs);
    if shape.setting == Setting::Namespaces {
        let init = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, INIT)?;
        rules.insert(libc::SYS_prlimit64, vec![rule(vec![init])?]);
    } else {
        for (call, argument) in ON_ONESELF {
            let another = condition(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, 0)?;
            rules.entry(call).or_default().push(rule(vec![another])?);
        }
        for (call, kind) in ONE_PROCESS {
            let several = condition(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, kind)?;
            rules.entry(call).or_default().push(rule(vec![several])?);
        }
    }
    rules.insert(libc::SYS_personality, vec![none_of(0, &PERSONALITIES)?]);
    let arch = if cfg!(target_arch = "x86_64") { TargetArch::x86_64 } else { TargetArch::aarch64 };
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32), arch)?;
    Ok(filter.try_into()?)
}
