//! Evaluates a filter the way the kernel does, for evidence over every number, architecture and argument that matters.

use super::compile::{ALLOW, AUDIT_ARCH, ERRNO, Filter, KILL, X32_BIT};
use super::policy::{NEWEST_KNOWN, Shape, conditions_hold, rule_on};

/// How a call enters the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Abi {
    /// The machine's own.
    Native,
    /// x32: 32-bit pointers on x86-64, with the native architecture and a bit in the number.
    X32,
    /// i386: `int 0x80` on x86-64.
    I386,
}

impl Abi {
    /// Those that exist on this machine.
    pub(crate) const ALL: &'static [Abi] =
        if cfg!(target_arch = "x86_64") { &[Abi::Native, Abi::X32, Abi::I386] } else { &[Abi::Native] };
}

/// What a filter decides.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Allow,
    Errno(u16),
    Kill,
    /// The program is malformed or answers with something that we never ask for.
    Broken,
}

/// The decision on one call.
pub(crate) fn evaluate(filter: &Filter, abi: Abi, number: u32, arguments: [u64; 6]) -> Decision {
    const AUDIT_ARCH_I386: u32 = 0x4000_0003;
    let (arch, number) = match abi {
        Abi::Native => (AUDIT_ARCH, number),
        Abi::X32 => (AUDIT_ARCH, number | X32_BIT),
        Abi::I386 => (AUDIT_ARCH_I386, number),
    };
    // struct seccomp_data: number, architecture, instruction pointer, six arguments; in words.
    let mut data = [0u32; 16];
    (data[0], data[1]) = (number, arch);
    for (words, argument) in data[4..].chunks_exact_mut(2).zip(arguments) {
        (words[0], words[1]) = (argument as u32, (argument >> 32) as u32);
    }
    match run(filter, &data) {
        Some(ALLOW) => Decision::Allow,
        Some(KILL) => Decision::Kill,
        Some(answer) if answer & 0xffff_0000 == ERRNO => Decision::Errno(answer as u16),
        _ => Decision::Broken,
    }
}

/// Every call that the filter decides otherwise than the policy says: all numbers on all ABIs, with arguments that show both
/// sides of the rules that look at them. Empty is what it should be.
pub(crate) fn disagreements(filter: &Filter, shape: Shape) -> Vec<String> {
    let samples = [
        [0; 6],
        [1, 0x5412, 0, 0, 0, 0],
        [1, 2, 0, 0, 0, 0],
        [2, 1, 0, 0, 0, 0],
        [2, 1, 6, 0, 0, 0],
        [10, 1, 132, 0, 0, 0],
        [2, 1, 262, 0, 0, 0],
        [16, 3, 0, 0, 0, 0],
        [16, 3, 9, 0, 0, 0],
        [0, 1024, 1, 0, 0, 0],
        [0, 0x5_0000_0402, 1, 0, 0, 0],
        [0, 1030, 0, 0, 0, 0],
        [0, 1039, 0, 0, 0, 0],
        [1, 0o2004003, 0, 0, 0, 0],
        [1, 0o2000001, 0, 0, 0, 0],
        [1, 5, 0, 0, 0, 0],
        [2, 0x1_0000_5412, 0, 0, 0, 0],
        [0x1000_0000, 0x541c, 0, 0, 0, 0],
        [0x8_0000_0010, 0, 0, 0, 0, 0],
        [0, 0x4008_6602, 0, 0, 0, 0],
        [0, 0x7_401c_5820, 0, 0, 0, 0],
        [0x9_0000_0000, 0x9_0000_0000, 0, 0, 0, 0],
        [1, 0, 0, 0, 0, 0],
        [0, 4711, 0, 0, 0, 0],
        [4711, 0, 0, 0, 0, 0],
        [u64::MAX; 6],
    ];
    let mut found = Vec::new();
    for number in (0..NEWEST_KNOWN + 64).chain([0x3fff_ffff]) {
        let listed = rule_on(i64::from(number), shape.setting).is_some();
        for arguments in samples {
            for abi in Abi::ALL {
                let allowed = *abi == Abi::Native
                    && number <= NEWEST_KNOWN
                    && !listed
                    && conditions_hold(i64::from(number), arguments, shape);
                let decision = evaluate(filter, *abi, number, arguments);
                if (decision == Decision::Allow) != allowed || decision == Decision::Broken {
                    found.push(format!("{number} through {abi:?} with {arguments:?}: {decision:?}"));
                }
            }
        }
    }
    found
}

/// The classic BPF machine, as far as our programs and seccompiler's use it. `None` for anything else.
fn run(filter: &Filter, data: &[u32]) -> Option<u32> {
    let program = &filter.0;
    let mut accumulator = 0u32;
    let mut at = 0usize;
    loop {
        let one = program.get(at)?;
        at += 1;
        let mut branch = |taken: bool| at += usize::from(if taken { one.jt } else { one.jf });
        match one.code {
            0x20 => accumulator = *data.get((one.k / 4) as usize)?,
            0x05 => at += one.k as usize,
            0x15 => branch(accumulator == one.k),
            0x25 => branch(accumulator > one.k),
            0x35 => branch(accumulator >= one.k),
            0x45 => branch(accumulator & one.k != 0),
            0x54 => accumulator &= one.k,
            0x06 => return Some(one.k),
            _ => return None,
        }
    }
}
