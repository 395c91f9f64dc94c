//! The threat list: every row, and which part of the workspace answers for it.

/// A row of the threat list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Threat {
    /// Its number.
    pub row: u8,
    /// What is attempted.
    pub what: &'static str,
    /// Who answers for it.
    pub home: Home,
}

/// Which part answers for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Home {
    /// This corpus.
    Corpus,
    /// Tests of another part, which has what the attack is aimed at.
    Elsewhere(&'static str),
}

const fn here(row: u8, what: &'static str) -> Threat {
    Threat { row, what, home: Home::Corpus }
}

const fn elsewhere(row: u8, what: &'static str, part: &'static str) -> Threat {
    Threat { row, what, home: Home::Elsewhere(part) }
}

/// Every row.
pub const THREATS: &[Threat] = &[
    here(1, "fork bombs"),
    here(2, "thread bombs"),
    here(3, "memory bombs: touched, shared, tmpfs, memfd"),
    here(4, "full disks, sparse files, many inodes, deep directories"),
    here(5, "descriptors, pipe and socket buffers"),
    here(6, "processor time, priorities, schedulers, affinity"),
    here(7, "output floods, broken text, terminal escapes"),
    here(8, "sleeping past a timeout, stopping oneself, blocking signals"),
    elsewhere(9, "archive bombs and a million entries as output", "collection of outputs (execres-workspace)"),
    here(10, "daemons"),
    here(11, "a grandchild that holds the output open"),
    elsewhere(
        12,
        "a host that is killed in the middle of a run",
        "death of the host (execres-isolation, tests/host_death.rs)",
    ),
    here(13, "signals to everybody, the parent and the supervisor"),
    here(14, "forged wait statuses"),
    here(15, "the end of the namespace's init from inside"),
    here(16, "memory, environment, descriptors, root and directory of other processes"),
    here(17, "secrets in the environment of init"),
    here(18, "ptrace, process_vm_readv, pidfd_getfd, kcmp"),
    here(19, "core dumps to a handler of the host's"),
    here(20, "/proc/sys, sysrq, kcore, kmsg, /sys, /dev/mem, /dev/kvm"),
    here(21, "set-uid programs, file capabilities, su and its like"),
    here(22, "new namespaces, and those of others"),
    here(23, "mounts, pivot_root, chroot"),
    here(24, "capabilities, keyrings, bpf, perf, userfaultfd, modules, the machine's administration"),
    here(25, "io_uring"),
    here(26, "x32 and i386 numbers, high bits in arguments"),
    here(27, "a second filter that allows more"),
    here(28, "terminal requests and the controlling terminal"),
    here(29, "control groups"),
    here(30, "secrets of the host and of other users"),
    here(31, "writing, renaming and linking across a boundary"),
    here(32, "links in outputs, planted and swapped"),
    here(33, "hard links, pipes, sockets, directories and devices as outputs"),
    here(34, "changing the bundle"),
    here(35, "hooks and start-up files for the next run"),
    elsewhere(
        36,
        "hostile names in bundles and declared paths",
        "bundles and materialised file sets (execres-code, execres-workspace)",
    ),
    here(37, "modes, times and names that make cleaning up hard"),
    here(38, "running programs through memfd, the loader, LD_PRELOAD and other variables"),
    here(39, "inherited descriptors"),
    here(40, "inherited environment, umask, directory, signals and limits"),
    here(41, "what a run leaves to the next in the same sandbox"),
    here(42, "Unix sockets, by path and abstract"),
    here(43, "SysV and POSIX objects"),
    here(44, "descriptors passed over a socket"),
    here(45, "the host's loopback, the metadata address, IPv6"),
    here(46, "raw, packet, netlink, vsock and other families; UDP; names"),
    here(47, "ports that are listened on"),
    elsewhere(48, "ways around a proxy", "the allow-list network (not part of this workspace yet)"),
    here(49, "binfmt_misc and interoperation with another system"),
    elsewhere(50, "a guest that edits its own policy", "policy and approval (execres-core)"),
    elsewhere(
        51,
        "denied paths that appear later",
        "grants, of which there are none that deny (execres-isolation, tests/contain.rs)",
    ),
    here(52, "arguments that another thread rewrites; a supervisor that is blinded"),
    elsewhere(
        53,
        "a supervisor that ends in the middle of a notification",
        "supervision (execres-isolation, tests/supervise.rs); no filter of ours waits for a supervisor",
    ),
    elsewhere(54, "options that open a container", "the container provider (not part of this workspace yet)"),
    elsewhere(
        55,
        "a second process in a container with fewer limits",
        "the container provider (not part of this workspace yet)",
    ),
    elsewhere(
        56,
        "an image that is swapped after its approval",
        "the container provider (not part of this workspace yet)",
    ),
    elsewhere(57, "hostile MCP servers", "the MCP provider (not part of this workspace yet)"),
    elsewhere(58, "hostile pages and drivers", "the browser provider (not part of this workspace yet)"),
    elsewhere(59, "hostile SQL", "the SQLite provider (not part of this workspace yet)"),
    here(60, "the clock"),
    elsewhere(61, "hostile calls over a bridge", "the bridge for host functions (not part of this workspace yet)"),
    here(62, "output that looks like a report"),
];
