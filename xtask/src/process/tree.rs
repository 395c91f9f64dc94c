//! Ending a hung task with everything that it started.

use std::collections::HashMap;
use std::fs;

use rustix::process::{Pid, Signal, kill_process};

/// Kills a process and all its descendants.
///
/// The task stays in the terminal's process group, so that an interrupt from the keyboard reaches it; that is why its
/// tree is looked up in `/proc` instead of being killed as a group.
pub(super) fn kill(root: u32) {
    let mut doomed = vec![root];
    let children = children_by_parent();
    let mut next = 0;
    while let Some(parent) = doomed.get(next) {
        doomed.extend(children.get(parent).into_iter().flatten());
        next += 1;
    }
    for id in doomed {
        if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw)
            && let Err(error) = kill_process(pid, Signal::KILL)
            && error != rustix::io::Errno::SRCH
        {
            eprintln!("xtask: could not end process {id}: {error}");
        }
    }
}

fn children_by_parent() -> HashMap<u32, Vec<u32>> {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        if let Some(parent) = parent_of(&stat) {
            children.entry(parent).or_default().push(id);
        }
    }
    children
}

/// The parent's id in a line of `/proc/*/stat`; the program's name before it may hold spaces and parentheses.
fn parent_of(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_hide_the_parent() {
        assert_eq!(parent_of("12 (a) (b c) S 7 12 12 0"), Some(7));
        assert_eq!(parent_of("garbage"), None);
    }
}
