//! The probe's guest: runs inside the sandbox in place of a program and tries what must not work.
//!
//! It only reports what it saw; the verdicts are the host's, from what the host sees itself. Descriptor 3 is a socket to the
//! host on which the kernel adds this process's real identity to every message.
//!
//! Nothing here does harm where it succeeds: files are canaries of the probe, the signalled process is the probe's own,
//! system calls get arguments that no kernel accepts.

use crate::numbers::*;
use crate::protocol::{MESSAGE_WORDS, attempt};
use crate::sys::*;

const HOST: i32 = 3;

/// `probe` then: canary directory, pid of the sacrifice, abstract name of the host, of the sacrifice, SysV id, queue name,
/// TCP port, path of the Landlock canary, path of the set-uid canary, writable directory of the guest, path of a file that the
/// guest owns and may only read.
pub fn run(argument: &dyn Fn(usize) -> &'static [u8]) -> ! {
    say(attempt::HELLO, Ok(0));
    wait_for_the_host();

    let outside = argument(2);
    filesystem(outside, argument(9), argument(11));
    by_descriptor(argument(12));
    processes(outside, number(argument(3)), argument(4), argument(5));
    ipc(number(argument(6)), argument(7));
    network(number(argument(8)) as u16);
    privilege(argument(10));
    syscalls();
    leave_a_marker();

    say(attempt::DONE, Ok(0));
    wait_for_the_host();
    exit(0)
}

/// What a set-uid copy of this program does: shows its identity and waits until the host has looked.
pub fn run_set_uid_canary() -> ! {
    say(attempt::SET_UID_RAN, Ok(0));
    wait_for_the_host();
    exit(0)
}

fn say(what: u32, result: Result<usize>) {
    let mut words = [0; MESSAGE_WORDS];
    words[0] = what;
    match result {
        Ok(value) => words[2] = value as u32,
        Err(error) => words[1] = error.0 as u32,
    }
    if send(HOST, &words, &[]).is_err() {
        exit(2);
    }
}

fn wait_for_the_host() {
    let mut byte = [0u8; 4];
    if !matches!(read(HOST, &mut byte), Ok(1..)) {
        exit(3);
    }
}

fn number(text: &[u8]) -> i32 {
    text.iter().take_while(|byte| byte.is_ascii_digit()).fold(0, |sum, byte| sum * 10 + i32::from(byte - b'0'))
}

/// `directory/name` with NULs trimmed.
struct Path {
    bytes: [u8; 512],
}

impl Path {
    fn join(parts: &[&[u8]]) -> Path {
        let mut path = Path { bytes: [0; 512] };
        let mut at = 0;
        for part in parts {
            for byte in part.iter().take_while(|byte| **byte != 0) {
                if at < path.bytes.len() - 1 {
                    path.bytes[at] = *byte;
                    at += 1;
                }
            }
        }
        path
    }

    fn cstr(&self) -> CStr {
        CStr::new(&self.bytes)
    }
}

fn write_into(path: CStr, flags: usize) -> Result<usize> {
    let fd = openat(AT_FDCWD, path, flags, 0o666)?;
    let written = call(WRITE, &[fd as usize, b"X".as_ptr() as usize, 1]);
    close(fd);
    written
}

fn filesystem(outside: &[u8], landlock_canary: &[u8], scratch: &[u8]) {
    let path = |name: &[u8]| Path::join(&[outside, b"/", name]);
    let here = AT_FDCWD as usize;

    let secret = path(b"secret");
    let read_secret = openat(AT_FDCWD, secret.cstr(), 0, 0).and_then(|fd| {
        let mut buffer = [0u8; 4];
        read(fd, &mut buffer)?;
        Ok(u32::from_le_bytes(buffer) as usize)
    });
    say(attempt::READ_SECRET, read_secret);
    let mut stat = [0u64; 32];
    say(attempt::STAT_OUTSIDE, call(NEWFSTATAT, &[here, secret.cstr().address(), stat.as_mut_ptr() as usize, 0]));
    say(attempt::TRUNCATE_OUTSIDE, call(TRUNCATE, &[path(b"truncate").cstr().address(), 0]));
    say(attempt::WRITE_OUTSIDE, write_into(path(b"write").cstr(), O_WRONLY));
    say(attempt::CREATE_OUTSIDE, write_into(path(b"created").cstr(), O_WRONLY | O_CREAT));
    say(attempt::CHMOD_OUTSIDE, call(FCHMODAT, &[here, path(b"mode").cstr().address(), 0o600]));
    let times = [1u64, 0, 1, 0];
    say(attempt::TIMES_OUTSIDE, call(UTIMENSAT, &[here, path(b"times").cstr().address(), times.as_ptr() as usize, 0]));
    let name = cstr!("user.execres").address();
    say(attempt::XATTR_OUTSIDE, call(SETXATTR, &[path(b"xattr").cstr().address(), name, b"X".as_ptr() as usize, 1, 0]));
    let (from, to) = (path(b"link"), path(b"linked"));
    say(attempt::LINK_OUTSIDE, call(LINKAT, &[here, from.cstr().address(), here, to.cstr().address(), 0]));
    let (from, to) = (path(b"rename"), path(b"renamed"));
    say(attempt::RENAME_OUTSIDE, call(RENAMEAT2, &[here, from.cstr().address(), here, to.cstr().address(), 0]));
    say(attempt::UNLINK_OUTSIDE, call(UNLINKAT, &[here, path(b"unlink").cstr().address(), 0]));
    let through = Path::join(&[b"/proc/1/root", outside, b"/through"]);
    say(attempt::WRITE_THROUGH_PROC, write_into(through.cstr(), O_WRONLY));
    // Opened and closed at once; nothing is ever written into it.
    let core_pattern = openat(AT_FDCWD, cstr!("/proc/sys/kernel/core_pattern"), O_WRONLY, 0);
    say(
        attempt::CORE_PATTERN,
        core_pattern.map(|fd| {
            close(fd);
            0
        }),
    );
    say(attempt::LANDLOCK_CANARY, write_into(Path::join(&[landlock_canary]).cstr(), O_WRONLY));
    // The control of all of the above: where writing is granted, it works.
    say(attempt::WRITE_SCRATCH, write_into(Path::join(&[scratch, b"/probe"]).cstr(), O_WRONLY | O_CREAT));
}

/// What belongs to the owner of a file can be changed through a descriptor that is open for reading.
fn by_descriptor(granted: &[u8]) {
    let path = Path::join(&[granted]);
    let through = |what: &dyn Fn(usize) -> Result<usize>| {
        openat(AT_FDCWD, path.cstr(), 0, 0).and_then(|fd| {
            let answer = what(fd as usize);
            close(fd);
            answer
        })
    };
    say(attempt::MODE_BY_DESCRIPTOR, through(&|fd| call(FCHMOD, &[fd, 0o600])));
    let times = [1u64, 0, 1, 0];
    say(attempt::TIMES_BY_DESCRIPTOR, through(&|fd| call(UTIMENSAT, &[fd, 0, times.as_ptr() as usize, 0])));
    let name = cstr!("user.execres").address();
    let value = b"X".as_ptr() as usize;
    say(attempt::XATTR_BY_DESCRIPTOR, through(&|fd| call(FSETXATTR, &[fd, name, value, 1, 0])));
}

fn processes(outside: &[u8], sacrifice: i32, host_name: &[u8], twin_name: &[u8]) {
    const SIGUSR1: usize = 10;
    say(attempt::SIGNAL_HOST, call(KILL, &[sacrifice as usize, SIGUSR1]));
    say(
        attempt::PIDFD_HOST,
        call(PIDFD_OPEN, &[sacrifice as usize, 0]).and_then(|fd| {
            let sent = call(PIDFD_SEND_SIGNAL, &[fd, SIGUSR1, 0, 0]);
            close(fd as i32);
            sent
        }),
    );
    const RLIMIT_CORE: usize = 4;
    let limits = [4711u64, 4711];
    say(attempt::LIMIT_HOST, call(PRLIMIT64, &[sacrifice as usize, RLIMIT_CORE, limits.as_ptr() as usize, 0]));
    const PRIO_PROCESS: usize = 0;
    // Only slowing down is free to everybody, so the value is one that is slower than what hosts usually have.
    say(attempt::NICE_HOST, call(SETPRIORITY, &[PRIO_PROCESS, sacrifice as usize, 18]));
    let see = Text::new().push("/proc/").number(sacrifice as u64).push("/cmdline");
    say(
        attempt::SEE_HOST,
        openat(AT_FDCWD, see.cstr(), 0, 0).map(|fd| {
            close(fd);
            0
        }),
    );
    say(attempt::UNIX_PATH, connect_unix(&[outside, b"/socket"], false));
    say(attempt::PAIR_TO_PATH, send_from_a_pair(&[outside, b"/datagram"]));
    say(attempt::ABSTRACT_HOST, connect_unix(&[host_name], true));
    say(attempt::ABSTRACT_TWIN, connect_unix(&[twin_name], true));
}

/// A name of the Unix family, and its length.
fn unix_name(parts: &[&[u8]], is_abstract: bool) -> ([u8; 110], usize) {
    let name = Path::join(parts);
    let length = name.bytes.iter().take_while(|byte| **byte != 0).count().min(100);
    let mut address = [0u8; 110];
    address[0] = AF_UNIX as u8;
    let start = if is_abstract { 3 } else { 2 };
    address[start..start + length].copy_from_slice(&name.bytes[..length]);
    (address, start + length + usize::from(!is_abstract))
}

fn connect_unix(parts: &[&[u8]], is_abstract: bool) -> Result<usize> {
    let (address, size) = unix_name(parts, is_abstract);
    let socket = call(SOCKET, &[AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0])?;
    let result = call(CONNECT, &[socket, address.as_ptr() as usize, size]);
    close(socket as i32);
    result
}

/// A socket of a pair is as good as one of `socket`, once it has left its pair.
fn send_from_a_pair(parts: &[&[u8]]) -> Result<usize> {
    const SOCK_DGRAM: usize = 2;
    let (address, size) = unix_name(parts, false);
    let mut pair = [0i32; 2];
    call(SOCKETPAIR, &[AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair.as_mut_ptr() as usize])?;
    let nobody = [0u8; 2];
    let left = call(CONNECT, &[pair[0] as usize, nobody.as_ptr() as usize, nobody.len()]);
    let text = b"X".as_ptr() as usize;
    let sent = left.and_then(|_| call(SENDTO, &[pair[0] as usize, text, 1, 0, address.as_ptr() as usize, size]));
    pair.iter().for_each(|fd| close(*fd));
    sent
}

fn ipc(segment: i32, queue: &[u8]) {
    say(
        attempt::SYSV_SHM,
        call(SHMAT, &[segment as usize, 0, 0]).map(|address| {
            // SAFETY: the kernel attached a segment of at least one page there.
            unsafe { (address as *mut u32).write_volatile(0x5858_5858) };
            0
        }),
    );
    let name = Path::join(&[queue]);
    say(
        attempt::POSIX_MQ,
        call(MQ_OPEN, &[name.cstr().address(), O_WRONLY | O_NONBLOCK, 0, 0]).and_then(|fd| {
            let sent = call(MQ_TIMEDSEND, &[fd, b"X".as_ptr() as usize, 1, 0, 0]);
            close(fd as i32);
            sent
        }),
    );
}

fn network(port: u16) {
    let mut address = [0u8; 16];
    address[0] = AF_INET as u8;
    address[2..4].copy_from_slice(&port.to_be_bytes());
    address[4..8].copy_from_slice(&[127, 0, 0, 1]);
    let result = call(SOCKET, &[AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0]).and_then(|socket| {
        let connected = call(CONNECT, &[socket, address.as_ptr() as usize, 16]);
        close(socket as i32);
        connected
    });
    say(attempt::TCP_HOST, result);
}

fn privilege(set_uid_canary: &[u8]) {
    say(
        attempt::CLONE_USER,
        clone(CLONE_NEWUSER).map(|(pid, _)| {
            if pid == 0 {
                exit(0);
            }
            pid as usize
        }),
    );
    // An empty path means that the host could make no canary that would prove anything.
    if set_uid_canary.len() > 1 {
        let path = Path::join(&[set_uid_canary]);
        match clone(0) {
            Ok((0, _)) => {
                let arguments = [path.cstr().address(), c"setuid".as_ptr() as usize, 0];
                let error = call(EXECVE, &[path.cstr().address(), arguments.as_ptr() as usize, 0]);
                say(attempt::SET_UID_EXEC, error);
                exit(0)
            }
            Ok((pid, _)) => {
                let mut info = [0i32; 32];
                const P_PID: usize = 1;
                // What became of it the child has said itself, or the canary that it became.
                if call(WAITID, &[P_PID, pid as usize, info.as_mut_ptr() as usize, WEXITED | WALL, 0]).is_err() {}
            }
            Err(error) => say(attempt::SET_UID_EXEC, Err(error)),
        }
    }
    // Needs CAP_SYS_ADMIN in this namespace; the name stays what it is.
    say(attempt::CAPABILITY, call(SETHOSTNAME, &[c"execres".as_ptr() as usize, 7]));
    // Last, because success would move this process.
    say(attempt::UNSHARE_USER, call(UNSHARE, &[CLONE_NEWUSER]));
}

fn syscalls() {
    say(attempt::KEYCTL, call(KEYCTL, &[9999]));
    say(attempt::PTRACE, call(PTRACE, &[9999, 0, 0, 0]));
    say(attempt::IO_URING, call(IO_URING_SETUP, &[0, 0]));
    say(attempt::CLONE3, call(CLONE3, &[0, 0]));
    // A mount of a kind that does not exist.
    let nothing = cstr!("execres-no-such-filesystem").address();
    say(attempt::MOUNT, call(MOUNT, &[nothing, cstr!("/").address(), nothing, 0, 0]));
    // On a descriptor that is no terminal; the high bits of the command are ignored by the kernel.
    const TIOCSTI_WITH_HIGH_BITS: usize = 0x1_0000_5412;
    say(attempt::TIOCSTI, call(IOCTL, &[HOST as usize, TIOCSTI_WITH_HIGH_BITS, b"X".as_ptr() as usize]));
    // A lease of a kind that does not exist.
    const F_SETLEASE: usize = 1024;
    say(attempt::LEASE, call(FCNTL, &[HOST as usize, F_SETLEASE, 9999]));
    #[cfg(target_arch = "x86_64")]
    say(attempt::X32, call(0x4000_0000 | GETPID, &[]));
}

/// A process that leaves its session and its parent and would outlive the run. It holds the host's socket, so the host
/// sees its end, and gives up by itself after five seconds in case nobody ends it.
fn leave_a_marker() {
    let Ok((alive_read, alive_write)) = pipe() else { return say(attempt::MARKER, Err(Errno(EPIPE))) };
    match clone(0) {
        Ok((0, _)) => {
            if call(SETSID, &[]).is_err() {
                exit(1);
            }
            if let Ok((0, _)) = clone(0) {
                say(attempt::MARKER, Ok(0));
                if write_all(alive_write, b"a").is_err() {}
                if poll(&mut [], Some(5_000_000_000)).is_err() {}
            }
            exit(0)
        }
        Ok(_) => {
            // The run is not over before the marker lives; at the end of the pipe it never did.
            close(alive_write);
            if read(alive_read, &mut [0; 1]).is_err() {}
        }
        Err(error) => say(attempt::MARKER, Err(error)),
    }
}
