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
pub fn run(words: &[u32; MESSAGE_WORDS], fds: &[i32], ready: i32, range: bool) -> ! {
    let mut byte = [0u8; 1];
    if read(ready, &mut byte) != Ok(1) {
        exit(1);
    }
    close(ready);
    let [host, ..] = *fds else { exit(1) };
    if range {
        let id = GUEST_ID as usize;
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
    let Ok(listener) = listen_abstract(words) else { exit(1) };
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
                Ok(Some(_)) => tell(host, STILL_HERE, 0),
                _ => exit(0),
            }
        }
    }
}

fn listen_abstract(words: &[u32; MESSAGE_WORDS]) -> Result<i32> {
    let mut address = [0u8; 110];
    address[0] = AF_UNIX as u8;
    let length = (words[2] as usize).min(64);
    for (index, byte) in address[3..3 + length].iter_mut().enumerate() {
        *byte = (words[3 + index / 4] >> (8 * (index % 4))) as u8;
    }
    let socket = call(SOCKET, &[AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0])?;
    call(BIND, &[socket, address.as_ptr() as usize, 3 + length])?;
    call(LISTEN, &[socket, 8])?;
    Ok(socket as i32)
}
