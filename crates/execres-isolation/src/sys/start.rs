//! Starts the launcher process without forking the host.
//!
//! A fork copies the page tables of the host, 31 ms for each gigabyte that it has resident. A child that shares the host's
//! memory until it execs copies nothing. Such a child runs on the host's memory, so it makes raw system calls only,
//! allocates nothing, changes no identity, and has every signal blocked so that no handler of the host runs in it.

use std::ffi::{CStr, c_void};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::sync::OnceLock;

use rustix::fs::{MemfdFlags, SealFlags};
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use crate::sys::protocol;

/// A launcher that was started.
#[derive(Debug)]
pub(crate) struct Launcher {
    /// Its process id, as this process sees it.
    pub(crate) pid: i32,
    /// Readable once it has ended.
    pub(crate) pidfd: OwnedFd,
    /// The host's end of its socket.
    pub(crate) socket: OwnedFd,
}

/// The launcher's program, or `None` where it could not be built.
pub(crate) fn image() -> Option<&'static [u8]> {
    #[cfg(launcher)]
    return Some(super::image::IMAGE);
    #[cfg(not(launcher))]
    return None;
}

/// A sealed memfd with the launcher's program, made once per process.
pub(crate) fn image_fd() -> io::Result<BorrowedFd<'static>> {
    static MEMFD: OnceLock<OwnedFd> = OnceLock::new();
    if let Some(fd) = MEMFD.get() {
        return Ok(std::os::fd::AsFd::as_fd(fd));
    }
    let image = image().ok_or_else(|| io::Error::from(io::ErrorKind::Unsupported))?;
    let sealed = sealed_memfd(c"execres-launcher", image, true)?;
    Ok(std::os::fd::AsFd::as_fd(MEMFD.get_or_init(|| sealed)))
}

/// A memfd with this content that nobody can change any more.
pub(crate) fn sealed_memfd(name: &CStr, content: &[u8], executable: bool) -> io::Result<OwnedFd> {
    let base = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    // Kernels from 6.3 on want to be told; older ones refuse the flag.
    let wanted = if executable { MemfdFlags::EXEC } else { MemfdFlags::NOEXEC_SEAL };
    let fd = match rustix::fs::memfd_create(name, base | wanted) {
        Err(rustix::io::Errno::INVAL) => rustix::fs::memfd_create(name, base)?,
        other => other?,
    };
    // The kernel ends a process that writes past its own limit, and a library must not bring that on its host.
    let largest = rustix::process::getrlimit(rustix::process::Resource::Fsize).current.unwrap_or(u64::MAX);
    if (content.len() as u64) > largest {
        return Err(io::Error::from_raw_os_error(libc::EFBIG));
    }
    let mut written = 0;
    while written < content.len() {
        written += rustix::io::pwrite(&fd, &content[written..], written as u64)?;
    }
    rustix::fs::fcntl_add_seals(&fd, SealFlags::WRITE | SealFlags::GROW | SealFlags::SHRINK | SealFlags::SEAL)?;
    Ok(fd)
}

/// What the child needs, in memory that it shares with the waiting parent.
struct Child {
    image: RawFd,
    socket: RawFd,
    host: RawFd,
    null: RawFd,
    arguments: [*const libc::c_char; 3],
    environment: [*const libc::c_char; 1],
    errno: i32,
}

/// Starts a launcher. `mark` appears as its only argument, so that an owner can be read off a process list.
pub(crate) fn start(mark: &CStr) -> io::Result<Launcher> {
    let image = image_fd()?;
    let (ours, theirs) =
        rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?;
    let host = rustix::process::pidfd_open(rustix::process::getpid(), rustix::process::PidfdFlags::empty())?;
    let null = std::fs::File::options().read(true).write(true).open("/dev/null")?;
    let mut child = Child {
        image: image.as_raw_fd(),
        socket: theirs.as_raw_fd(),
        host: host.as_raw_fd(),
        null: null.as_raw_fd(),
        arguments: [c"execres-launcher".as_ptr(), mark.as_ptr(), std::ptr::null()],
        environment: [std::ptr::null()],
        errno: 0,
    };
    let mut stack = vec![0u128; 4096];
    let mut pidfd: RawFd = -1;

    // SAFETY: the set is initialised by sigfillset before it is read, and the old mask is restored below on every path.
    // glibc keeps its two internal signals unblocked, whose handlers only run in threads that glibc signals by itself.
    let restore = unsafe {
        let mut all: libc::sigset_t = std::mem::zeroed();
        let mut old: libc::sigset_t = std::mem::zeroed();
        libc::sigfillset(&raw mut all);
        let failed = libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut old);
        if failed != 0 {
            return Err(io::Error::from_raw_os_error(failed));
        }
        old
    };
    // SAFETY: CLONE_VFORK keeps this thread, and with it `stack`, `child` and everything that they point to, in place until
    // the child has exec'd or ended. `run_child` makes system calls only. The stack pointer is the end of the buffer, and
    // u128 keeps it aligned to 16 bytes. Exit signal 0 keeps a child that never execs from signalling the host.
    let pid = unsafe {
        libc::clone(
            run_child,
            stack.as_mut_ptr().add(stack.len()).cast::<c_void>(),
            libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD,
            (&raw mut child).cast::<c_void>(),
            &raw mut pidfd,
        )
    };
    let clone_error = io::Error::last_os_error();
    // SAFETY: `restore` is the mask that the first call filled in.
    let restored = unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, &raw const restore, std::ptr::null_mut()) };
    if pid < 0 {
        return Err(clone_error);
    }
    // SAFETY: the kernel made this descriptor for us and nobody else knows it.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    if child.errno != 0 {
        reap(&pidfd);
        return Err(io::Error::from_raw_os_error(child.errno));
    }
    if restored != 0 {
        return Err(io::Error::from_raw_os_error(restored));
    }
    Ok(Launcher { pid, pidfd, socket: ours })
}

/// Collects a launcher that has ended. A host that reaps everything itself may have been faster, which is fine: nothing is
/// read off the status.
pub(crate) fn reap(pidfd: &OwnedFd) {
    // SAFETY: a null siginfo is allowed by the kernel for waitid, and the descriptor is open.
    let _status = unsafe {
        libc::syscall(
            libc::SYS_waitid,
            libc::P_PIDFD,
            pidfd.as_raw_fd(),
            std::ptr::null::<libc::siginfo_t>(),
            libc::WEXITED | libc::__WALL,
            std::ptr::null::<libc::rusage>(),
        )
    };
}

extern "C" fn run_child(argument: *mut c_void) -> i32 {
    // SAFETY: the argument is the `Child` of `start`, which lives until this function has exec'd or returned.
    let child = unsafe { &mut *argument.cast::<Child>() };
    // SAFETY: system calls on descriptors of this process's own table, which is a copy of the host's.
    unsafe {
        // Out of the way of the numbers that are given out below, and no further: a host may be allowed few descriptors.
        let high = |fd: RawFd| libc::fcntl(fd, libc::F_DUPFD_CLOEXEC, protocol::FD_HOST + 1);
        let (image, socket, host, null) = (high(child.image), high(child.socket), high(child.host), high(child.null));
        let placed = image >= 0
            && [0, 1, 2].iter().all(|target| libc::dup2(null, *target) >= 0)
            && libc::dup2(socket, protocol::FD_SOCKET) >= 0
            && libc::dup2(host, protocol::FD_HOST) >= 0;
        if placed {
            libc::syscall(
                libc::SYS_execveat,
                image,
                c"".as_ptr(),
                child.arguments.as_ptr(),
                child.environment.as_ptr(),
                libc::AT_EMPTY_PATH,
            );
        }
        child.errno = *libc::__errno_location();
        libc::_exit(127)
    }
}
