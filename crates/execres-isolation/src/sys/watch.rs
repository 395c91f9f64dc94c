//! Descriptors that the runtime watches.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// A descriptor that wakes its task when it is readable.
pub(crate) type Watched = AsyncFd<Arc<OwnedFd>>;

/// Watches for readability, in the runtime of the caller.
pub(crate) fn readable(fd: &Arc<OwnedFd>) -> io::Result<Watched> {
    // SAFETY: the clone inside keeps the descriptor open for as long as it is registered, and an `Arc<OwnedFd>` always answers
    // with the same number.
    Ok(unsafe { AsyncFd::register_with_interest(Arc::clone(fd), Interest::READABLE) }?)
}
