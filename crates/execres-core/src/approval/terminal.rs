//! The terminal of the process: the only thing that the core knows of an operating system.

#[cfg(unix)]
mod unix;
#[cfg(not(unix))]
mod without;

#[cfg(unix)]
pub(super) use unix::Terminal;
#[cfg(not(unix))]
pub(super) use without::Terminal;
