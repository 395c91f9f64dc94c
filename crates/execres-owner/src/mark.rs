//! The mark of an owner: one process of one boot, and one instance within it.

use std::fmt;
use std::io::{self, Read};
use std::os::fd::{AsFd, OwnedFd};
use std::str::FromStr;

use rustix::fs::{AtFlags, Mode, OFlags};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// The file that holds the mark, in a registered directory.
pub const MARK_FILE: &str = "owner.json";

/// A mark takes about 200 bytes; more than this is not a mark.
const MAX_MARK_BYTES: u64 = 4096;

/// One use of this library by one process. Never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct InstanceId(Uuid);

impl InstanceId {
    /// A new random id.
    pub fn random() -> Self {
        InstanceId(Uuid::new_v4())
    }
}

impl fmt::Display for InstanceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for InstanceId {
    type Err = MarkError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Uuid::try_parse(text).map(InstanceId).map_err(|_| MarkError::Malformed { what: "instance" })
    }
}

/// Who owns a thing: a process, told apart from every other process of every boot, and an instance within it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct OwnerMark {
    /// The kernel's random id of this boot.
    pub boot_id: String,
    /// Inode of the process id namespace in which `pid` counts.
    pub pid_namespace: u64,
    /// Inode of the mount namespace in which the paths of its things count.
    pub mount_namespace: u64,
    /// Process id, in that namespace.
    pub pid: u32,
    /// Start time of the process in clock ticks since boot: field 22 of `/proc/<pid>/stat`.
    pub start_time: u64,
    /// The instance.
    pub instance: InstanceId,
}

/// Whether the process of a mark lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Liveness {
    /// It lives.
    Alive,
    /// It is gone for certain.
    Dead,
    /// Its process ids count in another namespace than ours, so we cannot look it up.
    Unknown,
}

impl OwnerMark {
    /// The mark of this process, with a new instance id.
    ///
    /// # Errors
    /// [`MarkError`] when `/proc` is not mounted or cannot be read.
    pub fn current() -> Result<Self, MarkError> {
        let pid = std::process::id();
        let Some(start_time) = start_time(pid)? else { return Err(MarkError::Malformed { what: "/proc/<pid>/stat" }) };
        Ok(OwnerMark {
            boot_id: boot_id()?,
            pid_namespace: pid_namespace()?,
            mount_namespace: mount_namespace()?,
            pid,
            start_time,
            instance: InstanceId::random(),
        })
    }

    /// Whether the process of this mark lives.
    ///
    /// A process id counts in one namespace only. A mark from another namespace of this boot is [`Liveness::Unknown`]; ask the
    /// lock in the register then, which works across namespaces. The inode of a dead namespace can be given to a new one: the
    /// answer for a mark of the dead one stays right, since its process is gone and the start time tells it from its successor.
    ///
    /// # Errors
    /// [`MarkError`] when `/proc` cannot be read.
    pub fn liveness(&self) -> Result<Liveness, MarkError> {
        if self.boot_id != boot_id()? {
            return Ok(Liveness::Dead);
        }
        if self.pid_namespace != pid_namespace()? {
            return Ok(Liveness::Unknown);
        }
        Ok(if start_time(self.pid)? == Some(self.start_time) { Liveness::Alive } else { Liveness::Dead })
    }

    /// Whether a path of this mark's owner leads to the same place here: it counts in this mount namespace, or the machine was
    /// started anew since and everything that was only mounted is gone.
    ///
    /// # Errors
    /// [`MarkError`] when `/proc` cannot be read.
    pub fn paths_count_here(&self) -> Result<bool, MarkError> {
        Ok(self.mount_namespace == mount_namespace()? || self.boot_id != boot_id()?)
    }

    /// Whether the process of this mark may live: true unless it is gone for certain.
    pub fn is_alive(&self) -> bool {
        !matches!(self.liveness(), Ok(Liveness::Dead))
    }

    /// Writes the mark as [`MARK_FILE`] into `dir`, which must not have one. It is there whole or not at all.
    ///
    /// # Errors
    /// [`MarkError::Io`] when the file cannot be written.
    pub fn write_into(&self, dir: impl AsFd) -> Result<(), MarkError> {
        write_file(dir.as_fd(), MARK_FILE, &self.to_json()?).map(drop)
    }

    /// Reads the mark of `dir`; `None` when it has none.
    ///
    /// # Errors
    /// [`MarkError`] when [`MARK_FILE`] is there and is not a mark.
    pub fn read_from(dir: impl AsFd) -> Result<Option<Self>, MarkError> {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        match rustix::fs::openat(dir, MARK_FILE, flags, Mode::empty()) {
            Ok(file) => Self::read(file).map(Some),
            Err(rustix::io::Errno::NOENT) => Ok(None),
            Err(error) => Err(MarkError::io("read", error)),
        }
    }

    /// Removes the mark of `dir`, and what an interrupted [`OwnerMark::write_into`] left. A missing mark is no error.
    ///
    /// # Errors
    /// [`MarkError::Io`] when a file cannot be removed.
    pub fn remove_from(dir: impl AsFd) -> Result<(), MarkError> {
        let dir = dir.as_fd();
        for name in [MARK_FILE, &partial_name(MARK_FILE)] {
            match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
                Ok(()) | Err(rustix::io::Errno::NOENT) => {}
                Err(error) => return Err(MarkError::io("remove", error)),
            }
        }
        Ok(())
    }

    pub(crate) fn read(file: OwnedFd) -> Result<Self, MarkError> {
        let mut text = Vec::new();
        let read = std::fs::File::from(file).take(MAX_MARK_BYTES).read_to_end(&mut text);
        read.map_err(|error| MarkError::io("read", error))?;
        serde_json::from_slice(&text).map_err(|_| MarkError::Malformed { what: "the owner's mark" })
    }

    pub(crate) fn to_json(&self) -> Result<Vec<u8>, MarkError> {
        serde_json::to_vec(self).map_err(|error| MarkError::io("write", io::Error::from(error)))
    }
}

/// Writes `content` to a new file of `dir`, under a temporary name first: whoever sees the file sees all of it.
pub(crate) fn write_file(dir: impl AsFd, name: &str, content: &[u8]) -> Result<OwnedFd, MarkError> {
    let dir = dir.as_fd();
    let partial = partial_name(name);
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(dir, &partial, flags, Mode::from_raw_mode(0o600))
        .map_err(|error| MarkError::io("create", error))?;
    rustix::fs::fchmod(&file, Mode::from_raw_mode(0o600)).map_err(|error| MarkError::io("create", error))?;
    let mut written = 0;
    while written < content.len() {
        written += rustix::io::write(&file, &content[written..]).map_err(|error| MarkError::io("write", error))?;
    }
    rustix::fs::renameat(dir, &partial, dir, name).map_err(|error| MarkError::io("name", error))?;
    Ok(file)
}

/// The name under which a file is written before it is whole.
pub(crate) fn partial_name(name: &str) -> String {
    format!(".{name}.partial")
}

fn boot_id() -> Result<String, MarkError> {
    let text = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").map_err(|e| MarkError::io("read", e))?;
    Ok(text.trim().to_owned())
}

fn pid_namespace() -> Result<u64, MarkError> {
    namespace("pid")
}

fn mount_namespace() -> Result<u64, MarkError> {
    namespace("mnt")
}

fn namespace(name: &str) -> Result<u64, MarkError> {
    let stat = rustix::fs::stat(format!("/proc/self/ns/{name}")).map_err(|error| MarkError::io("read", error))?;
    Ok(stat.st_ino)
}

/// The start time of a process; `None` when there is no such process.
fn start_time(pid: u32) -> Result<Option<u64>, MarkError> {
    match std::fs::read(format!("/proc/{pid}/stat")) {
        Ok(stat) => parse_start_time(&stat).map(Some).ok_or(MarkError::Malformed { what: "/proc/<pid>/stat" }),
        // The process can end between opening the file and reading it, which reads as ESRCH.
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.raw_os_error() == Some(rustix::io::Errno::SRCH.raw_os_error()) => Ok(None),
        Err(error) => Err(MarkError::io("read", error)),
    }
}

/// Field 22. The second field is the program's name in parentheses, and the name may hold spaces and parentheses itself,
/// so fields are counted from the last closing one.
fn parse_start_time(stat: &[u8]) -> Option<u64> {
    let after = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let rest = std::str::from_utf8(&stat[after..]).ok()?;
    // The first field after the name is field 3.
    rest.split_ascii_whitespace().nth(22 - 3)?.parse().ok()
}

/// A mark could not be made, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// A file of the mark, or of `/proc`, could not be used.
    #[error("could not {action} an owner's mark (is /proc mounted, and the directory writable?)")]
    Io {
        /// What was tried.
        action: &'static str,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
    /// What was read is not what it should be.
    #[error("{what} is not in the form that it should have")]
    Malformed {
        /// What was read.
        what: &'static str,
    },
}

impl MarkError {
    fn io(action: &'static str, source: impl Into<io::Error>) -> Self {
        MarkError::Io { action, source: source.into() }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            MarkError::Io { .. } => "owner.mark_io",
            MarkError::Malformed { .. } => "owner.mark_malformed",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_lives_and_variations_of_its_mark_do_not() {
        let mark = OwnerMark::current().unwrap();
        assert_eq!(mark.liveness().unwrap(), Liveness::Alive);

        let earlier = OwnerMark { start_time: mark.start_time - 1, ..mark.clone() };
        assert_eq!(earlier.liveness().unwrap(), Liveness::Dead, "a process id that was used again");
        let booted = OwnerMark { boot_id: "another".into(), ..mark.clone() };
        assert_eq!(booted.liveness().unwrap(), Liveness::Dead, "a mark from before a reboot");
        let elsewhere = OwnerMark { pid_namespace: 1, ..mark.clone() };
        assert_eq!(elsewhere.liveness().unwrap(), Liveness::Unknown, "a mark of another namespace");
        assert!(elsewhere.is_alive(), "what cannot be known counts as living");
        assert_ne!(OwnerMark::current().unwrap().instance, mark.instance);
    }

    #[test]
    fn a_child_that_was_waited_for_is_dead() {
        #[allow(clippy::disallowed_methods)] // A test needs a process that ends.
        let mut child = std::process::Command::new("cat").stdin(std::process::Stdio::piped()).spawn().unwrap();
        let started = start_time(child.id()).unwrap().unwrap();
        let mark = OwnerMark { pid: child.id(), start_time: started, ..OwnerMark::current().unwrap() };
        assert_eq!(mark.liveness().unwrap(), Liveness::Alive);
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(mark.liveness().unwrap(), Liveness::Dead);
    }

    #[test]
    fn a_program_name_may_hold_parentheses_and_spaces() {
        let fields: Vec<String> = (4..=30).map(|field| field.to_string()).collect();
        let stat = format!("77 (a) b) (c d) S {}", fields.join(" "));
        assert_eq!(parse_start_time(stat.as_bytes()), Some(22));
        assert_eq!(parse_start_time(b"77 no name"), None);
        assert_eq!(parse_start_time(b"77 (short) S 1"), None);
    }

    #[test]
    fn a_mark_is_written_whole_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let fd = std::fs::File::open(dir.path()).unwrap();
        assert!(OwnerMark::read_from(&fd).unwrap().is_none());
        let mark = OwnerMark::current().unwrap();
        mark.write_into(&fd).unwrap();
        assert_eq!(OwnerMark::read_from(&fd).unwrap(), Some(mark));
        std::fs::write(dir.path().join(MARK_FILE), b"{}").unwrap();
        assert_eq!(OwnerMark::read_from(&fd).unwrap_err().code(), "owner.mark_malformed");
        OwnerMark::remove_from(&fd).unwrap();
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}
