//! The host's ends of the IPC canaries: a SysV segment and a POSIX queue that the probe's guest must not reach.

use std::ffi::CString;
use std::io;

/// A shared memory segment that anybody of this user and others may attach. Removed on drop.
#[derive(Debug)]
pub(crate) struct SharedSegment {
    id: i32,
    address: *mut libc::c_void,
}

// SAFETY: the address is only read through `was_written`, which takes `&self` and reads one aligned word.
unsafe impl Send for SharedSegment {}

impl SharedSegment {
    pub(crate) fn create() -> io::Result<Self> {
        // SAFETY: plain numbers.
        let id = unsafe { libc::shmget(libc::IPC_PRIVATE, 4096, libc::IPC_CREAT | 0o666) };
        if id < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the kernel chooses the address.
        let address = unsafe { libc::shmat(id, std::ptr::null(), 0) };
        let error = io::Error::last_os_error();
        // Marked at once, so that nothing is left when this process is killed. A marked segment can still be attached.
        // SAFETY: the segment is ours.
        let removed = unsafe { libc::shmctl(id, libc::IPC_RMID, std::ptr::null_mut()) };
        if address as isize == -1 || removed != 0 {
            return Err(error);
        }
        Ok(SharedSegment { id, address })
    }

    pub(crate) fn id(&self) -> i32 {
        self.id
    }

    pub(crate) fn was_written(&self) -> bool {
        // SAFETY: the segment has a page and stays attached until drop.
        unsafe { self.address.cast::<u32>().read_volatile() != 0 }
    }
}

impl Drop for SharedSegment {
    fn drop(&mut self) {
        // SAFETY: attached in `create`, detached only here.
        let _detached = unsafe { libc::shmdt(self.address) };
    }
}

/// A message queue that anybody may write to. Removed on drop.
#[derive(Debug)]
pub(crate) struct Queue {
    name: CString,
    fd: i32,
}

impl Queue {
    /// `name` starts with a slash.
    pub(crate) fn create(name: CString) -> io::Result<Self> {
        // SAFETY: zero is a valid value of every field.
        let mut attributes: libc::mq_attr = unsafe { std::mem::zeroed() };
        attributes.mq_maxmsg = 4;
        attributes.mq_msgsize = 16;
        // SAFETY: the name ends with NUL and the attributes live through the call.
        let fd = unsafe {
            libc::mq_open(
                name.as_ptr(),
                libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC,
                0o666 as libc::mode_t,
                &raw const attributes,
            )
        };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        let queue = Queue { name, fd };
        // The mode that was asked for went through the umask.
        // SAFETY: the descriptor is open.
        if unsafe { libc::fchmod(fd, 0o666) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(queue)
    }

    pub(crate) fn messages(&self) -> i64 {
        // SAFETY: zero is a valid value of every field, and the descriptor is open until drop.
        unsafe {
            let mut attributes: libc::mq_attr = std::mem::zeroed();
            if libc::mq_getattr(self.fd, &raw mut attributes) == 0 { attributes.mq_curmsgs } else { -1 }
        }
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        // SAFETY: opened in `create`, closed and removed only here.
        let _closed = unsafe { (libc::mq_close(self.fd), libc::mq_unlink(self.name.as_ptr())) };
    }
}

/// Removes a queue of this name, where there is one.
pub(crate) fn unlink_queue(name: &std::ffi::CStr) {
    // SAFETY: the name ends with NUL. There may be no such queue, which is as good.
    let _removed = unsafe { libc::mq_unlink(name.as_ptr()) };
}
