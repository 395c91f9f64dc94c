//! Numbers of the system calls that the launcher makes, per machine, and the kernel's constants that it uses.

macro_rules! numbers {
    ($($name:ident = $x86_64:literal, $aarch64:literal;)*) => {
        $(
            #[cfg(target_arch = "x86_64")]
            pub const $name: usize = $x86_64;
            #[cfg(target_arch = "aarch64")]
            pub const $name: usize = $aarch64;
        )*
    };
}

numbers! {
    READ = 0, 63;
    WRITE = 1, 64;
    CLOSE = 3, 57;
    FSTAT = 5, 80;
    MMAP = 9, 222;
    RT_SIGPROCMASK = 14, 135;
    RT_SIGACTION = 13, 134;
    IOCTL = 16, 29;
    FCNTL = 72, 25;
    GETPID = 39, 172;
    SENDMSG = 46, 211;
    RECVMSG = 47, 212;
    SOCKET = 41, 198;
    SOCKETPAIR = 53, 199;
    SENDTO = 44, 206;
    CONNECT = 42, 203;
    ACCEPT4 = 288, 242;
    BIND = 49, 200;
    LISTEN = 50, 201;
    CLONE = 56, 220;
    EXECVE = 59, 221;
    EXIT_GROUP = 231, 94;
    WAITID = 247, 95;
    KILL = 62, 129;
    CHDIR = 80, 49;
    FCHDIR = 81, 50;
    UMASK = 95, 166;
    PTRACE = 101, 117;
    SETSID = 112, 157;
    SETGROUPS = 116, 159;
    SETRESUID = 117, 147;
    GETRESUID = 118, 148;
    SETRESGID = 119, 149;
    GETRESGID = 120, 150;
    CAPSET = 126, 91;
    PIVOT_ROOT = 155, 41;
    PRCTL = 157, 167;
    MOUNT = 165, 40;
    UMOUNT2 = 166, 39;
    SETHOSTNAME = 170, 161;
    SETXATTR = 188, 5;
    GETDENTS64 = 217, 61;
    CLOCK_GETTIME = 228, 113;
    OPENAT = 257, 56;
    MKDIRAT = 258, 34;
    UNLINKAT = 263, 35;
    RENAMEAT2 = 316, 276;
    LINKAT = 265, 37;
    SYMLINKAT = 266, 36;
    FCHMODAT = 268, 53;
    FCHMOD = 91, 52;
    FSETXATTR = 190, 7;
    TRUNCATE = 76, 45;
    NEWFSTATAT = 262, 79;
    SETPRIORITY = 141, 140;
    GETPRIORITY = 140, 141;
    SCHED_GETSCHEDULER = 145, 120;
    SCHED_SETSCHEDULER = 144, 119;
    IOPRIO_SET = 251, 30;
    IOPRIO_GET = 252, 31;
    PERSONALITY = 135, 92;
    PPOLL = 271, 73;
    UNSHARE = 272, 97;
    UTIMENSAT = 280, 88;
    SIGNALFD4 = 289, 74;
    DUP3 = 292, 24;
    PIPE2 = 293, 59;
    PRLIMIT64 = 302, 261;
    GETRUSAGE = 98, 165;
    SHMAT = 30, 196;
    MQ_OPEN = 240, 180;
    MQ_TIMEDSEND = 242, 182;
    KEYCTL = 250, 219;
    SECCOMP = 317, 277;
    EXECVEAT = 322, 281;
    PIDFD_SEND_SIGNAL = 424, 424;
    IO_URING_SETUP = 425, 425;
    OPEN_TREE = 428, 428;
    MOVE_MOUNT = 429, 429;
    FSOPEN = 430, 430;
    FSCONFIG = 431, 431;
    FSMOUNT = 432, 432;
    PIDFD_OPEN = 434, 434;
    CLONE3 = 435, 435;
    CLOSE_RANGE = 436, 436;
    OPENAT2 = 437, 437;
    MOUNT_SETATTR = 442, 442;
    LANDLOCK_CREATE_RULESET = 444, 444;
    LANDLOCK_ADD_RULE = 445, 445;
    LANDLOCK_RESTRICT_SELF = 446, 446;
}

pub const ENOENT: i32 = 2;
pub const EINTR: i32 = 4;
pub const EEXIST: i32 = 17;
pub const EINVAL: i32 = 22;
pub const EPIPE: i32 = 32;
pub const ENAMETOOLONG: i32 = 36;
pub const ELOOP: i32 = 40;
pub const ESTALE: i32 = 116;

pub const SIGKILL: i32 = 9;
pub const SIGCHLD: i32 = 17;

pub const CLONE_NEWNS: usize = 0x0002_0000;
pub const CLONE_NEWCGROUP: usize = 0x0200_0000;
pub const CLONE_NEWUTS: usize = 0x0400_0000;
pub const CLONE_NEWIPC: usize = 0x0800_0000;
pub const CLONE_NEWUSER: usize = 0x1000_0000;
pub const CLONE_NEWPID: usize = 0x2000_0000;
pub const CLONE_NEWNET: usize = 0x4000_0000;
pub const CLONE_PIDFD: usize = 0x1000;

pub const AT_FDCWD: i32 = -100;
pub const AT_SYMLINK_NOFOLLOW: usize = 0x100;
pub const AT_EMPTY_PATH: usize = 0x1000;
pub const AT_RECURSIVE: usize = 0x8000;

pub const O_WRONLY: usize = 1;
pub const O_CREAT: usize = 0o100;
pub const O_EXCL: usize = 0o200;
pub const O_NONBLOCK: usize = 0o4000;
pub const O_CLOEXEC: usize = 0o2000000;
pub const O_PATH: usize = 0o10000000;
#[cfg(target_arch = "x86_64")]
pub const O_DIRECTORY: usize = 0o200000;
#[cfg(target_arch = "aarch64")]
pub const O_DIRECTORY: usize = 0o40000;

pub const MS_RDONLY: usize = 1;
pub const MS_NOSUID: usize = 2;
pub const MS_NODEV: usize = 4;
pub const MS_NOEXEC: usize = 8;
pub const MS_BIND: usize = 0x1000;
pub const MS_REC: usize = 0x4000;
pub const MS_PRIVATE: usize = 1 << 18;
pub const MS_SLAVE: usize = 1 << 19;
pub const MNT_DETACH: usize = 2;
pub const OPEN_TREE_CLONE: usize = 1;
pub const FSOPEN_CLOEXEC: usize = 1;
pub const FSMOUNT_CLOEXEC: usize = 1;
pub const FSCONFIG_SET_STRING: usize = 1;
pub const FSCONFIG_CMD_CREATE: usize = 6;
pub const MOVE_MOUNT_F_EMPTY_PATH: usize = 4;
pub const MOVE_MOUNT_T_EMPTY_PATH: usize = 0x40;
pub const MOUNT_ATTR_RDONLY: u64 = 1;
pub const MOUNT_ATTR_NOSUID: u64 = 2;
pub const MOUNT_ATTR_NODEV: u64 = 4;

pub const PR_SET_PDEATHSIG: usize = 1;
pub const PR_SET_TIMERSLACK: usize = 29;
pub const PR_SET_DUMPABLE: usize = 4;
pub const PR_SET_SECUREBITS: usize = 28;
pub const PR_CAPBSET_DROP: usize = 24;
pub const PR_SET_NO_NEW_PRIVS: usize = 38;
pub const PR_SET_CHILD_SUBREAPER: usize = 36;
pub const PR_CAP_AMBIENT: usize = 47;
pub const PR_CAP_AMBIENT_CLEAR_ALL: usize = 4;
/// NOROOT, NO_SETUID_FIXUP and NO_CAP_AMBIENT_RAISE, each with its lock, and the lock of KEEP_CAPS.
pub const SECUREBITS: usize = 0b1110_1111;

pub const P_ALL: usize = 0;
pub const P_PIDFD: usize = 3;
pub const WNOHANG: usize = 1;
pub const WEXITED: usize = 4;
pub const WALL: usize = 0x4000_0000;

pub const POLLIN: i16 = 1;

pub const AF_UNIX: usize = 1;
pub const AF_INET: usize = 2;
pub const SOCK_STREAM: usize = 1;
pub const SOCK_CLOEXEC: usize = 0o2000000;
pub const MSG_NOSIGNAL: usize = 0x4000;
pub const MSG_CMSG_CLOEXEC: usize = 0x4000_0000;
