//! Profiles: everything that a run may touch, as a typed value built from nothing.

use std::collections::BTreeMap;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use execres_core::{Limits, NetworkMode};
use rustix::fs::{Mode, OFlags};

use crate::layer::{Layer, Layers};
use crate::protected;
use crate::rung::Rung;

/// Everything that a run may touch. Built only from [`Profile::deny_all`]; what is not granted is not there.
///
/// The system's own read-only roots (`/usr` and a short list from `/etc`, see `docs/isolation.md`) are part of every
/// profile, because no program starts without them.
#[derive(Debug, Clone)]
pub struct Profile {
    pub(crate) limits: Limits,
    pub(crate) network: NetworkMode,
    pub(crate) mounts: Vec<Mount>,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) layers: Layers,
    pub(crate) confinement: Confinement,
    pub(crate) proc: Proc,
}

/// Whether there is a sandbox at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Confinement {
    /// In namespaces, with a root of its own.
    Sandbox,
    /// Without namespaces, at the host's own paths.
    InPlace,
    Unconfined,
}

impl Confinement {
    /// Whether the end of init is the end of everything.
    pub(crate) const fn has_pid_namespace(self) -> bool {
        matches!(self, Confinement::Sandbox)
    }
}

/// What is at `/proc` of a root of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Proc {
    Private,
    Empty,
}

/// One thing that the guest finds beside the system's roots.
#[derive(Debug, Clone)]
pub(crate) enum Mount {
    /// A file or directory of the host.
    Bind { source: Source, at: PathBuf, access: Access, exposure: Exposure },
    /// A sized tmpfs of this run's own.
    Scratch { at: PathBuf, hand_up: HandUp },
    /// A directory of the host with a layer of this run's own over it: writable, and thrown away.
    Overlay { lower: Source, at: PathBuf },
    /// A second name for something of the run.
    Alias { of: PathBuf, at: PathBuf },
}

impl Mount {
    /// Where the guest finds it.
    pub(crate) fn at(&self) -> &Path {
        match self {
            Mount::Bind { at, .. }
            | Mount::Scratch { at, .. }
            | Mount::Overlay { at, .. }
            | Mount::Alias { at, .. } => at,
        }
    }

    /// What an alias shows.
    pub(crate) fn shown(&self) -> Option<&Path> {
        match self {
            Mount::Alias { of, .. } => Some(of),
            Mount::Bind { .. } | Mount::Scratch { .. } | Mount::Overlay { .. } => None,
        }
    }

    /// The place of a grant for writing.
    pub(crate) fn written(&self) -> Option<&Path> {
        match self {
            Mount::Bind { at, access: Access::Write, .. } => Some(at),
            Mount::Bind { .. } | Mount::Scratch { .. } | Mount::Overlay { .. } | Mount::Alias { .. } => None,
        }
    }
}

/// Whether a source is looked at for what it would expose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exposure {
    Checked,
    Dangerous,
}

/// What a guest may do with a bind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    Read,
    Write,
    /// The mount is writable and only Landlock forbids it; this is how a probe tells the two layers apart.
    WriteUnlessLandlock,
}

/// Whether the host gets the directory at the end of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum HandUp {
    /// The host gets a descriptor of it.
    Yes,
    /// It goes away with the run.
    No,
}

/// A path of the host, looked at once. The open descriptor keeps its inode from being given to another file.
#[derive(Debug, Clone)]
pub(crate) struct Source {
    pub(crate) path: PathBuf,
    pub(crate) device: u64,
    pub(crate) inode: u64,
    pub(crate) is_dir: bool,
    /// Whether it is a device itself. Not everything below `/dev` is: `/dev/shm` is a place for files.
    pub(crate) is_device: bool,
    _open: Arc<OwnedFd>,
}

impl Source {
    pub(crate) fn open(path: &Path) -> Result<Self, ProfileError> {
        let unreadable = |source: rustix::io::Errno| ProfileError::Unreadable { path: path.to_owned(), source };
        // Opened first and asked for its name afterwards: what is judged by that name is then what was opened, whatever a
        // guest with write access to a part of the path puts there meanwhile.
        let open = rustix::fs::open(path, OFlags::PATH | OFlags::CLOEXEC, Mode::empty()).map_err(unreadable)?;
        let stat = rustix::fs::fstat(&open).map_err(unreadable)?;
        let name = format!("/proc/self/fd/{}", open.as_raw_fd());
        let resolved = std::fs::read_link(name)
            .map_err(|error| unreadable(rustix::io::Errno::from_io_error(&error).unwrap_or(rustix::io::Errno::IO)))?;
        // A removed file has a name that says so and leads nowhere.
        if stat.st_nlink == 0 || !resolved.is_absolute() {
            return Err(unreadable(rustix::io::Errno::NOENT));
        }
        let kind = rustix::fs::FileType::from_raw_mode(stat.st_mode);
        Ok(Source {
            path: resolved,
            device: stat.st_dev,
            inode: stat.st_ino,
            is_dir: kind == rustix::fs::FileType::Directory,
            is_device: kind == rustix::fs::FileType::CharacterDevice,
            _open: Arc::new(open),
        })
    }
}

impl Profile {
    /// Nothing but the system's roots, read-only: no network, no files of the host, an almost empty environment, and
    /// [`Limits::STANDARD`].
    pub fn deny_all() -> Self {
        Profile {
            limits: Limits::STANDARD,
            network: NetworkMode::None,
            mounts: Vec::new(),
            environment: BTreeMap::new(),
            layers: Layers::all(),
            confinement: Confinement::Sandbox,
            proc: Proc::Private,
        }
    }

    /// No sandbox: an ordinary process of the host with the host's identity, files and network, that is only supervised.
    /// Its environment is empty until variables are added. For [`Sandbox::launch_unconfined`](crate::Sandbox::launch_unconfined).
    pub(crate) fn unconfined() -> Self {
        Profile {
            network: NetworkMode::Inherited,
            layers: Layers::none(),
            confinement: Confinement::Unconfined,
            ..Profile::deny_all()
        }
    }

    /// Stands the run on this rung of the ladder instead of the best one. See [`Sandbox::best_rung`](crate::Sandbox::best_rung).
    #[must_use]
    pub fn on_rung(mut self, rung: Rung) -> Self {
        (self.confinement, self.proc) = match rung {
            Rung::Full => (Confinement::Sandbox, Proc::Private),
            Rung::EmptyProc => (Confinement::Sandbox, Proc::Empty),
            Rung::NoNamespaces => (Confinement::InPlace, Proc::Private),
        };
        self
    }

    /// The rung that the run stands on.
    pub fn rung(&self) -> Rung {
        match (self.confinement, self.proc) {
            (Confinement::Sandbox, Proc::Private) => Rung::Full,
            (Confinement::Sandbox, Proc::Empty) => Rung::EmptyProc,
            (Confinement::InPlace | Confinement::Unconfined, _) => Rung::NoNamespaces,
        }
    }

    /// The layers that are in force: those that were not left away, of those that the rung has.
    pub(crate) fn in_force(&self) -> Layers {
        match self.confinement {
            Confinement::Sandbox | Confinement::Unconfined => self.layers,
            Confinement::InPlace => self
                .layers
                .without_dangerously(Layer::PidNamespace)
                .without_dangerously(Layer::MountNamespace)
                .without_dangerously(Layer::IpcNamespace)
                .without_dangerously(Layer::NetworkNamespace),
        }
    }

    /// Sets the limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the network.
    #[must_use]
    pub fn with_network(mut self, network: NetworkMode) -> Self {
        self.network = network;
        self
    }

    /// Adds one variable to the guest's environment, which otherwise holds `PATH`, `HOME`, `TMPDIR`, `LANG` and `USER` only.
    #[must_use]
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.environment.insert(name.into(), value.into());
        self
    }

    /// Grants reading of a file or directory of the host, and of all below it, at the path `at` of the guest.
    ///
    /// # Errors
    /// When the path cannot be opened, or is one that exposes the host ([`ProfileError::Protected`]).
    pub fn read(self, source: &Path, at: &Path) -> Result<Self, ProfileError> {
        self.bind(source, at, Access::Read)
    }

    /// Grants reading and writing, likewise.
    ///
    /// The guest writes as its own user, whom the modes of the files have to let. A root host's guest has an id that owns
    /// nothing on the machine ([`Sandbox::guests_have_a_user_of_their_own`](crate::Sandbox::guests_have_a_user_of_their_own)), so
    /// what it is to write must be writable for everybody, or be given as a [`Profile::working_copy`].
    ///
    /// # Errors
    /// As for [`Profile::read`].
    pub fn write(self, source: &Path, at: &Path) -> Result<Self, ProfileError> {
        self.bind(source, at, Access::Write)
    }

    /// Grants reading of a root that [`Profile::read`] refuses because it exposes the host.
    ///
    /// # Errors
    /// When the path cannot be opened.
    pub fn read_dangerously(mut self, source: &Path, at: &Path) -> Result<Self, ProfileError> {
        let source = Source::open(source)?;
        let (access, exposure) = (Access::Read, Exposure::Dangerous);
        self.mounts.push(Mount::Bind { source, at: guest_path(at)?, access, exposure });
        Ok(self)
    }

    pub(crate) fn bind(mut self, source: &Path, at: &Path, access: Access) -> Result<Self, ProfileError> {
        let source = checked(source)?;
        self.mounts.push(Mount::Bind { source, at: guest_path(at)?, access, exposure: Exposure::Checked });
        Ok(self)
    }

    /// Grants something of this library's own, which no profile of a caller may show.
    pub(crate) fn bind_own(mut self, source: &Path, at: &Path, access: Access) -> Result<Self, ProfileError> {
        let (source, at) = (Source::open(source)?, guest_path(at)?);
        self.mounts.push(Mount::Bind { source, at, access, exposure: Exposure::Dangerous });
        Ok(self)
    }

    /// Gives the guest an empty, writable directory of its own, limited by [`Limits::scratch`].
    ///
    /// # Errors
    /// When `at` is not a plain absolute path.
    pub fn scratch(mut self, at: &Path, hand_up: HandUp) -> Result<Self, ProfileError> {
        self.mounts.push(Mount::Scratch { at: guest_path(at)?, hand_up });
        Ok(self)
    }

    /// Shows a directory that was made for this run, and lets the guest write to it as it likes. What it writes stays in a layer
    /// of the run's own and is handed up; the directory itself does not change, but for its owner.
    ///
    /// A guest can change only files whose owner it has a name for. So where the host is root, and the guest has an id of its
    /// own, the directory and everything below it is given to that id when the run is launched.
    ///
    /// # Errors
    /// As for [`Profile::read`].
    pub fn working_copy(mut self, lower: &Path, at: &Path) -> Result<Self, ProfileError> {
        let lower = checked(lower)?;
        self.mounts.push(Mount::Overlay { lower, at: guest_path(at)? });
        Ok(self)
    }

    /// Shows the directory `of` of the guest under a second name.
    ///
    /// # Errors
    /// When one of the paths is not a plain absolute path.
    pub fn alias(mut self, of: &Path, at: &Path) -> Result<Self, ProfileError> {
        self.mounts.push(Mount::Alias { of: guest_path(of)?, at: guest_path(at)? });
        Ok(self)
    }

    /// Leaves a layer away. Meant for tests that show what the layer is good for; evidence of such a profile says so, because
    /// its axes are found by trying.
    #[must_use]
    pub fn without_layers_dangerously(mut self, layers: Layers) -> Self {
        self.layers = layers;
        self
    }

    /// Refuses what would show a guest the records of its own host, which are known only when it is launched.
    pub(crate) fn check_against(&self, state: Option<&Path>) -> Result<(), ProfileError> {
        for mount in &self.mounts {
            let (Mount::Bind { source, exposure: Exposure::Checked, .. } | Mount::Overlay { lower: source, .. }) =
                mount
            else {
                continue;
            };
            let identity = (source.device, source.inode);
            if let Some(reason) = protected::exposed_of_state(&source.path, identity, state) {
                return Err(ProfileError::Protected { path: source.path.clone(), reason });
            }
        }
        Ok(())
    }

    /// The limits.
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The network.
    pub fn network(&self) -> NetworkMode {
        self.network
    }
}

fn checked(path: &Path) -> Result<Source, ProfileError> {
    let source = Source::open(path)?;
    let kernels = || protected::shows_the_kernel(&source.path, &source._open);
    match protected::exposed_by(&source.path, (source.device, source.inode)).or_else(kernels) {
        Some(reason) => Err(ProfileError::Protected { path: source.path, reason }),
        None => Ok(source),
    }
}

/// A guest path is absolute and has no part that means another.
fn guest_path(path: &Path) -> Result<PathBuf, ProfileError> {
    let plain = path.is_absolute()
        && path.components().skip(1).all(|part| matches!(part, std::path::Component::Normal(_)))
        && path.components().count() > 1
        && !path.as_os_str().as_encoded_bytes().contains(&0);
    if plain { Ok(path.components().collect()) } else { Err(ProfileError::GuestPath { path: path.to_owned() }) }
}

/// A profile cannot be what was asked for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProfileError {
    /// A source cannot be opened.
    #[error("cannot open {path:?} to grant it: {source}")]
    Unreadable {
        /// The path as it was given.
        path: PathBuf,
        /// The kernel's answer.
        source: rustix::io::Errno,
    },
    /// A source that would expose the host.
    #[error("{path:?} cannot be granted: it {reason}; grant a directory below it, or say so with `read_dangerously`")]
    Protected {
        /// The resolved path.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A path in the guest that is relative, or has `.`, `..` or NUL in it.
    #[error("{path:?} is no place for the guest: write an absolute path without `.` and `..`")]
    GuestPath {
        /// The path.
        path: PathBuf,
    },
    /// Something that only a mount can show, on a rung without mounts.
    #[error(
        "{at:?} cannot be shown to a run without namespaces: grant directories at their own paths, and give it a directory \
         to write instead of scratch space"
    )]
    NeedsMounts {
        /// Where the guest would have found it.
        at: PathBuf,
    },
}

impl ProfileError {
    /// The stable code of this error.
    pub const fn code(&self) -> &'static str {
        match self {
            ProfileError::Unreadable { .. } => "isolation.root_unreadable",
            ProfileError::Protected { .. } => "isolation.root_protected",
            ProfileError::GuestPath { .. } => "isolation.guest_path_invalid",
            ProfileError::NeedsMounts { .. } => "isolation.needs_mounts",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_that_expose_the_host_are_refused_and_others_are_not() {
        for path in ["/", "/proc", "/proc/self", "/sys", "/dev", "/run", "/etc", "/home", "/var", "/tmp", "/var/tmp"] {
            if Path::new(path).exists() {
                let refused = Profile::deny_all().read(Path::new(path), Path::new("/data"));
                assert!(matches!(refused, Err(ProfileError::Protected { .. })), "{path}: {refused:?}");
            }
        }
        let allowed = tempfile::tempdir().unwrap();
        Profile::deny_all().read(allowed.path(), Path::new("/data")).unwrap();
    }

    #[test]
    fn the_home_directory_is_refused_and_a_directory_below_it_is_not() {
        let Some(home) = std::env::home_dir().filter(|home| home.is_dir()) else {
            eprintln!("EXECRES-SKIP: the_home_directory_is_refused: optional: no home directory here");
            return;
        };
        assert!(matches!(Profile::deny_all().read(&home, Path::new("/data")), Err(ProfileError::Protected { .. })));
        assert!(protected::exposed_by(&home.join("project"), (0, 0)).is_none());
    }

    #[test]
    fn a_link_to_a_protected_root_is_the_root() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("innocent");
        std::os::unix::fs::symlink("/", &link).unwrap();
        assert!(matches!(Profile::deny_all().read(&link, Path::new("/data")), Err(ProfileError::Protected { .. })));
    }

    #[test]
    fn guest_paths_are_plain() {
        for path in ["relative", "/", "/a/../b", "/a/./../b"] {
            assert!(guest_path(Path::new(path)).is_err(), "{path}");
        }
        assert_eq!(guest_path(Path::new("/work//source/")).unwrap(), Path::new("/work/source"));
    }
}
