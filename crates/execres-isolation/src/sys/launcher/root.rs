//! What the guest finds: opens every source first, then builds the new root from the host's list and enters it.

use crate::blob::Blob;
use crate::init::Trouble;
use crate::numbers::*;
use crate::protocol::*;
use crate::sys::*;

/// Sources of binds, opened and cloned, by their order in the list.
pub struct Sources {
    fds: [i32; 128],
    count: usize,
}

/// Where the new root is put together. It has to exist on every host; what it covers has been opened by then.
const STAGING: &[u8] = b"/tmp\0";

/// Opens the source of every bind as the host's own user, who may enter directories that the guest's user may not.
///
/// Each source is compared with what the host looked at, so a path that was swapped in between is refused.
pub fn open_sources(mut list: Blob) -> core::result::Result<Sources, Trouble> {
    let mut sources = Sources { fds: [-1; 128], count: 0 };
    let count = list.word()?;
    for index in 0..count {
        let trouble = |stage, error| Trouble { stage, index, error };
        let op = Op::read(&mut list)?;
        let Op::Bind { flags, device, inode, source, .. } = op else { continue };
        if sources.count == sources.fds.len() {
            return Err(trouble(STAGE_BLOB, Errno(EINVAL)));
        }
        let opened = call(
            OPEN_TREE,
            &[AT_FDCWD as usize, source.address(), OPEN_TREE_CLONE | O_CLOEXEC | AT_RECURSIVE | AT_SYMLINK_NOFOLLOW],
        );
        let fd = opened.map_err(|error| trouble(STAGE_SOURCE, error))? as i32;
        let mut stat = [0u64; 32];
        call(FSTAT, &[fd as usize, stat.as_mut_ptr() as usize]).map_err(|error| trouble(STAGE_SOURCE, error))?;
        if (stat[0], stat[1]) != (device, inode) {
            return Err(trouble(STAGE_SOURCE_CHANGED, Errno(ESTALE)));
        }
        let device = if flags & MOUNT_DEVICE != 0 { 0 } else { MOUNT_ATTR_NODEV };
        let read_only = if flags & MOUNT_READ_ONLY != 0 { MOUNT_ATTR_RDONLY } else { 0 };
        // Recursive, so that a mount below the source is restricted like the source itself, and private in the same call, so
        // that one that the host makes there later does not arrive: it would have none of these restrictions.
        set_attributes(fd, MOUNT_ATTR_NOSUID | device | read_only, MS_PRIVATE, AT_RECURSIVE)
            .map_err(|error| trouble(STAGE_SOURCE, error))?;
        sources.fds[sources.count] = fd;
        sources.count += 1;
    }
    Ok(sources)
}

/// Sets attributes and, where `propagation` is not 0, whether mounts come and go with those of others.
fn set_attributes(fd: i32, set: u64, propagation: usize, recursive: usize) -> Result<()> {
    let attributes = [set, 0, propagation as u64, 0];
    call(
        MOUNT_SETATTR,
        &[fd as usize, cstr!("").address(), AT_EMPTY_PATH | recursive, attributes.as_ptr() as usize, 32],
    )?;
    Ok(())
}

/// Builds the root and makes it the root of this process.
pub fn build(mut list: Blob, sources: &Sources, layers: u32) -> core::result::Result<(), Trouble> {
    let staging = CStr::new(STAGING);
    let pivot = |error| Trouble { stage: STAGE_PIVOT, index: 0, error };

    // Nothing that happens here may reach the launcher's mounts.
    call(MOUNT, &[0, cstr!("/").address(), 0, MS_REC | MS_PRIVATE, 0]).map_err(pivot)?;
    // The root holds directories, links and a few small files; nobody can write it after the last line of this function.
    mount_tmpfs(staging, MS_NOSUID | MS_NODEV, cstr!("mode=0755,size=4m,nr_inodes=4096")).map_err(pivot)?;
    call(CHDIR, &[staging.address()]).map_err(pivot)?;

    let mut next = 0;
    let count = list.word()?;
    for index in 0..count {
        let op = Op::read(&mut list)?;
        let source = match op {
            Op::Bind { .. } => {
                next += 1;
                sources.fds[next - 1]
            }
            _ => -1,
        };
        op.apply(source, layers).map_err(|error| Trouble { stage: STAGE_ROOT, index, error })?;
    }

    // The old root ends up on top of the new one and is then taken off, so that no name leads to it.
    call(PIVOT_ROOT, &[cstr!(".").address(), cstr!(".").address()]).map_err(pivot)?;
    call(UMOUNT2, &[cstr!(".").address(), MNT_DETACH]).map_err(pivot)?;
    call(CHDIR, &[cstr!("/").address()]).map_err(pivot)?;
    let root = openat(AT_FDCWD, cstr!("/"), O_PATH | O_DIRECTORY, 0).map_err(pivot)?;
    set_attributes(root, MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, 0, 0).map_err(pivot)?;
    close(root);
    Ok(())
}

fn mount_tmpfs(path: CStr, flags: usize, options: CStr) -> Result<()> {
    let tmpfs = cstr!("tmpfs").address();
    call(MOUNT, &[tmpfs, path.address(), tmpfs, flags, options.address()])?;
    Ok(())
}

/// One line of the list.
pub enum Op {
    Dir { mode: u32, path: CStr },
    Tmpfs { path: CStr, options: CStr },
    Bind { flags: u32, device: u64, inode: u64, source: CStr, target: CStr },
    Symlink { target: CStr, path: CStr },
    File { mode: u32, path: CStr, content: &'static [u8] },
    Proc { path: CStr },
    Devpts { path: CStr },
    Overlay { path: CStr, options: CStr },
    Rebind { flags: u32, source: CStr, target: CStr },
}

impl Op {
    pub fn read(list: &mut Blob) -> Result<Op> {
        Ok(match list.word()? {
            OP_DIR => Op::Dir { mode: list.word()?, path: list.text()? },
            OP_TMPFS => Op::Tmpfs { path: list.text()?, options: list.text()? },
            OP_BIND => Op::Bind {
                flags: list.word()?,
                device: list.long()?,
                inode: list.long()?,
                source: list.text()?,
                target: list.text()?,
            },
            OP_SYMLINK => Op::Symlink { target: list.text()?, path: list.text()? },
            OP_FILE => Op::File { mode: list.word()?, path: list.text()?, content: list.bytes()? },
            OP_PROC => Op::Proc { path: list.text()? },
            OP_DEVPTS => Op::Devpts { path: list.text()? },
            OP_OVERLAY => Op::Overlay { path: list.text()?, options: list.text()? },
            OP_REBIND => Op::Rebind { flags: list.word()?, source: list.text()?, target: list.text()? },
            _ => return Err(Errno(EINVAL)),
        })
    }

    /// Paths are relative to the new root, and every part of them was made by an earlier line.
    fn apply(self, bind_source: i32, layers: u32) -> Result<()> {
        match self {
            Op::Dir { mode, path } => match call(MKDIRAT, &[AT_FDCWD as usize, path.address(), mode as usize]) {
                Ok(_) => {
                    // The mode is set apart from the making of it because of the umask.
                    call(FCHMODAT, &[AT_FDCWD as usize, path.address(), mode as usize])?;
                    Ok(())
                }
                // What a mount brought along keeps its mode.
                Err(Errno(EEXIST)) => Ok(()),
                Err(error) => Err(error),
            },
            Op::Tmpfs { path, options } => mount_tmpfs(path, MS_NOSUID | MS_NODEV, options),
            Op::Bind { flags, target, .. } => {
                mount_point(target, flags)?;
                let (from, to) = (cstr!("").address(), target.address());
                call(MOVE_MOUNT, &[bind_source as usize, from, AT_FDCWD as usize, to, MOVE_MOUNT_F_EMPTY_PATH])?;
                close(bind_source);
                Ok(())
            }
            Op::Symlink { target, path } => {
                call(SYMLINKAT, &[target.address(), AT_FDCWD as usize, path.address()])?;
                Ok(())
            }
            Op::File { mode, path, content } => {
                let fd = openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, mode as usize)?;
                let written = write_all(fd, content);
                close(fd);
                written
            }
            Op::Proc { path } if layers & OFF_PID != 0 => {
                // Only the owner of a PID namespace may mount a view of it. Without one of its own the run gets the host's
                // view, which is what a probe of that weakness has to see.
                call(MOUNT, &[cstr!("/proc").address(), path.address(), 0, MS_BIND | MS_REC, 0])?;
                Ok(())
            }
            Op::Proc { path } if layers & RUN_EMPTY_PROC != 0 => {
                let flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
                mount_tmpfs(path, flags, cstr!("mode=0555,size=4k,nr_inodes=1"))
            }
            Op::Proc { path } => {
                let flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
                let proc = cstr!("proc").address();
                call(MOUNT, &[proc, path.address(), proc, flags, 0])?;
                Ok(())
            }
            Op::Devpts { path } => {
                let devpts = cstr!("devpts").address();
                let options = cstr!("newinstance,ptmxmode=0666,mode=0620");
                call(MOUNT, &[devpts, path.address(), devpts, MS_NOSUID | MS_NOEXEC, options.address()])?;
                Ok(())
            }
            Op::Overlay { path, options } => {
                let overlay = cstr!("overlay").address();
                call(MOUNT, &[overlay, path.address(), overlay, MS_NOSUID | MS_NODEV, options.address()])?;
                Ok(())
            }
            Op::Rebind { flags, source, target } => {
                mount_point(target, flags)?;
                let tree = call(
                    OPEN_TREE,
                    &[AT_FDCWD as usize, source.address(), OPEN_TREE_CLONE | O_CLOEXEC | AT_SYMLINK_NOFOLLOW],
                )? as i32;
                if flags & MOUNT_READ_ONLY != 0 {
                    set_attributes(tree, MOUNT_ATTR_RDONLY, 0, 0)?;
                }
                let (from, to) = (cstr!("").address(), target.address());
                call(MOVE_MOUNT, &[tree as usize, from, AT_FDCWD as usize, to, MOVE_MOUNT_F_EMPTY_PATH])?;
                close(tree);
                Ok(())
            }
        }
    }
}

/// Makes the mount point of a bind: an empty file or a directory, unless it is there.
fn mount_point(path: CStr, flags: u32) -> Result<()> {
    if flags & MOUNT_FILE != 0 {
        match openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL, 0o644) {
            Ok(fd) => close(fd),
            Err(Errno(EEXIST)) => {}
            Err(error) => return Err(error),
        }
        return Ok(());
    }
    match call(MKDIRAT, &[AT_FDCWD as usize, path.address(), 0o755]) {
        Ok(_) | Err(Errno(EEXIST)) => Ok(()),
        Err(error) => Err(error),
    }
}
