//! Writes the program's output while it runs.

use std::io::{self, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use execres::CancellationToken;
use execres::code::{OutputSink, StepAt};
use execres::core::Stream;

/// Writes on a thread of its own, so that a reader who takes his time stops nothing else. What waits in between is bounded by the
/// hard cap on output.
pub(crate) struct Terminal(Sender<(Stream, Vec<u8>)>);

/// The thread that writes.
pub(crate) struct Writer(JoinHandle<()>);

/// How long output is still written after an interrupt.
const LAST_WORDS: Duration = Duration::from_millis(300);

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
    /// Waits until everything is written, or until the user has had enough of waiting for a reader that does not read. The
    /// terminal must be gone by then.
    pub(crate) async fn finish(self, interrupted: &CancellationToken) {
        let written = tokio::task::spawn_blocking(move || self.0.join());
        let had_enough = async {
            interrupted.cancelled().await;
            // What was written before the interrupt still comes out where somebody reads.
            tokio::time::sleep(LAST_WORDS).await;
        };
        tokio::select! {
            _ = written => {}
            () = had_enough => {}
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
        Stream::Stderr => {
            IN_THE_MIDDLE.store(bytes.last().is_some_and(|byte| *byte != b'\n'), Ordering::Relaxed);
            io::stderr().lock().write_all(bytes)
        }
    }
}

/// Ends what a program left of its own on standard error, so that a line of ours stands on a line of its own and can be read,
/// whatever the program printed last.
pub(crate) fn set_apart() {
    let mut stderr = io::stderr().lock();
    // Attributes off, the cursor visible: a program can have hidden what comes after it.
    let reset = if stderr.is_terminal() { "\x1b[0m\x1b[?25h" } else { "" };
    let line = if IN_THE_MIDDLE.load(Ordering::Relaxed) { "\n" } else { "" };
    if write!(stderr, "{reset}{line}").is_err() {}
}

/// Whether what was last passed on to standard error ended in the middle of a line.
static IN_THE_MIDDLE: AtomicBool = AtomicBool::new(false);

/// Lines on standard error. A file's name can hold anything, so what would steer a terminal is shown and not sent.
pub(crate) fn say(lines: &str) {
    // Nobody is left to be told that nobody listens.
    if writeln!(io::stderr().lock(), "{}", plain(lines)).is_err() {}
}

/// A text in which what would steer a terminal is shown by its number.
pub(crate) fn plain(text: &str) -> String {
    text.chars().flat_map(shown).collect()
}

fn shown(character: char) -> Vec<char> {
    // Marks that turn the direction of writing are no control characters, and forge lines as well.
    let turns = matches!(character, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if turns || (character.is_control() && character != '\n' && character != '\t') {
        character.escape_unicode().collect()
    } else {
        vec![character]
    }
}

/// Text on standard output.
///
/// # Errors
/// When it could not be written. A reader who is gone has had enough, which is none.
pub(crate) fn print(text: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        answer => answer,
    }
}
