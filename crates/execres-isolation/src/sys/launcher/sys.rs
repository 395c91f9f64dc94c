//! System calls as functions. Nothing here allocates; every result is a [`Result`].

use crate::arch::syscall6;
use crate::numbers::*;
use crate::protocol::{MAX_FDS, MESSAGE_WORDS};

/// A kernel's error number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Errno(pub i32);

pub type Result<T> = core::result::Result<T, Errno>;

/// A path or another text that ends with a NUL byte, inside the blob or a literal.
#[derive(Clone, Copy)]
pub struct CStr(*const u8);

impl CStr {
    /// `bytes` must end with NUL; an empty text is taken where it does not, which no call accepts as a path.
    pub fn new(bytes: &[u8]) -> CStr {
        if bytes.last() == Some(&0) { CStr(bytes.as_ptr()) } else { CStr(c"".as_ptr().cast()) }
    }

    pub fn address(self) -> usize {
        self.0 as usize
    }

    /// The text with its NUL.
    pub fn bytes(self) -> &'static [u8] {
        let mut length = 0;
        // SAFETY: a text ends with NUL, and lives as long as what it was made from: a literal, the blob, or a buffer of the
        // caller's that outlives every use of the slice.
        unsafe {
            while *self.0.add(length) != 0 {
                length += 1;
            }
            core::slice::from_raw_parts(self.0, length + 1)
        }
    }
}

/// A literal with its NUL.
macro_rules! cstr {
    ($text:literal) => {
        $crate::sys::CStr::new(concat!($text, "\0").as_bytes())
    };
}

pub fn call(number: usize, args: &[usize]) -> Result<usize> {
    let at = |i: usize| args.get(i).copied().unwrap_or(0);
    let answer = syscall6(number, at(0), at(1), at(2), at(3), at(4), at(5));
    if (-4095..0).contains(&answer) { Err(Errno(-answer as i32)) } else { Ok(answer as usize) }
}

/// Ends the process. Never returns.
pub fn exit(code: usize) -> ! {
    loop {
        syscall6(EXIT_GROUP, code, 0, 0, 0, 0, 0);
    }
}

pub fn close(fd: i32) {
    // A failed close leaves nothing to do: the descriptor is gone in any case.
    if let Err(Errno(_)) = call(CLOSE, &[fd as usize]) {}
}

pub fn openat(dir: i32, path: CStr, flags: usize, mode: usize) -> Result<i32> {
    Ok(call(OPENAT, &[dir as usize, path.address(), flags | O_CLOEXEC, mode])? as i32)
}

pub fn write_all(fd: i32, mut bytes: &[u8]) -> Result<()> {
    while !bytes.is_empty() {
        match call(WRITE, &[fd as usize, bytes.as_ptr() as usize, bytes.len()]) {
            Ok(count) => bytes = &bytes[count.min(bytes.len())..],
            Err(Errno(EINTR)) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

pub fn read(fd: i32, buffer: &mut [u8]) -> Result<usize> {
    loop {
        match call(READ, &[fd as usize, buffer.as_mut_ptr() as usize, buffer.len()]) {
            Err(Errno(EINTR)) => {}
            other => return other,
        }
    }
}

/// Opens, writes once and closes: for the files of `/proc`, where one write is one action.
pub fn write_file(path: CStr, content: &[u8]) -> Result<()> {
    let fd = openat(AT_FDCWD, path, O_WRONLY, 0)?;
    let result = call(WRITE, &[fd as usize, content.as_ptr() as usize, content.len()]);
    close(fd);
    match result {
        Ok(count) if count == content.len() => Ok(()),
        Ok(_) => Err(Errno(EINVAL)),
        Err(error) => Err(error),
    }
}

/// A pair of descriptors, read end first. Both are closed on exec.
pub fn pipe() -> Result<(i32, i32)> {
    let mut fds = [0i32; 2];
    call(PIPE2, &[fds.as_mut_ptr() as usize, O_CLOEXEC])?;
    Ok((fds[0], fds[1]))
}

/// A fork with namespaces. In the child the answer is 0. The pidfd is -1 when none was asked for.
pub fn clone(flags: usize) -> Result<(i32, i32)> {
    let mut pidfd: i32 = -1;
    // Arguments of x86-64 and aarch64 agree up to the third: flags, stack (none: a copy of this one), pidfd.
    let pid = call(CLONE, &[flags | SIGCHLD as usize, 0, &raw mut pidfd as usize, 0, 0])?;
    Ok((pid as i32, pidfd))
}

pub fn dup2(from: i32, to: i32) -> Result<()> {
    if from == to {
        return Err(Errno(EINVAL));
    }
    call(DUP3, &[from as usize, to as usize, 0])?;
    Ok(())
}

pub fn prctl(option: usize, a: usize, b: usize) -> Result<usize> {
    call(PRCTL, &[option, a, b, 0, 0])
}

pub fn kill(pid: i32, signal: i32) -> Result<()> {
    call(KILL, &[pid as isize as usize, signal as usize])?;
    Ok(())
}

pub fn getpid() -> i32 {
    syscall6(GETPID, 0, 0, 0, 0, 0, 0) as i32
}

/// Whether this program has another identity than the one who started it, as a set-uid program does.
pub fn has_other_identity() -> bool {
    let (mut real, mut effective, mut saved) = (0u32, 0u32, 0u32);
    let mut differ = |number: usize| {
        let ids = [&raw mut real as usize, &raw mut effective as usize, &raw mut saved as usize];
        call(number, &ids).is_err() || real != effective
    };
    differ(GETRESUID) || differ(GETRESGID)
}

/// Nanoseconds of the monotonic clock.
pub fn monotonic() -> u64 {
    let mut time = [0i64; 2];
    match call(CLOCK_GETTIME, &[1, time.as_mut_ptr() as usize]) {
        Ok(_) => time[0] as u64 * 1_000_000_000 + time[1] as u64,
        Err(_) => 0,
    }
}

/// Blocks every signal. Init and the launcher learn of signals through descriptors only.
pub fn block_signals() -> Result<()> {
    set_signal_mask(u64::MAX)
}

pub fn set_signal_mask(mask: u64) -> Result<()> {
    const SIG_SETMASK: usize = 2;
    call(RT_SIGPROCMASK, &[SIG_SETMASK, &raw const mask as usize, 0, 8])?;
    Ok(())
}

/// Gives every signal its default action; what the host ignored would otherwise stay ignored through exec.
pub fn reset_signals() {
    let default = [0usize; 4];
    for signal in 1..=64 {
        // SIGKILL and SIGSTOP refuse, which is as good.
        if let Err(Errno(_)) = call(RT_SIGACTION, &[signal, default.as_ptr() as usize, 0, 8]) {}
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct PollFd {
    pub fd: i32,
    pub events: i16,
    pub revents: i16,
}

/// Waits at most `timeout` nanoseconds, or for ever.
pub fn poll(fds: &mut [PollFd], timeout: Option<u64>) -> Result<usize> {
    let time = timeout.map(|ns| [(ns / 1_000_000_000) as i64, (ns % 1_000_000_000) as i64]);
    let pointer = time.as_ref().map_or(0, |time| time.as_ptr() as usize);
    match call(PPOLL, &[fds.as_mut_ptr() as usize, fds.len(), pointer, 0, 8]) {
        Err(Errno(EINTR)) => Ok(0),
        other => other,
    }
}

/// How a child ended, from `waitid`.
#[derive(Clone, Copy, Default)]
pub struct Exit {
    pub pid: i32,
    pub code: i32,
    pub status: i32,
    pub max_rss_kib: u64,
}

/// The first words of the kernel's `rusage`: user seconds, microseconds, system seconds, microseconds, max RSS in KiB.
pub type RUsage = [i64; 18];

/// Reaps one child if one has ended. `Ok(None)` when none has; `ECHILD` when there is none left.
pub fn wait_any(flags: usize) -> Result<Option<Exit>> {
    let mut info = [0i32; 32];
    let mut usage: RUsage = [0; 18];
    match call(WAITID, &[P_ALL, 0, info.as_mut_ptr() as usize, WEXITED | WALL | flags, usage.as_mut_ptr() as usize]) {
        // siginfo: signo, errno, code, (padding), pid, uid, status.
        Ok(_) if info[4] == 0 => Ok(None),
        Ok(_) => Ok(Some(Exit { pid: info[4], code: info[2], status: info[6], max_rss_kib: usage[4] as u64 })),
        Err(Errno(EINTR)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Processor time in microseconds of all children that were waited for: user, system.
pub fn children_time() -> (u64, u64) {
    let mut usage: RUsage = [0; 18];
    match call(GETRUSAGE, &[-1isize as usize, usage.as_mut_ptr() as usize]) {
        Ok(_) => ((usage[0] * 1_000_000 + usage[1]) as u64, (usage[2] * 1_000_000 + usage[3]) as u64),
        Err(_) => (0, 0),
    }
}

/// Room for one message's descriptors, aligned as the kernel wants it.
#[repr(C, align(8))]
struct Control {
    length: usize,
    level: i32,
    kind: i32,
    fds: [i32; MAX_FDS],
}

const SOL_SOCKET: i32 = 1;
const SCM_RIGHTS: i32 = 1;

/// Sends one message with up to [`MAX_FDS`] descriptors.
pub fn send(socket: i32, words: &[u32; MESSAGE_WORDS], fds: &[i32]) -> Result<()> {
    let mut control = Control { length: 16 + 4 * fds.len(), level: SOL_SOCKET, kind: SCM_RIGHTS, fds: [0; MAX_FDS] };
    for (slot, fd) in control.fds.iter_mut().zip(fds) {
        *slot = *fd;
    }
    let vector = [words.as_ptr() as usize, MESSAGE_WORDS * 4];
    let (pointer, length) =
        if fds.is_empty() { (0, 0) } else { (&raw const control as usize, (16 + 4 * fds.len() + 7) & !7) };
    let header = [0usize, 0, vector.as_ptr() as usize, 1, pointer, length, 0];
    loop {
        match call(SENDMSG, &[socket as usize, header.as_ptr() as usize, MSG_NOSIGNAL]) {
            Err(Errno(EINTR)) => {}
            Err(error) => return Err(error),
            Ok(_) => return Ok(()),
        }
    }
}

/// Receives one message. `None` at the end of the stream. The descriptors are closed on exec.
pub fn receive(socket: i32, words: &mut [u32; MESSAGE_WORDS], fds: &mut [i32; MAX_FDS]) -> Result<Option<usize>> {
    let mut control = Control { length: 0, level: 0, kind: 0, fds: [-1; MAX_FDS] };
    let vector = [words.as_mut_ptr() as usize, MESSAGE_WORDS * 4];
    let mut header = [0usize, 0, vector.as_ptr() as usize, 1, &raw mut control as usize, size_of::<Control>(), 0];
    let count = loop {
        match call(RECVMSG, &[socket as usize, header.as_mut_ptr() as usize, MSG_CMSG_CLOEXEC]) {
            Err(Errno(EINTR)) => {}
            other => break other?,
        }
    };
    if count == 0 {
        return Ok(None);
    }
    let received =
        if header[5] >= 16 && control.kind == SCM_RIGHTS { ((control.length - 16) / 4).min(MAX_FDS) } else { 0 };
    fds.copy_from_slice(&control.fds);
    Ok(Some(received))
}

/// A small buffer to write numbers and paths into.
pub struct Text {
    bytes: [u8; 96],
    length: usize,
}

impl Text {
    pub fn new() -> Text {
        Text { bytes: [0; 96], length: 0 }
    }

    pub fn push(mut self, text: &str) -> Text {
        for byte in text.bytes() {
            // The last byte stays NUL.
            if self.length < self.bytes.len() - 1 {
                self.bytes[self.length] = byte;
                self.length += 1;
            }
        }
        self
    }

    pub fn number(mut self, number: u64) -> Text {
        let mut digits = [0u8; 20];
        let mut at = digits.len();
        let mut rest = number;
        loop {
            at -= 1;
            digits[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        for digit in &digits[at..] {
            if self.length < self.bytes.len() - 1 {
                self.bytes[self.length] = *digit;
                self.length += 1;
            }
        }
        self
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    pub fn cstr(&self) -> CStr {
        CStr::new(&self.bytes[..=self.length])
    }
}
