//! Where the attempts are made: directories and a canary that nobody else has.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use crate::bubblewrap::Roots;

const CANARY: &str = "content of the canary";

/// A private directory with roots as a grant has them, and a file beside them. It goes with its drop.
#[derive(Debug)]
pub(crate) struct Scene {
    source: PathBuf,
    build: PathBuf,
    output: PathBuf,
    canary: PathBuf,
    all: PathBuf,
}

impl Scene {
    pub(crate) fn set() -> io::Result<Self> {
        let all = std::env::temp_dir().join(format!("bubblewrap-probe-{}", uuid::Uuid::new_v4().simple()));
        let at = |name: &str| all.join(name);
        let scene = Scene {
            source: at("source"),
            build: at("build"),
            output: at("output"),
            canary: at("canary"),
            all: all.clone(),
        };
        let mut private = DirBuilder::new();
        private.mode(0o700).create(&all)?;
        for directory in [&scene.source, &scene.build, &scene.output, &scene.source.join("output")] {
            private.create(directory)?;
        }
        fs::write(&scene.canary, CANARY)?;
        Ok(scene)
    }

    pub(crate) fn roots(&self) -> Roots<'_> {
        Roots { source: &self.source, build: &self.build, output: &self.output, hostname: "bubblewrap" }
    }

    pub(super) fn canary(&self) -> &Path {
        &self.canary
    }

    pub(super) fn canary_changed(&self) -> bool {
        fs::read(&self.canary).is_ok_and(|content| content != CANARY.as_bytes())
    }

    /// Whether what was made in the output belongs to whom the scene belongs to.
    pub(super) fn made_by_us(&self) -> bool {
        let owner = |path: &Path| fs::metadata(path).map(|metadata| metadata.uid());
        matches!((owner(&self.output.join("made")), owner(&self.all)), (Ok(one), Ok(other)) if one == other)
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        // What cannot be removed is a few empty files in the directory for temporary ones.
        if let Err(error) = fs::remove_dir_all(&self.all) {
            drop(error);
        }
    }
}
