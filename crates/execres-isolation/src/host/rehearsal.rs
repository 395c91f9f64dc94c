//! A launcher that is only started to see what the host lets it do. No guest ever runs in it.

use std::io;
use std::time::Duration;

use rustix::net::sockopt::{Timeout, set_socket_timeout};
use rustix::process::Signal;

use crate::identity::Identity;
use crate::launcher::stage_name;
use crate::sys::protocol::{READY, SETUP};
use crate::sys::socket::{self, Wait};
use crate::sys::start;

use super::namespaces::NamespaceTrial;

/// How long it may take to answer. Generous: it tells a busy machine from a hung launcher.
const ANSWER: Duration = Duration::from_secs(20);

/// The process. It ends when this is dropped, or when this process ends.
#[derive(Debug)]
pub(super) struct Rehearsal(start::Launcher);

impl Rehearsal {
    pub(super) fn start() -> io::Result<Self> {
        let process = Rehearsal(start::start(c"rehearsal")?);
        set_socket_timeout(&process.0.socket, Timeout::Recv, Some(ANSWER))?;
        Ok(process)
    }

    pub(super) fn pid(&self) -> i32 {
        self.0.pid
    }

    /// Makes the outer namespaces of a sandbox, and uses a capability in them: the kernel of some systems lets a namespace be
    /// made that is good for nothing.
    pub(super) fn make_namespaces(self) -> NamespaceTrial {
        // A guest would never get the identity of root. This launcher has no guest, and the question is what the kernel says.
        let (flags, uid, gid) = Identity::next().unwrap_or_else(|_| Identity::own()).setup();
        let answer = socket::send(&self.0.socket, &[SETUP, flags, uid, gid], &[])
            .and_then(|()| socket::receive(&self.0.socket, Wait::Blocking));
        match answer {
            Ok(Some(answer)) if answer.words[0] == READY => NamespaceTrial::Worked,
            Ok(Some(answer)) => NamespaceTrial::Refused {
                stage: stage_name(answer.words[1]),
                why: io::Error::from_raw_os_error(answer.words[2] as i32).to_string(),
            },
            Ok(None) => NamespaceTrial::NotTried { why: "the launcher ended before it answered".to_owned() },
            Err(error) => NamespaceTrial::NotTried { why: error.to_string() },
        }
    }
}

impl Drop for Rehearsal {
    fn drop(&mut self) {
        match rustix::process::pidfd_send_signal(&self.0.pidfd, Signal::KILL) {
            Ok(()) | Err(rustix::io::Errno::SRCH) => start::reap(&self.0.pidfd),
            Err(error) => tracing::debug!(%error, "a launcher could not be ended"),
        }
    }
}
