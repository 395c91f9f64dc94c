//! Configurations: the profiles and sandboxes under which every attack is tried.

use std::path::Path;
use std::sync::Arc;

use execres_core::{Limits, NetworkMode};
use execres_isolation::{HandUp, Layers, Profile, ProfileError, Rung, Sandbox};
use execres_owner::OwnerRegistry;

use crate::scene::Scene;

/// One way in which guests are run.
#[derive(Debug, Clone)]
pub struct Configuration {
    /// As it is written in tables.
    pub name: &'static str,
    /// What it is, in words.
    pub about: &'static str,
    /// The sandbox that the attacks run in.
    pub sandbox: Arc<Sandbox>,
    /// The network of the runs.
    pub network: NetworkMode,
    /// What is granted.
    pub grants: Grants,
    /// Who else is there.
    pub company: Company,
    /// The rung of the ladder that the runs stand on.
    pub rung: Rung,
    /// The layers in force. All of them, but for tests that show what each is good for.
    pub layers: Layers,
}

/// What a configuration grants beside the programs and the bundle, which every guest may read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grants {
    /// Nothing.
    Nothing,
    /// A directory for writing, in place.
    Writable,
    /// The same, a working copy in place, and a scratch directory that is handed up.
    Everything,
}

/// Who else runs something at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Company {
    /// Nobody; the attack is aimed at a process of the host.
    Alone,
    /// Another owner, at whose run the attack is aimed.
    AnotherOwner,
}

/// Where a scratch directory that is handed up is for the guest.
pub(crate) const HANDED_UP: &str = "/handed-up";

impl Configuration {
    /// Nothing but programs to run: no network, no grants, alone, with every layer.
    pub fn new(name: &'static str, about: &'static str, sandbox: Arc<Sandbox>) -> Self {
        Configuration {
            name,
            about,
            sandbox,
            network: NetworkMode::None,
            grants: Grants::Nothing,
            company: Company::Alone,
            rung: Rung::Full,
            layers: Layers::all(),
        }
    }

    /// The configurations of the matrix.
    pub fn standard(owners: &Arc<OwnerRegistry>) -> Vec<Self> {
        let sandbox = || Sandbox::new(Some(Arc::clone(owners)));
        vec![
            Configuration::new("none", "no network, nothing granted", sandbox()),
            Configuration {
                network: NetworkMode::Loopback,
                ..Configuration::new("loopback", "a loopback network of the run's own", sandbox())
            },
            Configuration {
                grants: Grants::Everything,
                ..Configuration::new(
                    "granted",
                    "a directory for reading, one for writing, a working copy, and a directory that is handed up",
                    sandbox(),
                )
            },
            Configuration::new(
                "no controller",
                "no network, on a host that delegates no memory controller",
                Sandbox::without_controllers(Some(Arc::clone(owners))),
            ),
            Configuration {
                rung: Rung::EmptyProc,
                ..Configuration::new(
                    "empty proc",
                    "no network, on a host that allows no `/proc` of the run's own",
                    sandbox(),
                )
            },
            Configuration {
                rung: Rung::NoNamespaces,
                grants: Grants::Writable,
                ..Configuration::new(
                    "no namespaces",
                    "no network, a directory for writing, on a host that allows no namespaces",
                    sandbox(),
                )
            },
            Configuration {
                company: Company::AnotherOwner,
                ..Configuration::new(
                    "none, beside",
                    "no network, against another owner's run at the same time",
                    sandbox(),
                )
            },
            Configuration {
                company: Company::AnotherOwner,
                network: NetworkMode::Loopback,
                ..Configuration::new(
                    "loopback, beside",
                    "a loopback network, against another owner's run at the same time",
                    sandbox(),
                )
            },
        ]
    }

    /// The profile of a run without a scene: what evidence is taken of.
    pub(crate) fn shape(&self) -> Profile {
        Profile::deny_all().on_rung(self.rung).with_network(self.network).without_layers_dangerously(self.layers)
    }

    pub(crate) fn profile(&self, scene: &Scene, programs: &Path, limits: Limits) -> Result<Profile, ProfileError> {
        let in_place = |profile: Profile, path: &Path| profile.read(path, path);
        let profile = self.shape().with_limits(limits);
        let mut profile = in_place(in_place(profile, programs)?, &scene.bundle())?;
        if self.grants != Grants::Nothing {
            profile = profile.write(&scene.write(), &scene.write())?;
        }
        if self.grants == Grants::Everything {
            profile = profile.working_copy(&scene.copy(), &scene.copy())?;
            profile = profile.scratch(Path::new(HANDED_UP), HandUp::Yes)?;
        }
        Ok(profile)
    }
}
