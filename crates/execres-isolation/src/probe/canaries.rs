//! Things outside the sandbox that a guest must not reach, set out where its identity could reach them.

use std::ffi::CString;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::{SocketAddr, UnixDatagram, UnixListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execres_owner::{Leftover, OwnerRegistry, Reap, ReapError, Reaper};

use crate::error::LaunchError;
use crate::identity::Identity;
use crate::own_directory::{self, OwnDirectory};
use crate::sys::ipc::{Queue, SharedSegment, unlink_queue};
use crate::sys::start;

/// The canaries of one probe. Dropping them removes them.
#[derive(Debug)]
pub(super) struct Canaries {
    /// Names this probe in every namespace that has names: the queue, and the abstract socket of the sacrifice.
    pub(super) nonce: String,
    pub(super) secret: u32,
    pub(super) socket: UnixListener,
    pub(super) datagram: UnixDatagram,
    pub(super) abstract_socket: UnixListener,
    pub(super) tcp: TcpListener,
    pub(super) segment: Canary<SharedSegment>,
    pub(super) queue: Canary<Queue>,
    pub(super) core_pattern: Option<String>,
    /// Whether a set-uid file of root's could be made, which only root can.
    pub(super) has_set_uid: bool,
    before: Vec<(&'static str, State)>,
    /// Last, because fields are dropped in this order: the queue goes before its name is struck off the register.
    place: OwnDirectory,
}

/// Something of the kernel's that is set out.
#[derive(Debug)]
pub(super) enum Canary<T> {
    Made(T),
    /// The kernel has no such thing.
    NoSuchThing,
    /// It has, and this process got none, which others can bring about by using up what there is.
    None {
        why: String,
    },
}

impl<T> Canary<T> {
    fn of(what: &str, made: io::Result<T>) -> Self {
        match made {
            Ok(made) => Canary::Made(made),
            Err(error) if error.raw_os_error() == Some(libc::ENOSYS) => Canary::NoSuchThing,
            Err(error) => Canary::None { why: format!("no {what} can be made: {error}") },
        }
    }

    pub(super) fn made(&self) -> Option<&T> {
        match self {
            Canary::Made(made) => Some(made),
            Canary::NoSuchThing | Canary::None { .. } => None,
        }
    }
}

/// Everything about a file that an attempt could change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct State {
    content: Option<Vec<u8>>,
    mode: u32,
    modified: i64,
    links: u64,
    extended: bool,
}

/// Files that an attempt of the same name is made on.
const FILES: [&str; 11] =
    ["write", "mode", "times", "xattr", "link", "rename", "unlink", "through", "landlock", "truncate", "granted"];
/// Files that the guest's own identity owns, because only an owner could do what is tried on them.
const OWNED: [&str; 4] = ["mode", "times", "granted", "control"];
/// A directory that the guest may write, where it has none of its own.
pub(super) const SCRATCH: &str = "scratch";

impl Canaries {
    pub(super) fn set_out(identity: Identity, owners: Option<&Arc<OwnerRegistry>>) -> Result<Self, LaunchError> {
        Self::try_set_out(identity, owners)
            .map_err(|error| LaunchError::Probe { reason: format!("the canaries cannot be set out: {error}") })
    }

    fn try_set_out(identity: Identity, owners: Option<&Arc<OwnerRegistry>>) -> io::Result<Self> {
        let nonce = format!("{PREFIX}{}", uuid::Uuid::new_v4().simple());
        let place = OwnDirectory::make(REGISTERED_AS, &nonce, owners)?;
        let directory = place.path();
        let open_to_all = |path: &Path, mode: u32| fs::set_permissions(path, fs::Permissions::from_mode(mode));
        let secret = u32::from_le_bytes(*uuid::Uuid::new_v4().as_bytes().first_chunk().unwrap_or(&[1; 4])) | 1;
        fs::write(directory.join("secret"), secret.to_le_bytes())?;
        open_to_all(&directory.join("secret"), 0o666)?;
        for name in FILES.iter().chain(&["control"]) {
            let path = directory.join(name);
            fs::write(&path, b"untouched")?;
            open_to_all(&path, 0o666)?;
        }
        fs::create_dir(directory.join(SCRATCH))?;
        open_to_all(&directory.join(SCRATCH), 0o777)?;
        let socket = UnixListener::bind(directory.join("socket"))?;
        open_to_all(&directory.join("socket"), 0o777)?;
        let datagram = UnixDatagram::bind(directory.join("datagram"))?;
        open_to_all(&directory.join("datagram"), 0o777)?;
        datagram.set_nonblocking(true)?;
        let abstract_socket = UnixListener::bind_addr(&SocketAddr::from_abstract_name(format!("{nonce}-host"))?)?;
        let tcp = TcpListener::bind(("127.0.0.1", 0))?;
        socket.set_nonblocking(true)?;
        abstract_socket.set_nonblocking(true)?;
        tcp.set_nonblocking(true)?;

        // A program of root's is something to gain only for a guest that has an identity of its own.
        let has_set_uid = matches!(identity, Identity::Range { .. })
            && rustix::process::geteuid().is_root()
            && start::image().is_some();
        if let Some(image) = start::image().filter(|_| has_set_uid) {
            fs::write(directory.join("set-uid"), image)?;
            open_to_all(&directory.join("set-uid"), 0o4755)?;
        }
        let name = CString::new(format!("/{nonce}"))?;
        let mut canaries = Canaries {
            nonce,
            secret,
            socket,
            datagram,
            abstract_socket,
            tcp,
            segment: Canary::of("shared memory segment", SharedSegment::create()),
            queue: Canary::of("message queue", Queue::create(name)),
            core_pattern: fs::read_to_string("/proc/sys/kernel/core_pattern").ok(),
            has_set_uid,
            before: Vec::new(),
            place,
        };
        // The last step, when nobody has to be trusted any more with a name that is about to be written. The guest's group lets
        // in the guest and no other user of the machine: some of the canaries would serve them as well.
        if let Identity::Range { id } = identity {
            for name in OWNED {
                std::os::unix::fs::chown(canaries.path(name), Some(id), None)?;
            }
            std::os::unix::fs::chown(canaries.directory(), None, Some(id))?;
            open_to_all(canaries.directory(), 0o770)?;
        }
        canaries.before = FILES.iter().map(|name| (*name, canaries.state(name))).collect();
        Ok(canaries)
    }

    pub(super) fn directory(&self) -> &Path {
        self.place.path()
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn state(&self, name: &str) -> State {
        let path = self.path(name);
        let metadata = fs::metadata(&path).ok();
        State {
            content: fs::read(&path).ok(),
            mode: metadata.as_ref().map_or(0, |metadata| metadata.mode()),
            modified: metadata.as_ref().map_or(0, |metadata| metadata.mtime()),
            links: metadata.as_ref().map_or(0, |metadata| metadata.nlink()),
            extended: rustix::fs::getxattr(&path, "user.execres", &mut [0u8; 16][..]).is_ok(),
        }
    }

    /// Whether a file is exactly as it was set out.
    pub(super) fn is_untouched(&self, name: &str) -> bool {
        self.before.iter().any(|(file, before)| *file == name && *before == self.state(name))
    }

    /// Whether a name that an attempt would make is not there.
    pub(super) fn is_absent(&self, name: &str) -> bool {
        matches!(fs::symlink_metadata(self.path(name)), Err(error) if error.kind() == io::ErrorKind::NotFound)
    }
}

/// The kind under which the directories of probes are registered.
const REGISTERED_AS: &str = "probe";
/// How their names start.
const PREFIX: &str = "execres-probe-";

/// Removes what probes of dead owners left: their directory, and the queue that has its name.
#[derive(Debug, Clone, Copy, Default)]
pub struct ProbeReaper;

impl Reaper for ProbeReaper {
    fn kind(&self) -> &str {
        REGISTERED_AS
    }

    fn reap(&self, leftover: &Leftover) -> Result<Reap, ReapError> {
        let name = own_directory::name_of(leftover, PREFIX)?;
        let not_ours = || ReapError::NotOurs { path: leftover.path.clone() };
        unlink_queue(&CString::new(format!("/{name}")).map_err(|_| not_ours())?);
        own_directory::reap(leftover)
    }
}
