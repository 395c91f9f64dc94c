//! The mounts that this process sees.

use std::path::{Path, PathBuf};

/// One line of `/proc/self/mountinfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Mount {
    pub(super) point: PathBuf,
    pub(super) file_system: String,
    /// Options of the mount, such as `ro` and `noexec`.
    pub(super) options: Vec<String>,
    /// Options of the file system, such as the controllers of a version 1 hierarchy.
    pub(super) super_options: Vec<String>,
}

impl Mount {
    pub(super) fn is_read_only(&self) -> bool {
        self.options.iter().chain(&self.super_options).any(|option| option == "ro")
    }
}

/// All of them, in the order in which they were made.
#[derive(Debug, Clone, Default)]
pub(super) struct Mounts(pub(super) Vec<Mount>);

impl Mounts {
    pub(super) fn of_this_process() -> Self {
        std::fs::read_to_string("/proc/self/mountinfo").map(|text| Mounts::parse(&text)).unwrap_or_default()
    }

    /// Lines that are not as `proc_pid_mountinfo(5)` describes them are left out.
    pub(super) fn parse(text: &str) -> Self {
        let mount = |line: &str| {
            let (before, after) = line.split_once(" - ")?;
            let before: Vec<&str> = before.split(' ').collect();
            let mut after = after.split(' ');
            let list = |text: &str| text.split(',').map(str::to_owned).collect();
            Some(Mount {
                point: unescape(before.get(4)?).into(),
                file_system: after.next()?.to_owned(),
                options: list(before.get(5)?),
                super_options: list(after.nth(1).unwrap_or_default()),
            })
        };
        Mounts(text.lines().filter_map(mount).collect())
    }

    /// The mount that is on top at this very place.
    pub(super) fn at(&self, point: &Path) -> Option<&Mount> {
        self.0.iter().rev().find(|mount| mount.point == point)
    }
}

/// The kernel writes blanks and backslashes of paths as three octal digits.
fn unescape(text: &str) -> String {
    let mut parts = text.split('\\');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let code = part.get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match code {
            Some(code) => {
                plain.push(char::from(code));
                plain.push_str(&part[3..]);
            }
            None => {
                plain.push('\\');
                plain.push_str(part);
            }
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_options_and_escapes_are_read() {
        let text = "36 35 98:0 /mnt1 /mnt\\0402 rw,noexec master:1 - ext3 /dev/root rw,errors=continue\nnonsense\n\
                    31 23 0:28 / /sys/fs/cgroup/memory ro,relatime - cgroup cgroup rw,memory\n";
        let mounts = Mounts::parse(text);
        assert_eq!(mounts.0.len(), 2);
        assert_eq!(mounts.0[0].point, Path::new("/mnt 2"));
        assert_eq!(mounts.0[0].options, ["rw", "noexec"]);
        assert!(!mounts.0[0].is_read_only());
        let memory = mounts.at(Path::new("/sys/fs/cgroup/memory")).unwrap();
        assert!(memory.is_read_only() && memory.super_options.contains(&"memory".to_owned()));
    }
}
