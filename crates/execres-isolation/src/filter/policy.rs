//! Which system calls a guest may not make, and why. A call that is not listed is allowed.
//!
//! A list of what is forbidden, and not of what is allowed, because ordinary runtimes have to work unchanged; what stands
//! between the guest and the host are namespaces, identity and the empty capability sets, and this filter takes away the parts
//! of the kernel where those have failed before.

use execres_core::NetworkMode;

/// What a refused call answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `EPERM`: the program asked for something that it may not do.
    Refused,
    /// `ENOSYS`: the kernel looks as if it did not have the call, so libraries fall back to an older one.
    Absent,
    /// `EOPNOTSUPP`: the file system looks as if it did not have what was asked for, which programs that list and copy files know.
    Unsupported,
}

/// One call that is refused whatever its arguments are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rule {
    pub(crate) number: i64,
    pub(crate) answer: Answer,
    #[cfg_attr(not(test), allow(dead_code, reason = "read by people, and by a test that wants one on every row"))]
    pub(crate) why: &'static str,
}

macro_rules! rules {
    ($($answer:ident { $($call:ident)* } $why:literal;)*) => {
        &[$($(Rule { number: libc::$call as i64, answer: Answer::$answer, why: $why },)*)*]
    };
}

/// Calls that exist on every supported machine.
pub(crate) const DANGEROUS: &[Rule] = rules! {
    Refused { SYS_ptrace SYS_process_vm_readv SYS_process_vm_writev SYS_kcmp SYS_pidfd_getfd SYS_process_madvise }
        "looking into and steering other processes, the run's own included, has no place in a program that is only run";
    Refused { SYS_unshare SYS_setns }
        "new namespaces give capabilities inside them, and with those most of the kernel's attack surface";
    Refused { SYS_mount SYS_umount2 SYS_pivot_root SYS_chroot SYS_open_tree SYS_move_mount SYS_fsopen SYS_fsconfig
              SYS_fsmount SYS_fspick SYS_mount_setattr }
        "what the guest finds was built by the launcher and stays that way";
    Refused { SYS_bpf SYS_perf_event_open SYS_userfaultfd }
        "kernel interfaces with a history of privilege escalation that ordinary programs do without";
    Refused { SYS_add_key SYS_request_key SYS_keyctl }
        "keyrings are not separated by namespaces in every way";
    Refused { SYS_init_module SYS_finit_module SYS_delete_module SYS_kexec_load SYS_kexec_file_load SYS_reboot SYS_swapon
              SYS_swapoff SYS_acct SYS_quotactl SYS_quotactl_fd SYS_syslog }
        "administration of the machine";
    Refused { SYS_settimeofday SYS_clock_settime SYS_clock_adjtime SYS_adjtimex SYS_sethostname SYS_setdomainname }
        "the clock and the names are the host's";
    Refused { SYS_name_to_handle_at SYS_open_by_handle_at SYS_fanotify_init SYS_fanotify_mark }
        "file handles lead around every mount";
    Refused { SYS_migrate_pages SYS_move_pages SYS_vhangup SYS_lookup_dcookie SYS_nfsservctl }
        "nothing that a program needs, and code in the kernel that is seldom looked at";
    Absent { SYS_io_uring_setup SYS_io_uring_enter SYS_io_uring_register }
        "work that io_uring does is not seen by this filter; runtimes fall back to epoll";
    Absent { SYS_clone3 }
        "its flags are in memory, where a filter cannot read them; libc falls back to clone";
    Absent { SYS_io_setup SYS_io_destroy SYS_io_submit SYS_io_cancel SYS_io_getevents }
        "the machine has one number of contexts for everybody, and a guest can take them all; libraries fall back to threads";
    Absent { SYS_memfd_secret }
        "memory that cannot be inspected or accounted for as other memory is";
};

/// What a run is beside its filter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Setting {
    /// In namespaces with a root of its own.
    Namespaces,
    /// Among the host's processes and paths.
    InPlace,
}

/// What a filter depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Shape {
    pub(crate) network: NetworkMode,
    pub(crate) setting: Setting,
}

/// What is refused as well where no namespace stands between a run and the host.
pub(crate) const IN_PLACE: &[Rule] = rules! {
    Refused { SYS_shmget SYS_shmat SYS_shmctl SYS_shmdt SYS_semget SYS_semop SYS_semtimedop SYS_semctl SYS_msgget SYS_msgsnd
              SYS_msgrcv SYS_msgctl SYS_mq_open SYS_mq_unlink SYS_mq_timedsend SYS_mq_timedreceive SYS_mq_notify
              SYS_mq_getsetattr }
        "SysV objects and POSIX queues are the host's, and Landlock knows nothing of them";
    Refused { SYS_inotify_init1 SYS_inotify_add_watch }
        "watching shows what others do with files that cannot be opened";
    Refused { SYS_process_mrelease }
        "nothing that a program needs among the host's processes";
    Refused { SYS_fchmod SYS_fchmodat SYS_fchmodat2 SYS_fchown SYS_fchownat SYS_utimensat SYS_setxattr SYS_lsetxattr
              SYS_fsetxattr SYS_removexattr SYS_lremovexattr SYS_fremovexattr }
        "Landlock does not restrict mode, owner, times and attributes, which can be changed without opening a file for writing";
    Unsupported { SYS_getxattr SYS_lgetxattr SYS_fgetxattr SYS_listxattr SYS_llistxattr SYS_flistxattr }
        "extended attributes can be read without opening a file, and hold what people wrote into them";
};

/// The same, of calls that are newer than the list of names that is used here. Their numbers are those of every machine.
pub(crate) const IN_PLACE_NEW: &[Rule] = &[
    Rule { number: 457, answer: Answer::Absent, why: "statmount tells of every mount of the host" },
    Rule { number: 458, answer: Answer::Absent, why: "listmount names every mount of the host" },
];

/// The same, of calls that exist only on x86-64.
#[cfg(target_arch = "x86_64")]
pub(crate) const IN_PLACE_HERE: &[Rule] = rules! {
    Refused { SYS_inotify_init }
        "watching shows what others do with files that cannot be opened";
    Refused { SYS_chmod SYS_chown SYS_lchown SYS_utime SYS_utimes SYS_futimesat }
        "Landlock does not restrict mode, owner, times and attributes, which can be changed without opening a file for writing";
};

/// The same, of calls that exist only on this machine.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const IN_PLACE_HERE: &[Rule] = &[];

/// The rule on a call, whatever its arguments are.
pub(crate) fn rule_on(number: i64, setting: Setting) -> Option<&'static Rule> {
    let in_place = setting == Setting::InPlace;
    let tables = [
        (true, DANGEROUS),
        (true, DANGEROUS_HERE),
        (in_place, IN_PLACE),
        (in_place, IN_PLACE_NEW),
        (in_place, IN_PLACE_HERE),
    ];
    tables.into_iter().filter(|(applies, _)| *applies).flat_map(|(_, table)| table).find(|rule| rule.number == number)
}

/// Calls whose first or second argument names a process that may only be the caller itself, as 0. The kernel allows them on
/// every process of the same user.
pub(crate) const ON_ONESELF: [(i64, u8); 7] = [
    (libc::SYS_prlimit64, 0),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
];

/// What the kind of target has to be for the calls that can also mean a group or a user: one process.
pub(crate) const ONE_PROCESS: [(i64, u64); 2] = [(libc::SYS_setpriority, 0), (libc::SYS_ioprio_set, 1)];

/// Commands of `fcntl` that reach others through a file that is only readable: a lease stops everybody who opens it, a notification
/// shows what they do.
pub(crate) const FILE_COMMANDS: [u64; 2] = [libc::F_SETLEASE as u64, libc::F_NOTIFY as u64];

/// The newest command of `fcntl` that was looked at: `F_SET_FILE_RW_HINT`. What came later has delegations, which are leases.
pub(crate) const NEWEST_FILE_COMMAND: u64 = 1038;

/// Types of sockets that `socketpair` makes and that can leave their pair: a datagram socket can be connected anew, or send to
/// the name of another one. The kernel makes a datagram socket of the raw one.
pub(crate) const LOOSE_PAIRS: [u64; 2] = [libc::SOCK_DGRAM as u64, libc::SOCK_RAW as u64];

/// The bits of a socket's type beside its flags.
pub(crate) const SOCKET_TYPE: u64 = 0xf;

/// Requests that a run may make where no mount stands between it and the host's files. File systems have many more that change a
/// file through a descriptor that is open for reading, and Landlock restricts those of devices alone; so this is a list of what is
/// allowed: asking about a terminal, about what waits to be read, and about a file; and the two flags of a descriptor.
pub(crate) const REQUESTS_IN_PLACE: [u64; 13] = [
    libc::TCGETS,
    libc::TIOCGWINSZ,
    libc::TIOCGPGRP,
    libc::FIONREAD,
    libc::FIONBIO,
    libc::FIOASYNC,
    libc::FIOCLEX,
    libc::FIONCLEX,
    // FIGETBSZ, FS_IOC_FIEMAP, FS_IOC_GETFLAGS, FS_IOC_FSGETXATTR, RNDGETENTCNT.
    0x2,
    0xc020_660b,
    0x8008_6601,
    0x801c_581f,
    0x8004_5200,
];

/// And those that ask about interfaces, where the run has the host's network: SIOCGIFCONF, SIOCGIFFLAGS, SIOCGIFADDR, SIOCGIFNAME,
/// SIOCGIFINDEX, SIOCGIFHWADDR, SIOCGIFMTU.
pub(crate) const REQUESTS_ABOUT_INTERFACES: [u64; 7] = [0x8912, 0x8913, 0x8915, 0x8910, 0x8933, 0x8927, 0x8921];

/// The requests that a run without namespaces may make.
pub(crate) fn requests_in_place(network: NetworkMode) -> Vec<u64> {
    let interfaces: &[u64] = if network == NetworkMode::Inherited { &REQUESTS_ABOUT_INTERFACES } else { &[] };
    REQUESTS_IN_PLACE.iter().chain(interfaces).copied().collect()
}

/// Calls that exist only on x86-64.
#[cfg(target_arch = "x86_64")]
pub(crate) const DANGEROUS_HERE: &[Rule] = rules! {
    Refused { SYS_iopl SYS_ioperm }
        "ports of the machine";
    Refused { SYS_modify_ldt }
        "segment descriptors: a history of escapes, needed by 16-bit programs only";
    Absent { SYS_uselib SYS_ustat SYS_sysfs SYS__sysctl }
        "left over from old kernels";
};

/// Calls that exist only on this machine.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const DANGEROUS_HERE: &[Rule] = &[];

/// The newest number that was looked at. Whatever the kernel adds after it looks absent.
#[cfg(target_arch = "x86_64")]
pub(crate) const NEWEST_KNOWN: u32 = 462;
/// The newest number that was looked at. Whatever the kernel adds after it looks absent.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) const NEWEST_KNOWN: u32 = 462;

/// Flags of `clone` that make namespaces. Each alone is enough to refuse.
pub(crate) const NAMESPACE_FLAGS: [u64; 7] = [
    libc::CLONE_NEWNS as u64,
    libc::CLONE_NEWCGROUP as u64,
    libc::CLONE_NEWUTS as u64,
    libc::CLONE_NEWIPC as u64,
    libc::CLONE_NEWUSER as u64,
    libc::CLONE_NEWPID as u64,
    libc::CLONE_NEWNET as u64,
];

/// Terminal requests that put words into somebody's mouth. The kernel looks at 32 bits of a request, so the rule does too.
pub(crate) const TERMINAL_REQUESTS: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Address families that a run of this shape may make sockets of.
pub(crate) const fn socket_families(shape: Shape) -> &'static [u64] {
    match shape.network {
        // The host's own sockets are in reach by their paths.
        NetworkMode::Inherited if !matches!(shape.setting, Setting::Namespaces) => {
            &[libc::AF_INET as u64, libc::AF_INET6 as u64, libc::AF_NETLINK as u64]
        }
        _ if !matches!(shape.setting, Setting::Namespaces) => &[],
        NetworkMode::Loopback | NetworkMode::Inherited => {
            &[libc::AF_UNIX as u64, libc::AF_INET as u64, libc::AF_INET6 as u64, libc::AF_NETLINK as u64]
        }
        // Unix sockets stay: the run has no host's socket in reach, and runtimes use their own.
        _ => &[libc::AF_UNIX as u64],
    }
}

/// Protocols of internet sockets: the family's own, TCP and UDP. Others make the kernel load modules that few have looked at.
pub(crate) const INTERNET_PROTOCOLS: [u64; 3] = [0, libc::IPPROTO_TCP as u64, libc::IPPROTO_UDP as u64];

/// Execution domains that `personality` may ask about or set: the query, plain Linux, and switching address randomisation
/// off, which debuggers and some runtimes do to themselves.
pub(crate) const PERSONALITIES: [u64; 3] = [0xffff_ffff, 0, libc::ADDR_NO_RANDOMIZE as u64];

/// The run's init, whose limits are not the guest's to set. The kernel would let it, because the two have one user; all else
/// that could slow init down it refuses, because init has capabilities and the guest has none.
pub(crate) const INIT: u64 = 1;

/// Whether the rules that look at arguments allow this call. The same table in plain Rust, against which the compiled filter is
/// tested.
pub(crate) fn conditions_hold(number: i64, arguments: [u64; 6], shape: Shape) -> bool {
    let low = |value: u64| value & 0xffff_ffff;
    let in_place = shape.setting != Setting::Namespaces;
    let on_oneself = || {
        ON_ONESELF.iter().all(|(call, at)| *call != number || low(arguments[usize::from(*at)]) == 0)
            && ONE_PROCESS.iter().all(|(call, kind)| *call != number || low(arguments[0]) == *kind)
    };
    if in_place && !on_oneself() {
        return false;
    }
    match number {
        libc::SYS_ioctl if in_place => requests_in_place(shape.network).contains(&low(arguments[1])),
        libc::SYS_clone => NAMESPACE_FLAGS.iter().all(|flag| arguments[0] & flag == 0),
        libc::SYS_ioctl => TERMINAL_REQUESTS.iter().all(|request| low(arguments[1]) != *request),
        libc::SYS_socket => {
            let (family, protocol) = (low(arguments[0]), low(arguments[2]));
            let about_the_kernel = family == libc::AF_NETLINK as u64 && protocol != 0;
            let inet = [libc::AF_INET as u64, libc::AF_INET6 as u64].contains(&family);
            socket_families(shape).contains(&family)
                && !about_the_kernel
                && (!inet || INTERNET_PROTOCOLS.contains(&protocol))
        }
        libc::SYS_fcntl => {
            let command = low(arguments[1]);
            !FILE_COMMANDS.contains(&command) && command <= NEWEST_FILE_COMMAND
        }
        libc::SYS_socketpair => {
            let loose = LOOSE_PAIRS.contains(&(low(arguments[1]) & SOCKET_TYPE));
            low(arguments[0]) == libc::AF_UNIX as u64 && !(in_place && loose)
        }
        libc::SYS_prlimit64 if !in_place => low(arguments[0]) != INIT,
        libc::SYS_personality => PERSONALITIES.contains(&low(arguments[0])),
        _ => true,
    }
}
