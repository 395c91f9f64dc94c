//! Messages with descriptors, from the host's side.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::{Errno, Result};
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, UCred,
};

use crate::sys::protocol::{MAX_FDS, MESSAGE_WORDS};

/// The words of one message.
pub(crate) type Words = [u32; MESSAGE_WORDS];

/// A message that arrived.
#[derive(Debug)]
pub(crate) struct Message {
    pub(crate) words: Words,
    pub(crate) fds: Vec<OwnedFd>,
    /// Who sent it, in this process's own numbering; only where the socket asks the kernel for it.
    pub(crate) sender: Option<UCred>,
}

/// Sends words (padded with zeros) and descriptors.
pub(crate) fn send(socket: impl AsFd, words: &[u32], fds: &[BorrowedFd<'_>]) -> Result<()> {
    let mut padded: Words = [0; MESSAGE_WORDS];
    padded.get_mut(..words.len()).ok_or(Errno::INVAL)?.copy_from_slice(words);
    let bytes: Vec<u8> = padded.iter().flat_map(|word| word.to_le_bytes()).collect();
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !fds.is_empty() && !control.push(SendAncillaryMessage::ScmRights(fds)) {
        return Err(Errno::INVAL);
    }
    rustix::io::retry_on_intr(|| {
        rustix::net::sendmsg(socket.as_fd(), &[IoSlice::new(&bytes)], &mut control, SendFlags::NOSIGNAL)
    })?;
    Ok(())
}

/// Receives one message. `None` at the end of the stream.
///
/// `NonBlocking` answers `EAGAIN` when nothing is there.
pub(crate) fn receive(socket: impl AsFd, wait: Wait) -> Result<Option<Message>> {
    let mut bytes = [0u8; MESSAGE_WORDS * 4];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS), ScmCredentials(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let flags = match wait {
        Wait::Blocking => RecvFlags::CMSG_CLOEXEC,
        Wait::NonBlocking => RecvFlags::CMSG_CLOEXEC | RecvFlags::DONTWAIT,
    };
    let received = rustix::io::retry_on_intr(|| {
        rustix::net::recvmsg(socket.as_fd(), &mut [IoSliceMut::new(&mut bytes)], &mut control, flags)
    })?;
    let mut message = Message { words: [0; MESSAGE_WORDS], fds: Vec::new(), sender: None };
    for ancillary in control.drain() {
        match ancillary {
            RecvAncillaryMessage::ScmRights(fds) => message.fds.extend(fds),
            RecvAncillaryMessage::ScmCredentials(sender) => message.sender = Some(sender),
            _ => {}
        }
    }
    if received.bytes == 0 {
        return Ok(None);
    }
    for (word, chunk) in message.words.iter_mut().zip(bytes[..received.bytes].chunks_exact(4)) {
        *word = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
    }
    Ok(Some(message))
}

/// Whether to wait for a message.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wait {
    Blocking,
    NonBlocking,
}
