//! Handing kept outputs over to the caller's own directory.

use std::io;
use std::os::fd::AsFd;
use std::path::PathBuf;

use cap_std::fs::Dir;
use rustix::fs::AtFlags;
use rustix::io::Errno;
use uuid::Uuid;

use crate::access::Role;
use crate::area::open_dir;
use crate::collect::Artifact;
use crate::copy::{CopyFault, copy_hashed};
use crate::grant::AccessGrant;
use crate::open::{Mounts, OpenFault, open_regular};
use crate::path::{OUTPUT_DIR, RelativePath};
use crate::place::{Placed, Umask, ensure_dir};

impl AccessGrant {
    /// Copies kept outputs to the same places below `into`, the caller's own directory: `output/a/b.png` becomes `a/b.png`.
    ///
    /// A file that is there is replaced, whole or not at all; a link that is there is replaced and not followed, and no link
    /// on the way is followed either. The permissions are 0644 less the process's mask.
    ///
    /// Reads and writes all outputs; call it where blocking is fine, and before the grant is closed.
    ///
    /// # Errors
    /// [`DeliverError`]; outputs before the one that it names are delivered then.
    pub fn deliver(&self, outputs: &[Artifact], into: &Dir) -> Result<(), DeliverError> {
        outputs.iter().try_for_each(|artifact| self.deliver_one(artifact, into))
    }

    fn deliver_one(&self, artifact: &Artifact, into: &Dir) -> Result<(), DeliverError> {
        let lost = || DeliverError::Lost { path: artifact.path.clone() };
        let within = artifact.path.strip_prefix(OUTPUT_DIR).and_then(|rest| rest.strip_prefix('/'));
        let path = within.and_then(|text| RelativePath::parse(text).ok()).ok_or_else(lost)?;
        let kept = match open_regular(self.dir(Role::Kept), path.as_path(), Mounts::Stay) {
            Ok(kept) => kept,
            Err(OpenFault::Io(error)) => return Err(DeliverError::io(&path, error)),
            Err(_) => return Err(lost()),
        };
        let dir = match path.parent() {
            Some(parent) => ensure_dir(into, &parent, Umask::Applies),
            None => open_dir(into, "."),
        };
        let dir = dir.map_err(|error| DeliverError::place(&path, error))?;
        // In the same directory, so that naming it is all that is left to do when it is whole.
        let partial = format!(".{}.partial", Uuid::new_v4());
        let partial_path = RelativePath::parse(&partial).map_err(|_| lost())?;
        let placed =
            Placed::create(&dir, &partial_path, Umask::Applies).map_err(|error| DeliverError::io(&path, error))?;
        let copied = copy_hashed(&kept, &placed.file);
        let named = match copied {
            Ok((_, sha256)) if sha256 == artifact.sha256 => {
                rustix::fs::renameat(dir.as_fd(), &*partial, dir.as_fd(), path.file_name())
                    .map_err(|error| DeliverError::place(&path, error))
            }
            Ok(_) | Err(CopyFault::Changed) => Err(lost()),
            Err(CopyFault::Read(source) | CopyFault::Write(source)) => {
                Err(DeliverError::Io { path: path.as_path().to_owned(), source })
            }
        };
        if named.is_err() {
            // The failure itself is what the caller needs to know.
            let _left = rustix::fs::unlinkat(&dir, &*partial, AtFlags::empty());
        }
        named
    }
}

/// An output was not delivered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DeliverError {
    /// It is not kept here, or is not what was collected.
    #[error("{path} is not kept under this grant as it was collected: deliver outputs before the grant is closed")]
    Lost {
        /// The output.
        path: String,
    },
    /// A directory or a link is in the way.
    #[error("{} cannot be written: a directory or a link is in its way, move that or choose another directory", path.display())]
    InTheWay {
        /// Below the destination.
        path: PathBuf,
    },
    /// It could not be written.
    #[error("{} could not be written (is there room, and is the directory writable?)", path.display())]
    Io {
        /// Below the destination.
        path: PathBuf,
        /// What the system answered.
        #[source]
        source: io::Error,
    },
}

impl DeliverError {
    fn io(path: &RelativePath, error: Errno) -> Self {
        DeliverError::Io { path: path.as_path().to_owned(), source: error.into() }
    }

    fn place(path: &RelativePath, error: Errno) -> Self {
        match error {
            Errno::LOOP | Errno::NOTDIR | Errno::ISDIR | Errno::EXIST | Errno::NOTEMPTY => {
                DeliverError::InTheWay { path: path.as_path().to_owned() }
            }
            error => DeliverError::io(path, error),
        }
    }

    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            DeliverError::Lost { .. } => "workspace.deliver_lost",
            DeliverError::InTheWay { .. } => "workspace.deliver_in_the_way",
            DeliverError::Io { .. } => "workspace.deliver_failed",
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use cap_std::ambient_authority;
    use execres_owner::{OwnerRegistry, StateDir};

    use super::*;
    use crate::{AccessRequest, CallId, CollectCaps, Collected, OutputPath, TaskWorkspace, collect};

    struct Fixture {
        dir: tempfile::TempDir,
        grant: AccessGrant,
        _workspace: TaskWorkspace,
    }

    impl Fixture {
        /// A grant that keeps what a program wrote to `a` and `sub/b`.
        fn new() -> (Self, Collected) {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir(dir.path().join("into")).unwrap();
            let registry = OwnerRegistry::open(StateDir::open_at(&dir.path().join("state")).unwrap()).unwrap();
            let workspace = TaskWorkspace::temporary(registry, ambient_authority()).unwrap();
            let grant = workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap();
            let output = grant.root(Role::Output);
            fs::create_dir(output.join("sub")).unwrap();
            fs::write(output.join("a"), b"new").unwrap();
            fs::write(output.join("sub/b"), b"b").unwrap();
            let untrusted = grant.dir(Role::Output).as_fd();
            let collected =
                collect(untrusted, &[OutputPath::ALL], &CollectCaps::default(), grant.dir(Role::Kept)).unwrap();
            (Fixture { dir, grant, _workspace: workspace }, collected)
        }

        fn target(&self, path: &str) -> PathBuf {
            self.dir.path().join("into").join(path)
        }

        fn deliver(&self, collected: &Collected) -> Result<(), &'static str> {
            let into = Dir::open_ambient_dir(self.target(""), ambient_authority()).unwrap();
            self.grant.deliver(&collected.outputs, &into).map_err(|error| error.code())
        }
    }

    #[test]
    fn outputs_replace_what_is_there_and_follow_nothing() {
        let (fixture, collected) = Fixture::new();
        let theirs = fixture.dir.path().join("theirs");
        fs::write(&theirs, b"theirs").unwrap();
        symlink(&theirs, fixture.target("a")).unwrap();
        assert_eq!(fixture.deliver(&collected), Ok(()));
        assert_eq!(fixture.deliver(&collected), Ok(()), "again");
        assert_eq!(fs::read(fixture.target("a")).unwrap(), b"new");
        assert_eq!(fs::read(fixture.target("sub/b")).unwrap(), b"b");
        assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
        assert_eq!(fs::read_dir(fixture.target("")).unwrap().count(), 2, "nothing partial is left");
    }

    #[test]
    fn what_is_in_the_way_stays() {
        let (fixture, collected) = Fixture::new();
        fs::create_dir_all(fixture.target("a/full")).unwrap();
        assert_eq!(fixture.deliver(&collected), Err("workspace.deliver_in_the_way"));
        assert!(fixture.target("a/full").is_dir());
        assert_eq!(fs::read_dir(fixture.target("")).unwrap().count(), 1);
        fs::remove_dir_all(fixture.target("a")).unwrap();
        symlink(fixture.dir.path(), fixture.target("sub")).unwrap();
        assert_eq!(fixture.deliver(&collected), Err("workspace.deliver_in_the_way"));
        assert!(!fixture.dir.path().join("b").exists());
    }

    #[test]
    fn only_what_was_collected_is_delivered() {
        let (fixture, collected) = Fixture::new();
        fs::write(fixture.grant.root(Role::Kept).join("a"), b"old").unwrap();
        assert_eq!(fixture.deliver(&collected), Err("workspace.deliver_lost"));
        fixture.grant.close().unwrap();
        assert_eq!(fixture.deliver(&collected), Err("workspace.deliver_lost"));
    }
}
