//! The Landlock ruleset of a run. It is made after the mounts, because a rule names the inode that is there at that time.

use crate::blob::Blob;
use crate::init::Trouble;
use crate::numbers::*;
use crate::place::open_without_links;
use crate::protocol::{STAGE_LANDLOCK, STAGE_SOURCE_CHANGED};
use crate::sys::*;

#[repr(C, packed)]
struct PathBeneath {
    access: u64,
    parent: i32,
}

/// A ruleset's descriptor; -1 where the blob asks for none.
pub fn ruleset(list: &mut Blob) -> core::result::Result<i32, Trouble> {
    const RULE_PATH_BENEATH: usize = 1;
    let handled = [list.long()?, list.long()?, list.long()?];
    // The kernel refuses a structure with more fields than it knows unless the rest is zero, so this is the right size for
    // every version as long as the host asks only for what the version has.
    let trouble = |index, error| Trouble { stage: STAGE_LANDLOCK, index, error };
    let count = list.word()?;
    let fd = if handled == [0; 3] {
        -1
    } else {
        call(LANDLOCK_CREATE_RULESET, &[handled.as_ptr() as usize, size_of_val(&handled), 0])
            .map_err(|error| trouble(u32::MAX, error))? as i32
    };
    for index in 0..count {
        let access = list.long()?;
        let known = (list.long()?, list.long()?);
        let path = list.text()?;
        if fd < 0 {
            continue;
        }
        // A link on the way was planted in what a grant brought along, or put in the place of the grant itself.
        let parent = match open_without_links(path, O_PATH) {
            Ok(parent) => parent,
            Err(Errno(ELOOP)) if known != (0, 0) => {
                return Err(Trouble { stage: STAGE_SOURCE_CHANGED, index, error: Errno(ESTALE) });
            }
            // Optional binds may be absent; a path that is not there needs no rule.
            Err(Errno(ENOENT)) => continue,
            Err(error) => return Err(trouble(index, error)),
        };
        // Without a root of its own a grant is nothing but this rule, so it is compared with what the host looked at.
        if known != (0, 0) {
            let mut stat = [0u64; 32];
            call(FSTAT, &[parent as usize, stat.as_mut_ptr() as usize]).map_err(|error| trouble(index, error))?;
            if (stat[0], stat[1]) != known {
                return Err(Trouble { stage: STAGE_SOURCE_CHANGED, index, error: Errno(ESTALE) });
            }
        }
        let rule = PathBeneath { access, parent };
        call(LANDLOCK_ADD_RULE, &[fd as usize, RULE_PATH_BENEATH, &raw const rule as usize, 0])
            .map_err(|error| trouble(index, error))?;
        close(parent);
    }
    Ok(fd)
}
