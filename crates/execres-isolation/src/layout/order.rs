//! The order in which a profile's places are made: what lies deeper comes later, so that nothing is buried under what is granted
//! around it, and an alias comes after what it shows.

use std::path::Path;

use crate::profile::Mount;

/// The mounts in that order. Those of one depth stay in the order of the profile, so the last word on one place holds.
pub(super) fn in_order(mounts: &[Mount]) -> Vec<&Mount> {
    // After everything of the depth of its own and of what it shows, and after everything that covers parts of that.
    let alias_turn = |at: &Path, of: &Path| {
        let below = mounts.iter().filter(|mount| mount.shown().is_none() && mount.at().starts_with(of));
        let deepest = below.map(|mount| depth(mount.at())).max().unwrap_or(0);
        2 * deepest.max(depth(at)).max(depth(of)) + 1
    };
    let aliases: Vec<(&Path, usize)> =
        mounts.iter().filter_map(|mount| mount.shown().map(|of| (mount.at(), alias_turn(mount.at(), of)))).collect();
    let turn = |mount: &&Mount| match mount.shown() {
        Some(of) => alias_turn(mount.at(), of),
        None => {
            let below = aliases.iter().filter(|(at, _)| mount.at() != *at && mount.at().starts_with(at));
            let after = below.map(|(_, turn)| turn + 1).max().unwrap_or(0);
            (2 * depth(mount.at())).max(after)
        }
    };
    let mut ordered: Vec<&Mount> = mounts.iter().collect();
    ordered.sort_by_key(turn);
    ordered
}

fn depth(path: &Path) -> usize {
    path.components().count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::{HandUp, Profile};

    fn order(profile: &Profile) -> Vec<String> {
        in_order(&profile.mounts).iter().map(|mount| mount.at().display().to_string()).collect()
    }

    #[test]
    fn deeper_places_come_later_and_aliases_after_what_they_show() {
        let scratch = |profile: Profile, at: &str| profile.scratch(Path::new(at), HandUp::No).unwrap();
        let alias = |profile: Profile, of: &str, at: &str| profile.alias(Path::new(of), Path::new(at)).unwrap();
        let profile = scratch(Profile::deny_all(), "/a/b/c");
        let profile = alias(profile, "/a/b/c", "/x");
        let profile = scratch(profile, "/x/y");
        let profile = scratch(profile, "/a");
        let profile = scratch(profile, "/z");
        assert_eq!(order(&profile), ["/a", "/z", "/a/b/c", "/x", "/x/y"]);
    }
}
