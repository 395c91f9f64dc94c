//! The request of a run: everything that the launcher is told, as the blob that it reads.

use std::ffi::OsString;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use execres_core::NetworkMode;

use super::limits::resource_limits;
use crate::domain::Landlock;
use crate::error::LaunchError;
use crate::filter;
use crate::identity::Identity;
use crate::launcher::Launcher;
use crate::layer::{Layer, Layers};
use crate::layout::{HOME, Layout};
use crate::own_directory;
use crate::profile::{Confinement, Profile};
use crate::rung::Rung;
use crate::sandbox::Sandbox;
use crate::step::{Program, Stdin, Step};
use crate::sys::protocol;
use crate::sys::start;
use crate::wire::Wire;

impl Sandbox {
    pub(super) fn blob(
        &self,
        launcher: &Launcher,
        profile: &Profile,
        layout: &Layout,
        steps: &[Wire],
    ) -> Result<Wire, LaunchError> {
        let limits = &profile.limits;
        let mut blob = Wire::default();
        blob.word(protocol::BLOB_MAGIC).word(run_flags(profile, self.landlock, launcher.identity));
        blob.word(match profile.confinement {
            Confinement::Sandbox | Confinement::InPlace => {
                launcher.identity.to_take(profile.confinement == Confinement::Sandbox)
            }
            Confinement::Unconfined => protocol::KEEP_IDENTITY,
        });
        blob.long(u64::try_from(limits.wall_time.as_nanos()).unwrap_or(u64::MAX / 2));
        // Without a controller init looks itself, every 20 ms.
        let polled = launcher.slot.is_none();
        let looks = polled && profile.rung() == Rung::Full;
        blob.long(if looks { limits.memory } else { 0 }).long(if looks { 20_000_000 } else { 0 });
        layout.write(&mut blob);
        blob.word(layout.hand_up.len() as u32);
        for path in &layout.hand_up {
            blob.path(path);
        }
        self.landlock.write(layout, profile.network, &mut blob);
        let filter = filter::filter_of(filter_shape(profile))
            .map_err(|error| LaunchError::Request { reason: error.to_string() })?;
        blob.bytes(&filter.bytes());
        blob.word(steps.len() as u32);
        for step in steps {
            blob.append(step);
        }
        Ok(blob)
    }

    pub(super) fn wire_step(
        &self,
        launcher: &Launcher,
        profile: &Profile,
        own_directory: Option<&Path>,
        step: Step,
        outputs: [OwnedFd; 2],
        descriptors: &mut Descriptors,
    ) -> Result<Wire, LaunchError> {
        let stdin = match step.stdin {
            Stdin::Empty => std::fs::File::open("/dev/null").map_err(|error| request_failed(error_of(&error)))?.into(),
            Stdin::Bytes(bytes) => start::sealed_memfd(c"execres-stdin", &bytes, false)
                .map_err(|source| LaunchError::Launcher { stage: "writing the standard input", source })?,
        };
        if let Identity::Range { id } = launcher.identity {
            // Programs open `/dev/stdout` and `/dev/stderr`, which asks the pipe for its owner's permission.
            for output in &outputs {
                rustix::fs::fchown(output, Some(rustix::fs::Uid::from_raw(id)), None).map_err(request_failed)?;
            }
        }
        let stdin = descriptors.add(stdin);
        let [stdout, stderr] = outputs.map(|fd| descriptors.add(fd));
        let extra = step.extra.map_or(u32::MAX, |fd| descriptors.add(fd));

        let mut wire = Wire::default();
        match &step.program {
            Program::Path(path) => {
                wire.word(protocol::PROGRAM_PATH).word(0).path(path);
            }
            Program::Image => {
                let image = start::image_fd()
                    .and_then(|fd| fd.try_clone_to_owned())
                    .map_err(|source| LaunchError::Start { source })?;
                let index = descriptors.add(image);
                wire.word(protocol::PROGRAM_FD).word(index).text(b"");
            }
        }
        wire.word(stdin).word(stdout).word(stderr).word(extra).path(&step.directory);

        let limits = resource_limits(profile, launcher);
        wire.word(limits.len() as u32);
        for (resource, soft, hard) in limits {
            wire.word(resource).long(soft).long(hard);
        }
        wire.word(step.arguments.len() as u32);
        for argument in &step.arguments {
            wire.text(without_nul(argument.as_bytes())?);
        }
        let environment = environment(profile, own_directory, &step.environment);
        wire.word(environment.len() as u32);
        for (name, value) in &environment {
            if name.is_empty() || name.as_bytes().contains(&b'=') {
                return Err(LaunchError::Request { reason: format!("{name:?} cannot be the name of a variable") });
            }
            let mut line = name.as_bytes().to_vec();
            line.push(b'=');
            line.extend_from_slice(value.as_bytes());
            wire.text(without_nul(&line)?);
        }
        Ok(wire)
    }
}

pub(super) fn run_flags(profile: &Profile, landlock: Landlock, identity: Identity) -> u32 {
    // Abstract sockets belong to a network namespace. From ABI 6 on Landlock keeps runs that share one apart.
    const SCOPES_ABSTRACT_SOCKETS: i32 = 6;
    let network = match profile.network {
        NetworkMode::Loopback => protocol::RUN_LOOPBACK,
        // A profile that leaves the network namespace away does not get one of the run's own instead.
        NetworkMode::None
            if landlock.abi() < SCOPES_ABSTRACT_SOCKETS && profile.layers.has(Layer::NetworkNamespace) =>
        {
            protocol::RUN_OWN_NETWORK
        }
        _ => 0,
    };
    let groups = match identity {
        Identity::Range { .. } => protocol::RUN_DROP_GROUPS,
        Identity::Own { .. } => 0,
    };
    match profile.confinement {
        Confinement::Sandbox if profile.rung() == Rung::EmptyProc => {
            profile.layers.off_flags() | network | groups | protocol::RUN_EMPTY_PROC
        }
        Confinement::Sandbox => profile.layers.off_flags() | network | groups,
        Confinement::InPlace => profile.in_force().off_flags() | groups | protocol::RUN_IN_PLACE,
        Confinement::Unconfined => Layers::none().off_flags() | protocol::RUN_UNCONFINED,
    }
}

/// What the filter depends on.
pub(crate) fn filter_shape(profile: &Profile) -> filter::Shape {
    let setting = match profile.confinement {
        Confinement::Sandbox | Confinement::Unconfined => filter::Setting::Namespaces,
        Confinement::InPlace => filter::Setting::InPlace,
    };
    filter::Shape { network: profile.network, setting }
}

/// The guest's whole environment: a few names that every program expects, then the profile's, then the step's.
fn environment(
    profile: &Profile,
    own_directory: Option<&Path>,
    step: &[(OsString, OsString)],
) -> Vec<(OsString, OsString)> {
    let places = match own_directory {
        Some(own) => [own.join(own_directory::HOME), own.join(own_directory::TEMPORARY)],
        None => [HOME, "/tmp"].map(PathBuf::from),
    };
    let [home, temporary] = places.map(PathBuf::into_os_string);
    let guest = [
        ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
        ("HOME", home),
        ("TMPDIR", temporary),
        ("LANG", "C.UTF-8".into()),
        ("USER", "execres".into()),
        ("LOGNAME", "execres".into()),
    ]
    .into_iter()
    .map(|(name, value): (&str, OsString)| (name.into(), value));
    let mut all: std::collections::BTreeMap<OsString, OsString> = match profile.confinement {
        Confinement::Sandbox | Confinement::InPlace => guest.collect(),
        Confinement::Unconfined => std::collections::BTreeMap::new(),
    };
    all.extend(profile.environment.iter().map(|(name, value)| (name.into(), value.into())));
    all.extend(step.iter().cloned());
    all.into_iter().collect()
}

/// Descriptors of a run; what travels is their index, after the blob and the control socket.
#[derive(Debug, Default)]
pub(super) struct Descriptors(pub(super) Vec<OwnedFd>);

impl Descriptors {
    fn add(&mut self, fd: OwnedFd) -> u32 {
        debug_assert!(fd.as_raw_fd() >= 0);
        self.0.push(fd);
        self.0.len() as u32 + 1
    }
}

fn without_nul(text: &[u8]) -> Result<&[u8], LaunchError> {
    if text.contains(&0) {
        return Err(LaunchError::Request { reason: "an argument or variable has a NUL byte in it".into() });
    }
    Ok(text)
}

pub(super) fn request_failed(error: rustix::io::Errno) -> LaunchError {
    LaunchError::Launcher { stage: "preparing the request", source: error.into() }
}

fn error_of(error: &std::io::Error) -> rustix::io::Errno {
    rustix::io::Errno::from_io_error(error).unwrap_or(rustix::io::Errno::IO)
}
