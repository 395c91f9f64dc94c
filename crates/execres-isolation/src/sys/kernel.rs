//! Questions to the kernel that no safe crate answers.

/// The kernel's Landlock ABI, or the errno that it answers with: ENOSYS where Landlock is not built in, EOPNOTSUPP where it is
/// switched off at boot.
pub(crate) fn landlock_abi() -> Result<i32, i32> {
    const LANDLOCK_CREATE_RULESET_VERSION: u32 = 1;
    // SAFETY: with this flag the kernel reads no memory; it answers with a number.
    let answer = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    match i32::try_from(answer) {
        Ok(abi @ 1..) => Ok(abi),
        _ => Err(std::io::Error::last_os_error().raw_os_error().unwrap_or(libc::ENOSYS)),
    }
}

/// What the kernel answers this process, outside every sandbox, to the calls by which a probe tells a filter from a kernel. Their
/// arguments are invalid, so none of them does anything.
pub(crate) fn answers_outside() -> Vec<(u32, i32)> {
    use crate::sys::protocol::attempt;
    let errno = |answer: i64| if answer < 0 { std::io::Error::last_os_error().raw_os_error().unwrap_or(0) } else { 0 };
    let nothing = c"execres-no-such-filesystem".as_ptr();
    // SAFETY: unknown operations, unknown processes and null pointers: the kernel refuses each before it does or reads
    // anything. `mount` gets texts that end with NUL and names a file system that does not exist.
    unsafe {
        vec![
            (attempt::KEYCTL, errno(libc::syscall(libc::SYS_keyctl, 9999))),
            (attempt::PTRACE, errno(libc::syscall(libc::SYS_ptrace, 9999, 0, 0, 0))),
            (attempt::IO_URING, errno(libc::syscall(libc::SYS_io_uring_setup, 0, 0))),
            (attempt::CLONE3, errno(libc::syscall(libc::SYS_clone3, 0, 0))),
            (attempt::MOUNT, errno(libc::syscall(libc::SYS_mount, nothing, c"/".as_ptr(), nothing, 0, 0))),
            (attempt::LEASE, errno(i64::from(libc::fcntl(-1, libc::F_SETLEASE, 9999)))),
            (attempt::TIOCSTI, errno(libc::syscall(libc::SYS_ioctl, -1, libc::TIOCSTI, 0))),
        ]
    }
}
