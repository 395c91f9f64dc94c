//! Attempts to gain privilege.

use execres_core::{Attempt, Verdict};

use super::{Case, errno_name, leaked, unproven, verified};
use crate::identity::Identity;
use crate::profile::Confinement;
use crate::sys::protocol::attempt;

impl Case<'_> {
    pub(super) fn privileges(&self) -> Vec<Attempt> {
        let status = |name: &str| self.seen.status.get(name).map(String::as_str);
        let mut attempts = Vec::new();

        let name = "identity_seen_from_outside";
        attempts.push(match (self.seen.uid, self.identity) {
            (None, _) => unproven(name, "the kernel did not say who the guest is"),
            (Some(0), Identity::Range { .. }) => leaked(name, "the host's kernel takes the guest for root"),
            (Some(uid), Identity::Range { id }) if uid != id => leaked(name, format!("user {uid} instead of {id}")),
            // A host that is root in a namespace of its own and an ordinary user outside sees its guest as it sees itself; one
            // that is root outside never has this identity.
            (Some(uid), Identity::Own { uid: own, .. }) if uid != own => {
                leaked(name, format!("user {uid} instead of the caller's own"))
            }
            (Some(uid), _) => verified(name, format!("user {uid}, as the kernel tells the host")),
        });
        let name = "no_new_privs_seen_from_outside";
        attempts.push(match status("NoNewPrivs") {
            Some("1") => verified(name, "set"),
            Some(_) => leaked(name, "not set"),
            None => unproven(name, "the guest's status could not be read"),
        });
        let name = "capabilities_seen_from_outside";
        let sets: Vec<&str> =
            ["CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"].into_iter().filter_map(status).collect();
        let empty = sets.iter().all(|set| set.bytes().all(|digit| digit == b'0'));
        // An ordinary user's process cannot drop what bounds it, and with `no_new_privs` nothing comes back from there.
        let bounds_stay =
            self.shape.confinement == Confinement::InPlace && matches!(self.identity, Identity::Own { .. });
        let held = ["CapInh", "CapPrm", "CapEff", "CapAmb"].into_iter().filter_map(status);
        let held = held.filter(|set| set.bytes().any(|digit| digit != b'0')).count();
        attempts.push(match (sets.len(), empty) {
            (5, false) if bounds_stay && held == 0 && status("NoNewPrivs") == Some("1") => {
                verified(name, "the four sets that count are empty, and no_new_privs keeps the fifth from filling them")
            }
            (5, true) => verified(name, "all five sets are empty"),
            (5, false) => leaked(name, format!("not empty: {}", sets.join(" "))),
            _ => unproven(name, "the guest's status could not be read"),
        });
        if matches!(self.identity, Identity::Range { .. }) {
            let name = "groups_seen_from_outside";
            attempts.push(match status("Groups") {
                Some("") => verified(name, "none of the host's groups is left"),
                Some(groups) => leaked(name, format!("the guest is in the groups {groups}")),
                None => unproven(name, "the guest's status could not be read"),
            });
        }
        attempts.push(self.by_word("use_a_capability", attempt::CAPABILITY));

        let name = "nested_user_namespace";
        let moved = self.seen.user_namespace != self.seen.user_namespace_after;
        let errnos = (self.said(attempt::CLONE_USER), self.said(attempt::UNSHARE_USER));
        attempts.push(match errnos {
            _ if self.seen.user_namespace.is_none() => {
                unproven(name, "the guest's user namespace could not be looked at")
            }
            (Some(0), _) | (_, Some(0)) => leaked(name, "the guest made a user namespace"),
            _ if moved => leaked(name, "the guest is in another user namespace than before"),
            (Some(clone), Some(unshare)) => verified(
                name,
                format!(
                    "the host sees the same namespace as before; clone got {}, unshare got {}",
                    errno_name(clone),
                    errno_name(unshare)
                ),
            ),
            _ => unproven(name, "the guest did not get to it"),
        });
        if self.canaries.has_set_uid {
            let name = "set_uid_program_of_root";
            let gained = |ids: &String| ids.split_ascii_whitespace().any(|id| id == "0");
            attempts.push(match &self.seen.set_uid_ids {
                Some(ids) if gained(ids) => leaked(name, format!("it ran as root: {ids}")),
                Some(ids) => verified(name, format!("it ran without gaining anything: user ids {ids}")),
                // A place for temporary files that allows no programs is a common hardening, and then there is no such file for
                // the guest outside either. What would keep it from gaining anything is proven above.
                None if self.said(attempt::SET_UID_EXEC) == Some(libc::EACCES) => Attempt::new(
                    name,
                    Verdict::HostDeniesToo { errno: "EACCES".into(), setting: Some("noexec".into()) },
                    "no program can be started where this host puts temporary files",
                ),
                None if self.said(attempt::SET_UID_EXEC).is_some_and(|errno| errno != 0) => {
                    verified(name, format!("it did not start: {}", self.said_in_words(attempt::SET_UID_EXEC)))
                }
                None => unproven(name, "it did not report"),
            });
        }
        attempts
    }
}
