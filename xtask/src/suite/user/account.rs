//! The unprivileged account of the suite `user`.

use std::ffi::OsStr;
use std::fs;

use crate::process::Task;

/// The account that the set-up step makes, and the one that every system has.
pub(crate) const OWN: &str = "execres-test";
const FALLBACK: &str = "nobody";

/// An account of this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) name: String,
    pub(crate) uid: u32,
    pub(crate) gid: u32,
}

impl Account {
    /// A program as this account, without root's groups.
    pub(crate) fn task(&self, program: impl AsRef<OsStr>) -> Task {
        // Found by its full path, because the task may run with another search path than ours.
        let setpriv = crate::checkout::find_program("setpriv").unwrap_or_else(|| "setpriv".into());
        Task::new(setpriv)
            .args([format!("--reuid={}", self.uid), format!("--regid={}", self.gid), "--clear-groups".into()])
            .arg("--")
            .arg(program)
    }
}

/// The account to run as.
pub(crate) fn find() -> Option<Account> {
    let passwd = fs::read_to_string("/etc/passwd").ok()?;
    look_up(&passwd, OWN).or_else(|| look_up(&passwd, FALLBACK))
}

/// Whether the account of our own is there.
pub(crate) fn own_exists() -> bool {
    fs::read_to_string("/etc/passwd").is_ok_and(|passwd| look_up(&passwd, OWN).is_some())
}

fn look_up(passwd: &str, name: &str) -> Option<Account> {
    let line = passwd.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    let uid = fields.next()?.parse().ok().filter(|uid| *uid != 0)?;
    Some(Account { name: name.to_owned(), uid, gid: fields.next()?.parse().ok()? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_ids_and_refuses_root() {
        let passwd = "root:x:0:0::/root:/bin/sh\nnobody:x:65534:65533::/:/bin/false\nsly:x:0:7::/:/bin/sh\n";
        assert_eq!(look_up(passwd, "nobody"), Some(Account { name: "nobody".into(), uid: 65534, gid: 65533 }));
        assert_eq!(look_up(passwd, "sly"), None);
        assert_eq!(look_up(passwd, "absent"), None);
    }
}
