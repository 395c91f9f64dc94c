//! Places in a root that is being built.
//!
//! Every path is resolved below the descriptor of the root, and no link on the way is followed. What a grant brings along can
//! hold links that an earlier guest planted, and as long as the root is not entered an absolute one leads to the host.

use crate::numbers::*;
use crate::sys::*;

/// The root that is being built, by its descriptor.
#[derive(Clone, Copy)]
pub struct Places(i32);

/// The longest path that the kernel takes, its NUL included.
const LONGEST: usize = 4096;

impl Places {
    /// Below the working directory.
    pub fn here() -> Result<Places> {
        Ok(Places(openat(AT_FDCWD, cstr!("."), O_PATH | O_DIRECTORY, 0)?))
    }

    /// Opens what is there.
    pub fn open(self, path: CStr, flags: usize) -> Result<i32> {
        openat_beneath(self.0, path, flags, 0)
    }

    /// Makes a file that is not there yet.
    pub fn create(self, path: CStr, mode: usize) -> Result<i32> {
        openat_beneath(self.0, path, O_WRONLY | O_CREAT | O_EXCL, mode)
    }

    /// Makes a directory. One that is there stays as it is.
    pub fn make_directory(self, path: CStr, mode: usize) -> Result<()> {
        self.in_parent(path, |parent, name| match call(MKDIRAT, &[parent as usize, name.address(), mode]) {
            Ok(_) | Err(Errno(EEXIST)) => Ok(()),
            Err(error) => Err(error),
        })
    }

    /// Makes a link.
    pub fn make_link(self, target: CStr, path: CStr) -> Result<()> {
        self.in_parent(path, |parent, name| {
            call(SYMLINKAT, &[target.address(), parent as usize, name.address()])?;
            Ok(())
        })
    }

    /// Does something with the directory at `path` as the working directory, for calls that take a path and no descriptor.
    pub fn within(self, path: CStr, what: impl FnOnce() -> Result<()>) -> Result<()> {
        let directory = self.open(path, O_PATH | O_DIRECTORY)?;
        let entered = call(FCHDIR, &[directory as usize]);
        close(directory);
        entered?;
        let done = what();
        call(FCHDIR, &[self.0 as usize])?;
        done
    }

    /// Makes the root the working directory again, and closes the descriptor.
    pub fn finish(self) -> Result<()> {
        call(FCHDIR, &[self.0 as usize])?;
        close(self.0);
        Ok(())
    }

    fn in_parent(self, path: CStr, what: impl FnOnce(i32, CStr) -> Result<()>) -> Result<()> {
        let bytes = path.bytes();
        let Some(slash) = bytes.iter().rposition(|byte| *byte == b'/') else { return what(self.0, path) };
        let mut parent = [0u8; LONGEST];
        // The last byte stays NUL.
        let (directory, name) = (&bytes[..slash], CStr::new(&bytes[slash + 1..]));
        parent
            .get_mut(..slash)
            .filter(|room| room.len() < LONGEST)
            .ok_or(Errno(ENAMETOOLONG))?
            .copy_from_slice(directory);
        let parent = openat_beneath(self.0, CStr::new(&parent), O_PATH | O_DIRECTORY, 0)?;
        let done = what(parent, name);
        close(parent);
        done
    }
}

const RESOLVE_NO_MAGICLINKS: u64 = 2;
const RESOLVE_NO_SYMLINKS: u64 = 4;
const RESOLVE_BENEATH: u64 = 8;

/// Opens an absolute path of the root that this process is in, without following a link, whatever kind it is.
pub fn open_without_links(path: CStr, flags: usize) -> Result<i32> {
    openat2(AT_FDCWD, path, flags, 0, RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
}

/// Opens below a directory, likewise.
fn openat_beneath(directory: i32, path: CStr, flags: usize, mode: usize) -> Result<i32> {
    openat2(directory, path, flags, mode, RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
}

fn openat2(directory: i32, path: CStr, flags: usize, mode: usize, resolve: u64) -> Result<i32> {
    // struct open_how: flags, mode, how to resolve.
    let how = [(flags | O_CLOEXEC) as u64, mode as u64, resolve];
    let size = size_of_val(&how);
    Ok(call(OPENAT2, &[directory as usize, path.address(), how.as_ptr() as usize, size])? as i32)
}
