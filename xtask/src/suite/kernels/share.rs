//! The directory that a guest finds its tests in: the binaries, the script that runs them, and the plan.

use std::error::Error;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::kernel::shell;
use super::machine::{Job, User};
use crate::suite::Size;
use crate::suite::user::account::Account;
use crate::suite::user::built::TestBinary;

/// Makes the directory below `dir`.
pub(super) fn make(
    dir: &Path,
    jobs: &[Job],
    account: &Account,
    size: Size,
    binaries: &[TestBinary],
) -> Result<PathBuf, Box<dyn Error>> {
    let share = dir.join("tests");
    fs::create_dir(&share)?;
    for path in [dir, &share] {
        fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
    }
    fs::copy(shell()?, share.join("busybox"))?;
    fs::write(share.join("tests"), include_str!("../../../guest/tests"))?;
    fs::write(share.join("plan"), plan(jobs, account, size))?;
    for job in jobs {
        let place = share.join(job.binary);
        if !place.exists() {
            let built = binaries.iter().find(|binary| binary.name.ends_with(&format!(":{}", job.binary)));
            let built = built.ok_or_else(|| format!("there is no test binary {}", job.binary))?;
            // A second name is as good as a copy, and the binaries are large.
            if fs::hard_link(&built.executable, &place).is_err() {
                fs::copy(&built.executable, &place)?;
            }
        }
    }
    Ok(share)
}

/// How many times slower than a developer's machine an emulated one may be.
const SLOWNESS: u32 = 8;

/// The plan as the guest's shell reads it: a call of `one` for each job.
fn plan(jobs: &[Job], account: &Account, size: Size) -> String {
    let mut plan = String::new();
    for job in jobs {
        if !job.prepare.is_empty() {
            plan.push_str(job.prepare);
            plan.push('\n');
        }
        let (who, groups) = match job.user {
            User::Root => ("0:0".to_owned(), "root"),
            User::Delegated => (format!("{}:{}", account.uid, account.gid), "delegated"),
            User::Ordinary => (format!("{}:{}", account.uid, account.gid), "foreign"),
        };
        let Job { label, binary, wrapper, arguments, patience, .. } = job;
        let seconds = patience.as_secs();
        plan.push_str(&format!(
            "one {label} {who} {groups} {seconds} EXECRES_TEST_SIZE={size} \
             EXECRES_TEST_SLOWNESS={SLOWNESS} {wrapper} \
             /run/execres/{binary} --show-output {arguments}\n"
        ));
    }
    plan
}
