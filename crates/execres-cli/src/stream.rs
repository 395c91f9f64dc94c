//! Writes the program's output while it runs.

use std::io::{self, Write};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;

use execres::CancellationToken;
use execres::code::{OutputSink, StepAt};
use execres::core::Stream;

/// Writes on a thread of its own, so that a reader who takes his time stops nothing else. What waits in between is bounded by the
/// hard cap on output.
pub(crate) struct Terminal(Sender<(Stream, Vec<u8>)>);

/// The thread that writes.
pub(crate) struct Writer(JoinHandle<()>);

impl Terminal {
    /// `gone` is cancelled when nobody reads any more, as when `head` has seen enough.
    pub(crate) fn open(gone: CancellationToken) -> (Terminal, Writer) {
        let (send, receive) = channel::<(Stream, Vec<u8>)>();
        let thread = std::thread::spawn(move || {
            for (stream, bytes) in receive {
                if write(stream, &bytes).is_err() {
                    gone.cancel();
                    return;
                }
            }
        });
        (Terminal(send), Writer(thread))
    }
}

impl Writer {
    /// Waits until everything is written. The terminal must be gone by then.
    pub(crate) fn finish(self) {
        // The thread only writes; if it panicked there is nothing left to write.
        if self.0.join().is_err() {
            say("execres: error: writing the output failed");
        }
    }
}

impl OutputSink for Terminal {
    fn write(&self, _step: StepAt, stream: Stream, bytes: &[u8]) {
        // A writer that is gone has cancelled the run already.
        if self.0.send((stream, bytes.to_vec())).is_err() {}
    }
}

fn write(stream: Stream, bytes: &[u8]) -> io::Result<()> {
    match stream {
        Stream::Stdout => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes)?;
            stdout.flush()
        }
        Stream::Stderr => io::stderr().lock().write_all(bytes),
    }
}

/// One line on standard error.
pub(crate) fn say(line: &str) {
    // Nobody is left to be told that nobody listens.
    if writeln!(io::stderr().lock(), "{line}").is_err() {}
}

/// Text on standard output.
pub(crate) fn print(text: &str) {
    let mut stdout = io::stdout().lock();
    if stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()).is_err() {}
}
