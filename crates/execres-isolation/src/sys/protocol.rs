//! What the host and the launcher say to each other. This file is compiled into both, so it uses nothing but constants.
//!
//! Messages on sockets are arrays of little-endian `u32` words of [`MESSAGE_WORDS`]. The request of a run is a *blob* in
//! a sealed memfd, written by `wire.rs` of the host and read by `blob.rs` of the launcher; only the host writes it.

/// Words of every message.
pub const MESSAGE_WORDS: usize = 32;

/// The launcher's socket to the host.
pub const FD_SOCKET: i32 = 3;
/// A pidfd of the host process.
pub const FD_HOST: i32 = 4;
/// The most descriptors that one message carries.
pub const MAX_FDS: usize = 64;

/// Magic first word of a blob; changes with the format.
pub const BLOB_MAGIC: u32 = 0x4558_0001;

/// The user and group that a guest sees as its own.
pub const GUEST_ID: u32 = 1000;

// Host to launcher.
/// `[SETUP, flags, outer uid, outer gid]`: make the outer namespaces.
pub const SETUP: u32 = 1;
/// `[RUN, flags]` with the blob, the control socket and the descriptors of the run: fork an init.
pub const RUN: u32 = 2;
/// `[SACRIFICE]` with a report socket: fork a process with the guest's identity that reports what is done to it.
pub const SACRIFICE: u32 = 3;

// Launcher to host.
/// `[READY]`
pub const READY: u32 = 1;
/// `[STARTED, pid]` with a pidfd.
pub const STARTED: u32 = 2;
/// `[FAILED, stage, errno]`
pub const FAILED: u32 = 3;

// Flags of SETUP.
/// The host may map a range of its own, so the guest gets an id that nobody else has.
pub const SETUP_RANGE: u32 = 1;
/// Stay in the host's network namespace.
pub const SETUP_INHERIT_NETWORK: u32 = 2;

// Layers that a test can leave away, as flags of RUN and of the blob. Evidence then says so.
/// No PID namespace.
pub const OFF_PID: u32 = 1;
/// No mount namespace and no root of its own.
pub const OFF_MOUNT: u32 = 1 << 1;
/// No IPC namespace.
pub const OFF_IPC: u32 = 1 << 2;
/// The guest keeps the host's own user id.
pub const OFF_IDENTITY: u32 = 1 << 3;
/// No `no_new_privs`.
pub const OFF_NO_NEW_PRIVS: u32 = 1 << 4;
/// Capabilities are kept.
pub const OFF_CAPABILITIES: u32 = 1 << 5;
/// No Landlock domain.
pub const OFF_LANDLOCK: u32 = 1 << 6;
/// No system-call filter.
pub const OFF_SECCOMP: u32 = 1 << 7;
/// A network namespace for this run alone, with its loopback up.
pub const RUN_LOOPBACK: u32 = 1 << 16;

// Host to init, on the control socket.
/// `[SIGNAL, number]`: pass a signal on to the leader of the current step.
pub const SIGNAL: u32 = 1;
/// `[KILL]`: end the run.
pub const KILL: u32 = 2;

// Init to host, on the control socket.
/// `[PREPARED]` with the directories to hand up: the root is built.
pub const PREPARED: u32 = 1;
/// `[SETUP_FAILED, stage, index, errno]`
pub const SETUP_FAILED: u32 = 2;
/// `[EXEC_FAILED, step, stage, errno]`
pub const EXEC_FAILED: u32 = 3;
/// `[LEADER, step, si_code, si_status]`: the step's first process ended.
pub const LEADER: u32 = 4;
/// `[SWEPT, step, cause, wall ns lo, hi, user µs lo, hi, system µs lo, hi, max rss KiB, peak processes, peak bytes lo, hi]`:
/// nothing of the step is alive any more.
pub const SWEPT: u32 = 5;

// Why init ended a step.
/// The leader ended by itself.
pub const CAUSE_LEADER: u32 = 0;
/// The run's wall time was over.
pub const CAUSE_WALL: u32 = 1;
/// Polling found more memory than the run may have.
pub const CAUSE_MEMORY: u32 = 2;
/// The host asked for it.
pub const CAUSE_KILL: u32 = 3;

// Where a setup failed.
/// Writing an id map.
pub const STAGE_MAP: u32 = 1;
/// `unshare` of the user namespace.
pub const STAGE_USER_NAMESPACE: u32 = 2;
/// `unshare` of the other namespaces.
pub const STAGE_NAMESPACES: u32 = 3;
/// First use of a capability in the namespace: making mounts private.
pub const STAGE_CAPABILITY: u32 = 4;
/// `clone` of init.
pub const STAGE_CLONE: u32 = 5;
/// The blob was refused.
pub const STAGE_BLOB: u32 = 6;
/// Opening the source of a mount; the index names it.
pub const STAGE_SOURCE: u32 = 7;
/// Becoming the guest's user.
pub const STAGE_IDENTITY: u32 = 8;
/// A step of the root; the index names it.
pub const STAGE_ROOT: u32 = 9;
/// `pivot_root` and what belongs to it.
pub const STAGE_PIVOT: u32 = 10;
/// The Landlock ruleset; the index names the rule.
pub const STAGE_LANDLOCK: u32 = 11;
/// Opening a directory to hand up.
pub const STAGE_HAND_UP: u32 = 12;
/// Bringing loopback up.
pub const STAGE_LOOPBACK: u32 = 13;
/// A bound path is not what the host looked at.
pub const STAGE_SOURCE_CHANGED: u32 = 14;
/// Forking the target.
pub const STAGE_FORK: u32 = 15;

// Where a target failed.
/// Standard streams.
pub const TARGET_STDIO: u32 = 1;
/// Working directory.
pub const TARGET_CWD: u32 = 2;
/// A resource limit.
pub const TARGET_RLIMIT: u32 = 3;
/// `no_new_privs`.
pub const TARGET_NO_NEW_PRIVS: u32 = 4;
/// Capabilities.
pub const TARGET_CAPABILITIES: u32 = 5;
/// Landlock.
pub const TARGET_LANDLOCK: u32 = 6;
/// The filter.
pub const TARGET_SECCOMP: u32 = 7;
/// `execve`.
pub const TARGET_EXEC: u32 = 8;

// Steps of the root.
/// `[OP_DIR, mode, path]`
pub const OP_DIR: u32 = 1;
/// `[OP_TMPFS, flags, path, options]`
pub const OP_TMPFS: u32 = 2;
/// `[OP_BIND, flags, dev lo, hi, ino lo, hi, source, target]`; the source is opened before the root is built.
pub const OP_BIND: u32 = 3;
/// `[OP_SYMLINK, target, path]`
pub const OP_SYMLINK: u32 = 4;
/// `[OP_FILE, mode, path, content]`
pub const OP_FILE: u32 = 5;
/// `[OP_PROC, path]`
pub const OP_PROC: u32 = 6;
/// `[OP_DEVPTS, path]`
pub const OP_DEVPTS: u32 = 7;
/// `[OP_OVERLAY, path, options]`
pub const OP_OVERLAY: u32 = 8;
/// `[OP_REBIND, flags, source, target]`: both in the new root.
pub const OP_REBIND: u32 = 9;

// Flags of binds and of tmpfs.
/// Read-only.
pub const MOUNT_READ_ONLY: u32 = 1;
/// The target is a file.
pub const MOUNT_FILE: u32 = 2;
/// Devices work (only `/dev/null` and its like).
pub const MOUNT_DEVICE: u32 = 4;
/// A source that is not there is skipped.
pub const MOUNT_OPTIONAL: u32 = 8;

// How a step names its program.
/// A path in the guest.
pub const PROGRAM_PATH: u32 = 0;
/// The index of a descriptor of the run.
pub const PROGRAM_FD: u32 = 1;

/// What a message of the probe's guest is about. `[attempt, errno, value]`; errno 0 means that it worked.
#[allow(missing_docs, reason = "the names are the documentation, and guest.rs shows what each one does")]
pub mod attempt {
    pub const HELLO: u32 = 1;
    pub const DONE: u32 = 2;
    pub const MARKER: u32 = 3;
    pub const SET_UID_RAN: u32 = 4;
    pub const READ_SECRET: u32 = 10;
    pub const WRITE_OUTSIDE: u32 = 11;
    pub const CREATE_OUTSIDE: u32 = 12;
    pub const CHMOD_OUTSIDE: u32 = 13;
    pub const TIMES_OUTSIDE: u32 = 14;
    pub const XATTR_OUTSIDE: u32 = 15;
    pub const LINK_OUTSIDE: u32 = 16;
    pub const RENAME_OUTSIDE: u32 = 17;
    pub const UNLINK_OUTSIDE: u32 = 18;
    pub const WRITE_THROUGH_PROC: u32 = 19;
    pub const CORE_PATTERN: u32 = 20;
    pub const LANDLOCK_CANARY: u32 = 21;
    pub const WRITE_SCRATCH: u32 = 22;
    pub const SIGNAL_HOST: u32 = 30;
    pub const PIDFD_HOST: u32 = 31;
    pub const UNIX_PATH: u32 = 32;
    pub const ABSTRACT_HOST: u32 = 33;
    pub const ABSTRACT_TWIN: u32 = 34;
    pub const SYSV_SHM: u32 = 35;
    pub const POSIX_MQ: u32 = 36;
    pub const TCP_HOST: u32 = 37;
    pub const SEE_HOST: u32 = 38;
    pub const UNSHARE_USER: u32 = 50;
    pub const CLONE_USER: u32 = 51;
    pub const SET_UID_EXEC: u32 = 52;
    pub const CAPABILITY: u32 = 53;
    pub const KEYCTL: u32 = 60;
    pub const PTRACE: u32 = 61;
    pub const IO_URING: u32 = 62;
    pub const X32: u32 = 63;
    pub const CLONE3: u32 = 64;
    pub const MOUNT: u32 = 65;
    pub const TIOCSTI: u32 = 66;
}

// What the sacrifice tells.
/// `[SUFFERS]`: it listens and takes signals.
pub const SUFFERS: u32 = 1;
/// `[SIGNALLED, number]`
pub const SIGNALLED: u32 = 2;
/// `[CONNECTED]`
pub const CONNECTED: u32 = 3;
/// `[STILL_HERE]`: the answer to any message.
pub const STILL_HERE: u32 = 4;
