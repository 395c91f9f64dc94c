//! The sacrifice: a process outside the run with the guest's own identity. Whatever reaches it has left the run.
//!
//! It listens on an abstract socket of the launcher's network namespace, takes every signal that can be taken, and tells
//! the host of both. The host asks it at the end whether it is still there, and signals it once to see that it would have
//! told.

use crate::numbers::*;
use crate::protocol::*;
use crate::sys::*;

/// A report: what happened, and with which number.
fn tell(host: i32, what: u32, number: u32) {
    let mut words = [0; MESSAGE_WORDS];
    (words[0], words[1]) = (what, number);
    if send(host, &words, &[]).is_err() {
        exit(0);
    }
}

/// `words[2]` bytes of name follow from `words[3]` on.
pub fn run(words: &[u32; MESSAGE_WORDS], fds: &[i32], ready: i32) -> ! {
    let mut byte = [0u8; 1];
    if read(ready, &mut byte) != Ok(1) {
        exit(1);
    }
    close(ready);
    let [host, ..] = *fds else { exit(1) };
    if words[1] != KEEP_IDENTITY {
        let id = words[1] as usize;
        if call(SETGROUPS, &[0, 0]).is_err()
            || call(SETRESGID, &[id, id, id]).is_err()
            || call(SETRESUID, &[id, id, id]).is_err()
        {
            exit(1);
        }
    }
    // The strictest test is a process that the kernel would let its twin trace.
    if prctl(PR_SET_DUMPABLE, 1, 0).is_err() || prctl(PR_SET_PDEATHSIG, SIGKILL as usize, 0).is_err() {
        exit(1);
    }
    let Ok((listener, name)) = listen_abstract(words) else { exit(1) };
    let mask = u64::MAX;
    let Ok(signals) = call(SIGNALFD4, &[-1isize as usize, &raw const mask as usize, 8, 0o2000000]) else { exit(1) };
    tell(host, SUFFERS, 0);
    loop {
        let mut fds = [
            PollFd { fd: host, events: POLLIN, revents: 0 },
            PollFd { fd: signals as i32, events: POLLIN, revents: 0 },
            PollFd { fd: listener, events: POLLIN, revents: 0 },
        ];
        if poll(&mut fds, None).is_err() {
            exit(1);
        }
        if fds[1].revents != 0 {
            // struct signalfd_siginfo starts with the number.
            let mut info = [0u8; 128];
            if read(signals as i32, &mut info) == Ok(128) {
                tell(host, SIGNALLED, u32::from_ne_bytes([info[0], info[1], info[2], info[3]]));
            }
        }
        if fds[2].revents != 0 && call(ACCEPT4, &[listener as usize, 0, 0, SOCK_CLOEXEC]).is_ok() {
            tell(host, CONNECTED, 0);
        }
        if fds[0].revents != 0 {
            let mut words = [0; MESSAGE_WORDS];
            let mut none = [-1; MAX_FDS];
            match receive(host, &mut words, &mut none) {
                Ok(Some(_)) => control(host, &words, &name),
                _ => exit(0),
            }
        }
    }
}

/// An address of the Unix family and its length.
struct Address {
    bytes: [u8; 110],
    length: usize,
}

/// The bytes that a message carries from `words[first]` on, `words[first - 1]` of them.
fn carried<const N: usize>(words: &[u32; MESSAGE_WORDS], first: usize) -> ([u8; N], usize) {
    let mut bytes = [0u8; N];
    let length = (words[first - 1] as usize).min(N - 1).min((MESSAGE_WORDS - first) * 4);
    for (index, byte) in bytes[..length].iter_mut().enumerate() {
        *byte = (words[first + index / 4] >> (8 * (index % 4))) as u8;
    }
    (bytes, length)
}

fn listen_abstract(words: &[u32; MESSAGE_WORDS]) -> Result<(i32, Address)> {
    let (name, length) = carried::<64>(words, 3);
    let mut address = Address { bytes: [0; 110], length: 3 + length };
    address.bytes[0] = AF_UNIX as u8;
    address.bytes[3..3 + length].copy_from_slice(&name[..length]);
    let socket = call(SOCKET, &[AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0])?;
    call(BIND, &[socket, address.bytes.as_ptr() as usize, address.length])?;
    call(LISTEN, &[socket, 8])?;
    Ok((socket as i32, address))
}

/// Does from outside, with the guest's identity, what the guest tried, so that the host sees that it would have worked.
fn control(host: i32, words: &[u32; MESSAGE_WORDS], own: &Address) {
    let (directory, length) = carried::<200>(words, 3);
    let path = |name: &[u8]| {
        let mut path = [0u8; 256];
        path[..length].copy_from_slice(&directory[..length]);
        path[length..length + name.len()].copy_from_slice(name);
        path
    };
    let errno = |result: Result<usize>| result.map_or_else(|error| error.0 as u32, |_| 0);
    let open = |name: &[u8], flags: usize| openat(AT_FDCWD, CStr::new(&path(name)), flags, 0);

    let mut answer = [0; MESSAGE_WORDS];
    answer[0] = STILL_HERE;
    answer[1] = errno(open(b"/secret", 0).map(|fd| fd as usize));
    answer[2] =
        errno(open(b"/control", O_WRONLY).and_then(|fd| call(WRITE, &[fd as usize, b"C".as_ptr() as usize, 1])));
    let mut by_path = Address { bytes: [0; 110], length: 2 };
    let socket_path = path(b"/socket");
    let used = socket_path.iter().take_while(|byte| **byte != 0).count().min(107);
    by_path.bytes[0] = AF_UNIX as u8;
    by_path.bytes[2..2 + used].copy_from_slice(&socket_path[..used]);
    by_path.length += used + 1;
    answer[3] = errno(connect(&by_path).and_then(|_| connect(own)));
    answer[4] = errno(call(SHMAT, &[words[1] as usize, 0, 0]).map(|address| {
        // SAFETY: the kernel attached a segment of at least one page there.
        unsafe { (address as *mut u32).write_volatile(0x4343_4343) };
        0
    }));
    let mut queue = [0u8; 110];
    queue[..own.length - 3].copy_from_slice(&own.bytes[3..own.length]);
    let opened = call(MQ_OPEN, &[queue.as_ptr() as usize, O_WRONLY | O_NONBLOCK, 0, 0]);
    answer[5] = errno(opened.and_then(|fd| call(MQ_TIMEDSEND, &[fd, b"C".as_ptr() as usize, 1, 0, 0])));
    let control = path(b"/control");
    let here = AT_FDCWD as usize;
    let times = [1u64, 0, 1, 0];
    answer[6] = errno(
        call(FCHMODAT, &[here, control.as_ptr() as usize, 0o600])
            .and_then(|_| call(UTIMENSAT, &[here, control.as_ptr() as usize, times.as_ptr() as usize, 0])),
    );
    // By its own number, as the guest would: the kernel asks the same of both, that they have one user.
    const RLIMIT_CORE: usize = 4;
    let limits = [4712u64, 4712];
    let own = getpid() as usize;
    answer[7] = errno(call(PRLIMIT64, &[own, RLIMIT_CORE, limits.as_ptr() as usize, 0]));
    answer[8] = errno(call(SETPRIORITY, &[0, own, 19]));
    let mut datagram = Address { bytes: [0; 110], length: 2 };
    let name = path(b"/datagram");
    let used = name.iter().take_while(|byte| **byte != 0).count().min(107);
    datagram.bytes[0] = AF_UNIX as u8;
    datagram.bytes[2..2 + used].copy_from_slice(&name[..used]);
    datagram.length += used + 1;
    answer[9] = errno(send_to(&datagram));
    if send(host, &answer, &[]).is_err() {
        exit(0);
    }
}

fn send_to(address: &Address) -> Result<usize> {
    const SOCK_DGRAM: usize = 2;
    let socket = call(SOCKET, &[AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0])?;
    let text = b"C".as_ptr() as usize;
    let result = call(SENDTO, &[socket, text, 1, 0, address.bytes.as_ptr() as usize, address.length]);
    close(socket as i32);
    result
}

fn connect(address: &Address) -> Result<usize> {
    let socket = call(SOCKET, &[AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0])?;
    let result = call(CONNECT, &[socket, address.bytes.as_ptr() as usize, address.length]);
    close(socket as i32);
    result
}
