//! Attempts on the host's files.

use execres_core::Attempt;

use super::{Case, errno_name, leaked, unproven, verified};
use crate::sys::protocol::attempt;

impl Case<'_> {
    pub(super) fn files(&self) -> Vec<Attempt> {
        let write_control = || self.control(1);
        let touched = |name: &str| !self.canaries.is_untouched(name);
        let made = |name: &str| !self.canaries.is_absent(name);
        let mut attempts = vec![
            self.read_outside(),
            self.by_effect(
                "write_outside",
                attempt::WRITE_OUTSIDE,
                touched("write"),
                write_control(),
                "the file changed",
            ),
            self.by_effect(
                "truncate_outside",
                attempt::TRUNCATE_OUTSIDE,
                touched("truncate"),
                write_control(),
                "the file was cut",
            ),
            self.by_effect(
                "create_outside",
                attempt::CREATE_OUTSIDE,
                made("created"),
                write_control(),
                "a file was made",
            ),
            self.by_effect(
                "change_mode_outside",
                attempt::CHMOD_OUTSIDE,
                touched("mode"),
                self.own_file(),
                "the mode changed",
            ),
            self.by_effect(
                "change_times_outside",
                attempt::TIMES_OUTSIDE,
                touched("times"),
                self.own_file(),
                "the times changed",
            ),
            self.by_effect(
                "set_attribute_outside",
                attempt::XATTR_OUTSIDE,
                touched("xattr"),
                write_control(),
                "an extended attribute was set",
            ),
            self.by_effect(
                "link_outside",
                attempt::LINK_OUTSIDE,
                touched("link") || made("linked"),
                write_control(),
                "a link was made",
            ),
            self.by_effect(
                "rename_outside",
                attempt::RENAME_OUTSIDE,
                touched("rename") || made("renamed"),
                write_control(),
                "the file was renamed",
            ),
            self.by_effect(
                "remove_outside",
                attempt::UNLINK_OUTSIDE,
                touched("unlink"),
                write_control(),
                "the file was removed",
            ),
            self.by_effect(
                "write_through_proc_root",
                attempt::WRITE_THROUGH_PROC,
                touched("through"),
                write_control(),
                "the file changed",
            ),
            self.core_pattern(),
        ];
        // Three ways at one file, whose state shows when any of them worked.
        for (name, what) in [
            ("change_mode_of_readable_file_by_descriptor", attempt::MODE_BY_DESCRIPTOR),
            ("change_times_of_readable_file_by_descriptor", attempt::TIMES_BY_DESCRIPTOR),
            ("set_attribute_of_readable_file_by_descriptor", attempt::XATTR_BY_DESCRIPTOR),
        ] {
            attempts.push(self.by_effect(name, what, touched("granted"), self.own_file(), "the file changed"));
        }
        if self.landlock > 0 {
            attempts.push(self.by_effect(
                "write_where_only_landlock_forbids",
                attempt::LANDLOCK_CANARY,
                touched("landlock"),
                write_control(),
                "the file changed",
            ));
        }
        // Without this, a guest that can do nothing at all would pass.
        if self.said(attempt::WRITE_SCRATCH) != Some(0) {
            attempts.push(unproven(
                "write_where_granted",
                format!("writing where it is granted failed: {}", self.said_in_words(attempt::WRITE_SCRATCH)),
            ));
        }
        attempts
    }

    /// Mode and times belong to the owner, so only an attempt under the owner's identity could have worked.
    fn own_file(&self) -> Result<(), String> {
        self.control(5)
    }

    fn read_outside(&self) -> Attempt {
        let name = "read_outside";
        match (self.seen.said.get(&attempt::READ_SECRET), self.control(0)) {
            (Some((_, value)), _) if *value == self.canaries.secret => {
                leaked(name, "the guest read a secret of the host's")
            }
            (Some((0, _)), _) => leaked(name, "the guest opened a file of the host's"),
            (Some((errno, _)), Ok(())) => verified(
                name,
                format!("the guest got {} for a file that its identity could read outside", errno_name(*errno)),
            ),
            (Some(_), Err(why)) => unproven(name, why),
            (None, _) => unproven(name, "the guest did not get to it"),
        }
    }

    fn core_pattern(&self) -> Attempt {
        let name = "open_core_pattern_for_writing";
        let unchanged = std::fs::read_to_string("/proc/sys/kernel/core_pattern").ok() == self.canaries.core_pattern;
        match self.said(attempt::CORE_PATTERN) {
            Some(0) => leaked(name, "the guest opened it for writing"),
            _ if !unchanged => leaked(name, "it changed"),
            Some(errno) => verified(name, format!("unchanged; the guest got {}", errno_name(errno))),
            None => unproven(name, "the guest did not get to it"),
        }
    }
}
