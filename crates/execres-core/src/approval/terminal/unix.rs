//! Terminals of Unix.

use std::io;
use std::os::fd::OwnedFd;

use rustix::fs::{Mode, OFlags, open};
use rustix::io::Errno;
use rustix::process::getpgrp;
use rustix::stdio::{stderr, stdin};
use rustix::termios::{QueueSelector, isatty, tcflush, tcgetpgrp, ttyname};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// How much of an answer is kept. More is no answer that anything here understands.
const LONGEST_ANSWER: usize = 64;

/// A terminal that one question is put to.
///
/// It is opened anew for each, so that making it non-blocking changes nothing for those who have the same terminal open.
pub(in crate::approval) struct Terminal {
    file: AsyncFd<OwnedFd>,
    question: Question,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    NotShown,
    Open,
    Answered,
}

impl Terminal {
    /// The controlling terminal, or else the one behind standard error or standard input. Has to be called in the context of a tokio
    /// runtime with I/O.
    ///
    /// # Errors
    ///
    /// When there is none, or the process is in the background, where reading would stop it.
    pub(in crate::approval) fn open() -> io::Result<Self> {
        let controlling = Self::over(open_terminal("/dev/tty").map_err(io::Error::from));
        let streams = [stderr(), stdin()];
        let named = || {
            let name =
                streams.into_iter().filter(|stream| isatty(stream)).find_map(|stream| ttyname(stream, Vec::new()).ok());
            Self::over(open_terminal(name.ok_or(Errno::NOTTY)?.as_c_str()).map_err(io::Error::from))
        };
        controlling.or_else(|_none| named())
    }

    fn over(file: io::Result<OwnedFd>) -> io::Result<Self> {
        Self::of(file?)
    }

    /// A terminal that is open already, in non-blocking mode.
    pub(in crate::approval) fn of(file: OwnedFd) -> io::Result<Self> {
        if !isatty(&file) {
            return Err(Errno::NOTTY.into());
        }
        #[expect(
            deprecated,
            reason = "what makes it unsound is a type that answers another descriptor later; an owned descriptor is the same and open \
                      until it is dropped, so the unsafe constructor would need no more proof than this"
        )]
        let file = AsyncFd::with_interest(file, Interest::READABLE | Interest::WRITABLE)?;
        let terminal = Terminal { file, question: Question::NotShown };
        terminal.in_foreground()?;
        Ok(terminal)
    }

    /// Reading, writing and flushing from the background would stop the whole process with SIGTTIN or SIGTTOU.
    fn in_foreground(&self) -> io::Result<()> {
        match tcgetpgrp(self.file.get_ref()) {
            Ok(foreground) if foreground != getpgrp() => Err(io::Error::other("the process is in the background")),
            // A terminal that is not the controlling one of this process has no foreground for it, and stops nobody.
            Ok(_) | Err(Errno::NOTTY) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Discards what was typed and not read.
    pub(in crate::approval) fn discard_typed(&self) -> io::Result<()> {
        self.in_foreground()?;
        Ok(tcflush(self.file.get_ref(), QueueSelector::IFlush)?)
    }

    /// Writes a text.
    pub(in crate::approval) async fn show(&mut self, text: &str) -> io::Result<()> {
        self.question = Question::Open;
        let mut rest = text.as_bytes();
        while !rest.is_empty() {
            self.in_foreground()?;
            let written = self.file.async_io(Interest::WRITABLE, |file| Ok(rustix::io::write(file, rest)?)).await?;
            rest = &rest[written..];
        }
        Ok(())
    }

    /// The next line. Not a byte after its end is taken. `None` at the end of the terminal (Ctrl-D).
    pub(in crate::approval) async fn line(&self) -> io::Result<Option<String>> {
        let mut line = Vec::new();
        loop {
            let mut byte = [0];
            let read = self.file.async_io(Interest::READABLE, |file| {
                self.in_foreground()?;
                Ok(rustix::io::read(file, &mut byte)?)
            });
            match (read.await?, byte[0]) {
                (0, _) => return Ok(None),
                // In raw mode the key is told as it is.
                (_, b'\n' | b'\r') => return Ok(Some(String::from_utf8_lossy(&line).into_owned())),
                (_, byte) if line.len() < LONGEST_ANSWER => line.push(byte),
                // Too long to be an answer: the mark keeps it from being taken for its beginning.
                _ => line.resize(LONGEST_ANSWER + 1, b'?'),
            }
        }
    }

    /// Says that the question on the terminal has its answer.
    pub(in crate::approval) const fn answered(&mut self) {
        self.question = Question::Answered;
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if self.question != Question::Open || self.in_foreground().is_err() {
            return;
        }
        // Half an answer is not the beginning of what is typed next. If the terminal does not take this now, nothing is lost by it.
        tcflush(self.file.get_ref(), QueueSelector::IFlush).ok();
        rustix::io::write(self.file.get_ref(), b"\r\n(not answered: denied)\r\n").ok();
    }
}

fn open_terminal(path: impl rustix::path::Arg) -> rustix::io::Result<OwnedFd> {
    open(path, OFlags::RDWR | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty())
}
