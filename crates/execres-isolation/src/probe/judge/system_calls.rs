//! Attempts to reach what the filter refuses.

use execres_core::{Attempt, Verdict};

use super::{Case, errno_name, leaked, unproven, verified};
use crate::error::LaunchError;
use crate::filter;
use crate::layer::Layer;
use crate::sandbox::filter_shape;
use crate::sys::kernel;
use crate::sys::protocol::attempt;

impl Case<'_> {
    pub(super) fn system_calls(&self) -> Result<Vec<Attempt>, LaunchError> {
        let mut attempts = Vec::new();
        let name = "filter_seen_from_outside";
        attempts.push(match self.seen.status.get("Seccomp").map(String::as_str) {
            Some("2") => verified(name, "a filter is installed"),
            Some(_) => leaked(name, "no filter is installed"),
            None => unproven(name, "the guest's status could not be read"),
        });
        let shape = filter_shape(self.shape);
        let filter = filter::filter_of(shape).map_err(|error| LaunchError::Probe { reason: error.to_string() })?;
        let holes = filter::disagreements(&filter, shape);
        let name = "every_number_on_every_abi";
        // The evaluation says what the filter would do; that it is the one in force is the attempt before and those after.
        attempts.push(if !self.shape.layers.has(Layer::Seccomp) {
            leaked(name, "the filter was left away")
        } else if holes.is_empty() {
            verified(name, "the program refuses exactly what the policy refuses, native, x32 and i386 included")
        } else {
            leaked(name, format!("decided otherwise than the policy says: {}", holes.join("; ")))
        });
        let outside = kernel::answers_outside();
        for (name, what, refused) in [
            ("keyctl", attempt::KEYCTL, libc::EPERM),
            ("ptrace", attempt::PTRACE, libc::EPERM),
            ("io_uring_setup", attempt::IO_URING, libc::ENOSYS),
            ("clone3", attempt::CLONE3, libc::ENOSYS),
            ("mount", attempt::MOUNT, libc::EPERM),
            ("fcntl_setlease", attempt::LEASE, libc::EPERM),
            ("ioctl_tiocsti_with_high_bits", attempt::TIOCSTI, libc::EPERM),
        ] {
            let host = outside.iter().find(|(known, _)| *known == what).map_or(0, |(_, errno)| *errno);
            attempts.push(match self.said(what) {
                None => unproven(name, "the guest did not get to it"),
                Some(errno) if errno != refused => {
                    leaked(name, format!("the guest reached the kernel, which answered {}", errno_name(errno)))
                }
                Some(errno) if host == refused => Attempt::new(
                    name,
                    Verdict::HostDeniesToo { errno: errno_name(errno).into(), setting: None },
                    "the kernel answers the same outside",
                ),
                Some(errno) => verified(name, format!("{} inside, {} outside", errno_name(errno), errno_name(host))),
            });
        }
        #[cfg(target_arch = "x86_64")]
        attempts.push(match self.said(attempt::X32) {
            Some(libc::ENOSYS) => verified("x32_number", "ENOSYS"),
            Some(errno) => {
                leaked("x32_number", format!("the guest reached the kernel, which answered {}", errno_name(errno)))
            }
            None => unproven("x32_number", "the guest did not get to it"),
        });
        Ok(attempts)
    }
}
