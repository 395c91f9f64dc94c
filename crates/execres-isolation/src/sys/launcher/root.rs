//! What the guest finds: opens every source first, then builds the new root from the host's list and enters it.

use crate::blob::Blob;
use crate::init::Trouble;
use crate::numbers::*;
use crate::place::Places;
use crate::protocol::*;
use crate::sys::*;

/// Sources of binds, opened and cloned, by their order in the list.
pub struct Sources {
    fds: [i32; 128],
    count: usize,
}

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
    let staging = CStr::new(STAGING.as_bytes());
    let pivot = |error| Trouble { stage: STAGE_PIVOT, index: 0, error };

    // Nothing that happens here may reach the launcher's mounts.
    call(MOUNT, &[0, cstr!("/").address(), 0, MS_REC | MS_PRIVATE, 0]).map_err(pivot)?;
    // The root holds directories, links and a few small files; nobody can write it after the last line of this function.
    mount_tmpfs(staging, MS_NOSUID | MS_NODEV, cstr!("mode=0755,size=4m,nr_inodes=4096")).map_err(pivot)?;
    call(CHDIR, &[staging.address()]).map_err(pivot)?;
    let places = Places::here().map_err(pivot)?;
    // Modes are what the list says. Nothing else is made meanwhile.
    call(UMASK, &[0]).map_err(pivot)?;

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
        op.apply(places, source, layers).map_err(|error| Trouble { stage: STAGE_ROOT, index, error })?;
    }

    call(UMASK, &[0o022]).map_err(pivot)?;
    places.finish().map_err(pivot)?;

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

/// A tmpfs that is not attached anywhere yet. Options are as `mount` takes them: `name=value`, separated by commas.
fn detached_tmpfs(options: CStr) -> Result<i32> {
    let context = call(FSOPEN, &[cstr!("tmpfs").address(), FSOPEN_CLOEXEC])? as i32;
    let tree = configured(context, options);
    close(context);
    tree
}

fn configured(context: i32, options: CStr) -> Result<i32> {
    let bytes = options.bytes();
    for option in bytes[..bytes.len() - 1].split(|byte| *byte == b',') {
        let equals = option.iter().position(|byte| *byte == b'=').ok_or(Errno(EINVAL))?;
        // Each with the NUL that stays after it.
        let (mut name, mut value) = ([0u8; 32], [0u8; 32]);
        for (room, text) in [(&mut name, &option[..equals]), (&mut value, &option[equals + 1..])] {
            room.get_mut(..text.len()).filter(|room| room.len() < 32).ok_or(Errno(ENAMETOOLONG))?.copy_from_slice(text);
        }
        let (name, value) = (CStr::new(&name), CStr::new(&value));
        call(FSCONFIG, &[context as usize, FSCONFIG_SET_STRING, name.address(), value.address(), 0])?;
    }
    call(FSCONFIG, &[context as usize, FSCONFIG_CMD_CREATE, 0, 0, 0])?;
    let attributes = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
    Ok(call(FSMOUNT, &[context as usize, FSMOUNT_CLOEXEC, attributes as usize])? as i32)
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

    /// Paths are relative to the new root.
    fn apply(self, places: Places, bind_source: i32, layers: u32) -> Result<()> {
        match self {
            // What a mount brought along keeps its mode.
            Op::Dir { mode, path } => places.make_directory(path, mode as usize),
            Op::Tmpfs { path, options } => {
                // Over a descriptor: the guest's user may not be allowed to enter what is hidden under it.
                let tree = detached_tmpfs(options)?;
                let attached = attach(tree, places.open(path, O_PATH | O_DIRECTORY)?);
                close(tree);
                attached
            }
            Op::Bind { flags, target, .. } => {
                let attached = attach(bind_source, mount_point(places, target, flags)?);
                close(bind_source);
                attached
            }
            Op::Symlink { target, path } => places.make_link(target, path),
            Op::File { mode, path, content } => {
                let fd = places.create(path, mode as usize)?;
                let written = write_all(fd, content);
                close(fd);
                written
            }
            Op::Proc { path } if layers & OFF_PID != 0 => {
                // Only the owner of a PID namespace may mount a view of it. Without one of its own the run gets the host's
                // view, which is what a probe of that weakness has to see.
                places.within(path, || {
                    call(MOUNT, &[cstr!("/proc").address(), cstr!(".").address(), 0, MS_BIND | MS_REC, 0])?;
                    Ok(())
                })
            }
            Op::Proc { path } if layers & RUN_EMPTY_PROC != 0 => {
                let flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
                places.within(path, || mount_tmpfs(cstr!("."), flags, cstr!("mode=0555,size=4k,nr_inodes=1")))
            }
            Op::Proc { path } => {
                let flags = MS_NOSUID | MS_NODEV | MS_NOEXEC | MS_RDONLY;
                places.within(path, || mount_here(cstr!("proc"), flags, cstr!("")))
            }
            Op::Devpts { path } => {
                let options = cstr!("newinstance,ptmxmode=0666,mode=0620,max=64");
                places.within(path, || mount_here(cstr!("devpts"), MS_NOSUID | MS_NOEXEC, options))
            }
            Op::Overlay { path, options } => {
                places.within(path, || mount_here(cstr!("overlay"), MS_NOSUID | MS_NODEV, options))
            }
            Op::Rebind { flags, source, target } => {
                let source = places.open(source, O_PATH)?;
                let tree = call(
                    OPEN_TREE,
                    // With all that was mounted over parts of it, which may be there to hide them.
                    &[source as usize, cstr!("").address(), OPEN_TREE_CLONE | O_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE],
                )? as i32;
                close(source);
                let read_only = if flags & MOUNT_READ_ONLY != 0 { MOUNT_ATTR_RDONLY } else { 0 };
                set_attributes(tree, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | read_only, MS_PRIVATE, AT_RECURSIVE)?;
                let attached = attach(tree, mount_point(places, target, flags)?);
                close(tree);
                attached
            }
        }
    }
}

/// Mounts a file system of this kind over the working directory.
fn mount_here(kind: CStr, flags: usize, options: CStr) -> Result<()> {
    call(MOUNT, &[kind.address(), cstr!(".").address(), kind.address(), flags, options.address()])?;
    Ok(())
}

/// Attaches a detached tree over what a descriptor is of, and closes that.
fn attach(tree: i32, target: i32) -> Result<()> {
    let nothing = cstr!("").address();
    let moved = call(
        MOVE_MOUNT,
        &[tree as usize, nothing, target as usize, nothing, MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH],
    );
    close(target);
    moved.map(|_| ())
}

/// The mount point of a bind, by its descriptor: an empty file or a directory, made unless it is there.
fn mount_point(places: Places, path: CStr, flags: u32) -> Result<i32> {
    if flags & MOUNT_FILE == 0 {
        places.make_directory(path, 0o755)?;
        return places.open(path, O_PATH | O_DIRECTORY);
    }
    match places.create(path, 0o644) {
        Ok(fd) => close(fd),
        Err(Errno(EEXIST)) => {}
        Err(error) => return Err(error),
    }
    places.open(path, O_PATH)
}
