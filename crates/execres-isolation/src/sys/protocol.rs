//! What the host and the launcher say to each other. This file is compiled into both, so it uses nothing but constants.
//!
//! Messages on sockets are arrays of little-endian `u32` words of [`MESSAGE_WORDS`]. The request of a run is a *blob* in
//! a sealed memfd, written by `wire.rs` of the host and read by `blob.rs` of the launcher; only the host writes it.

/// Words of every message.
pub(crate) const MESSAGE_WORDS: usize = 64;

/// The launcher's socket to the host.
pub(crate) const FD_SOCKET: i32 = 3;
/// A pidfd of the host process.
pub(crate) const FD_HOST: i32 = 4;
/// The most descriptors that one message carries.
pub(crate) const MAX_FDS: usize = 64;

/// Magic first word of a blob; changes with the format.
pub(crate) const BLOB_MAGIC: u32 = 0x4558_0002;

/// Where a new root is put together, with its NUL. It has to exist on every host; what it covers has been opened by then.
pub(crate) const STAGING: &str = "/tmp\0";

/// The user and group that a guest sees as its own.
pub(crate) const GUEST_ID: u32 = 1000;

// Host to launcher.
/// `[SETUP, flags, outer uid, outer gid]`: make the outer namespaces.
pub(crate) const SETUP: u32 = 1;
/// `[RUN, flags]` with the blob, the control socket and the descriptors of the run: fork an init.
pub(crate) const RUN: u32 = 2;
/// `[SACRIFICE, user id]` with a report socket: fork a process with the guest's identity that reports what is done to it.
pub(crate) const SACRIFICE: u32 = 3;

// Launcher to host.
/// `[READY]`
pub(crate) const READY: u32 = 1;
/// `[STARTED, pid]` with a pidfd.
pub(crate) const STARTED: u32 = 2;
/// `[FAILED, stage, errno]`
pub(crate) const FAILED: u32 = 3;

// Flags of SETUP.
/// The host may map a range of its own, so the guest gets an id that nobody else has.
pub(crate) const SETUP_RANGE: u32 = 1;
/// Stay in the host's network namespace.
pub(crate) const SETUP_INHERIT_NETWORK: u32 = 2;
/// No namespaces: nothing of a run dies with its init, which ends the tree itself.
pub(crate) const SETUP_BARE: u32 = 4;

// Layers that a test can leave away, as flags of RUN and of the blob. Evidence then says so.
/// No PID namespace.
pub(crate) const OFF_PID: u32 = 1;
/// No mount namespace and no root of its own.
pub(crate) const OFF_MOUNT: u32 = 1 << 1;
/// No IPC namespace.
pub(crate) const OFF_IPC: u32 = 1 << 2;
/// The guest keeps the host's own user id.
pub(crate) const OFF_IDENTITY: u32 = 1 << 3;
/// No `no_new_privs`.
pub(crate) const OFF_NO_NEW_PRIVS: u32 = 1 << 4;
/// Capabilities are kept.
pub(crate) const OFF_CAPABILITIES: u32 = 1 << 5;
/// No Landlock domain.
pub(crate) const OFF_LANDLOCK: u32 = 1 << 6;
/// No system-call filter.
pub(crate) const OFF_SECCOMP: u32 = 1 << 7;
/// No layer at all: a supervised process of the host. Its init adopts what it leaves behind.
pub(crate) const RUN_UNCONFINED: u32 = 1 << 15;
/// A network namespace for this run alone, with its loopback up.
pub(crate) const RUN_LOOPBACK: u32 = 1 << 16;
/// A network namespace for this run alone, as empty as the launcher's.
pub(crate) const RUN_OWN_NETWORK: u32 = 1 << 17;
/// The guest has to lose the host's supplementary groups. Only the namespace of a privileged host allows that.
pub(crate) const RUN_DROP_GROUPS: u32 = 1 << 18;
/// An empty directory where `/proc` would be.
pub(crate) const RUN_EMPTY_PROC: u32 = 1 << 19;
/// No namespaces and no root of its own; identity, Landlock and the filter are in force.
pub(crate) const RUN_IN_PLACE: u32 = 1 << 20;
/// Stands for "stay who you are" where a user id is expected.
pub(crate) const KEEP_IDENTITY: u32 = u32::MAX;

// Host to init, on the control socket.
/// `[SIGNAL, number]`: pass a signal on to the leader of the current step.
pub(crate) const SIGNAL: u32 = 1;
/// `[KILL]`: end the run.
pub(crate) const KILL: u32 = 2;

// Init to host, on the control socket.
/// `[PREPARED]` with the directories to hand up: the root is built.
pub(crate) const PREPARED: u32 = 1;
/// `[SETUP_FAILED, stage, index, errno]`
pub(crate) const SETUP_FAILED: u32 = 2;
/// `[EXEC_FAILED, step, stage, errno]`
pub(crate) const EXEC_FAILED: u32 = 3;
/// `[LEADER, step, si_code, si_status]`: the step's first process ended.
pub(crate) const LEADER: u32 = 4;
/// `[SWEPT, step, cause, wall ns lo, hi, user µs lo, hi, system µs lo, hi, max rss KiB, peak processes, peak bytes lo, hi, clean]`:
/// nothing of the step is alive any more, or, where `clean` is 0, what is cannot be ended from here.
pub(crate) const SWEPT: u32 = 5;

// Why init ended a step.
/// The leader ended by itself.
pub(crate) const CAUSE_LEADER: u32 = 0;
/// The run's wall time was over.
pub(crate) const CAUSE_WALL: u32 = 1;
/// Polling found more memory than the run may have.
pub(crate) const CAUSE_MEMORY: u32 = 2;
/// The host asked for it.
pub(crate) const CAUSE_KILL: u32 = 3;

// Where a setup failed.
/// Writing an id map.
pub(crate) const STAGE_MAP: u32 = 1;
/// `unshare` of the user namespace.
pub(crate) const STAGE_USER_NAMESPACE: u32 = 2;
/// `unshare` of the other namespaces.
pub(crate) const STAGE_NAMESPACES: u32 = 3;
/// First use of a capability in the namespace: making mounts private.
pub(crate) const STAGE_CAPABILITY: u32 = 4;
/// `clone` of init.
pub(crate) const STAGE_CLONE: u32 = 5;
/// The blob was refused.
pub(crate) const STAGE_BLOB: u32 = 6;
/// Opening the source of a mount; the index names it.
pub(crate) const STAGE_SOURCE: u32 = 7;
/// Becoming the guest's user.
pub(crate) const STAGE_IDENTITY: u32 = 8;
/// A step of the root; the index names it.
pub(crate) const STAGE_ROOT: u32 = 9;
/// `pivot_root` and what belongs to it.
pub(crate) const STAGE_PIVOT: u32 = 10;
/// The Landlock ruleset; the index names the rule.
pub(crate) const STAGE_LANDLOCK: u32 = 11;
/// Opening a directory to hand up.
pub(crate) const STAGE_HAND_UP: u32 = 12;
/// Bringing loopback up.
pub(crate) const STAGE_LOOPBACK: u32 = 13;
/// A bound path is not what the host looked at.
pub(crate) const STAGE_SOURCE_CHANGED: u32 = 14;
/// Forking the target.
pub(crate) const STAGE_FORK: u32 = 15;

// Where a target failed.
/// Standard streams.
pub(crate) const TARGET_STDIO: u32 = 1;
/// Working directory.
pub(crate) const TARGET_CWD: u32 = 2;
/// A resource limit.
pub(crate) const TARGET_RLIMIT: u32 = 3;
/// `no_new_privs`.
pub(crate) const TARGET_NO_NEW_PRIVS: u32 = 4;
/// Capabilities.
pub(crate) const TARGET_CAPABILITIES: u32 = 5;
/// Landlock.
pub(crate) const TARGET_LANDLOCK: u32 = 6;
/// The filter.
pub(crate) const TARGET_SECCOMP: u32 = 7;
/// `execve`.
pub(crate) const TARGET_EXEC: u32 = 8;
/// What decides who runs first.
pub(crate) const TARGET_PRIORITY: u32 = 9;

// Steps of the root.
/// `[OP_DIR, mode, path]`
pub(crate) const OP_DIR: u32 = 1;
/// `[OP_TMPFS, flags, path, options]`
pub(crate) const OP_TMPFS: u32 = 2;
/// `[OP_BIND, flags, dev lo, hi, ino lo, hi, source, target]`; the source is opened before the root is built.
pub(crate) const OP_BIND: u32 = 3;
/// `[OP_SYMLINK, target, path]`
pub(crate) const OP_SYMLINK: u32 = 4;
/// `[OP_FILE, mode, path, content]`
pub(crate) const OP_FILE: u32 = 5;
/// `[OP_PROC, path]`
pub(crate) const OP_PROC: u32 = 6;
/// `[OP_DEVPTS, path]`
pub(crate) const OP_DEVPTS: u32 = 7;
/// `[OP_OVERLAY, path, options]`
pub(crate) const OP_OVERLAY: u32 = 8;
/// `[OP_REBIND, flags, source, target]`: both in the new root.
pub(crate) const OP_REBIND: u32 = 9;

// Flags of binds and of tmpfs.
/// Read-only.
pub(crate) const MOUNT_READ_ONLY: u32 = 1;
/// The target is a file.
pub(crate) const MOUNT_FILE: u32 = 2;
/// Devices work (only `/dev/null` and its like).
pub(crate) const MOUNT_DEVICE: u32 = 4;

// How a step names its program.
/// A path in the guest.
pub(crate) const PROGRAM_PATH: u32 = 0;
/// The index of a descriptor of the run.
pub(crate) const PROGRAM_FD: u32 = 1;

/// What a message of the probe's guest is about. `[attempt, errno, value]`; errno 0 means that it worked.
pub(crate) mod attempt {
    pub(crate) const HELLO: u32 = 1;
    pub(crate) const DONE: u32 = 2;
    pub(crate) const MARKER: u32 = 3;
    pub(crate) const SET_UID_RAN: u32 = 4;
    pub(crate) const READ_SECRET: u32 = 10;
    pub(crate) const WRITE_OUTSIDE: u32 = 11;
    pub(crate) const CREATE_OUTSIDE: u32 = 12;
    pub(crate) const CHMOD_OUTSIDE: u32 = 13;
    pub(crate) const TIMES_OUTSIDE: u32 = 14;
    pub(crate) const XATTR_OUTSIDE: u32 = 15;
    pub(crate) const LINK_OUTSIDE: u32 = 16;
    pub(crate) const RENAME_OUTSIDE: u32 = 17;
    pub(crate) const UNLINK_OUTSIDE: u32 = 18;
    pub(crate) const WRITE_THROUGH_PROC: u32 = 19;
    pub(crate) const CORE_PATTERN: u32 = 20;
    pub(crate) const LANDLOCK_CANARY: u32 = 21;
    pub(crate) const WRITE_SCRATCH: u32 = 22;
    pub(crate) const TRUNCATE_OUTSIDE: u32 = 23;
    pub(crate) const MODE_BY_DESCRIPTOR: u32 = 24;
    pub(crate) const TIMES_BY_DESCRIPTOR: u32 = 25;
    pub(crate) const XATTR_BY_DESCRIPTOR: u32 = 26;
    pub(crate) const STAT_OUTSIDE: u32 = 27;
    pub(crate) const SIGNAL_HOST: u32 = 30;
    pub(crate) const PIDFD_HOST: u32 = 31;
    pub(crate) const UNIX_PATH: u32 = 32;
    pub(crate) const ABSTRACT_HOST: u32 = 33;
    pub(crate) const ABSTRACT_TWIN: u32 = 34;
    pub(crate) const SYSV_SHM: u32 = 35;
    pub(crate) const POSIX_MQ: u32 = 36;
    pub(crate) const TCP_HOST: u32 = 37;
    pub(crate) const SEE_HOST: u32 = 38;
    pub(crate) const LIMIT_HOST: u32 = 39;
    pub(crate) const PAIR_TO_PATH: u32 = 41;
    pub(crate) const NICE_HOST: u32 = 40;
    pub(crate) const UNSHARE_USER: u32 = 50;
    pub(crate) const CLONE_USER: u32 = 51;
    pub(crate) const SET_UID_EXEC: u32 = 52;
    pub(crate) const CAPABILITY: u32 = 53;
    pub(crate) const KEYCTL: u32 = 60;
    pub(crate) const PTRACE: u32 = 61;
    pub(crate) const IO_URING: u32 = 62;
    pub(crate) const X32: u32 = 63;
    pub(crate) const CLONE3: u32 = 64;
    pub(crate) const MOUNT: u32 = 65;
    pub(crate) const TIOCSTI: u32 = 66;
    pub(crate) const LEASE: u32 = 67;
}

// What the sacrifice tells.
/// `[SUFFERS]`: it listens and takes signals.
pub(crate) const SUFFERS: u32 = 1;
/// `[SIGNALLED, number]`
pub(crate) const SIGNALLED: u32 = 2;
/// `[CONNECTED]`
pub(crate) const CONNECTED: u32 = 3;
/// `[STILL_HERE, errno of reading, of writing, of connecting, of attaching, of queueing, of changing what belongs to the owner of
/// a file, of limiting a process, of making one nice, of sending to a name]`: the answer to [`CONTROL`].
pub(crate) const STILL_HERE: u32 = 4;

// Host to sacrifice.
/// `[CONTROL, SysV id, bytes of path, path…]`: do from outside what the guest tried, in the canary directory.
pub(crate) const CONTROL: u32 = 1;
