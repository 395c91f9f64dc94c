//! What is set out for one try of an attack: canaries that must stay as they are, and places that are granted.

use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use crate::attack::{Attack, Canary};
use crate::outside::{Guest, Told};
use crate::programs::Programs;
use crate::snapshot::{Depth, Snapshot};

/// The places and secrets of one try. They are gone when it is dropped.
#[derive(Debug)]
pub(crate) struct Scene {
    directory: PathBuf,
    /// What must not appear in the output of the attack.
    pub(crate) token: String,
    /// What every process of the attack is told.
    pub(crate) marker: String,
    key: u32,
}

impl Scene {
    pub(crate) fn set(base: &Path, guest: Guest, attack: &Attack, programs: &Programs) -> io::Result<Self> {
        let token = format!("secret-{}", uuid::Uuid::new_v4().simple());
        let name = uuid::Uuid::new_v4().simple().to_string();
        let key = u32::from_str_radix(&name[..6], 16).unwrap_or(0) | 0x4558_0000;
        let scene = Scene { directory: base.join(&name), token, marker: format!("marker-{name}"), key };
        fs::create_dir(&scene.directory)?;
        fs::set_permissions(&scene.directory, fs::Permissions::from_mode(0o755))?;
        scene.outside_files()?;
        scene.granted_files(attack, programs)?;
        for place in ["outside", "bundle", "write", "copy"] {
            give(&scene.directory.join(place), guest)?;
        }
        let rootonly = scene.directory.join("rootonly");
        fs::create_dir(&rootonly)?;
        fs::set_permissions(rootonly, fs::Permissions::from_mode(0o700))?;
        scene.privileged(attack, programs)?;
        Ok(scene)
    }

    fn outside_files(&self) -> io::Result<()> {
        let outside = self.outside();
        fs::create_dir_all(outside.join("names").join(&self.token))?;
        fs::create_dir(outside.join("directory"))?;
        fs::write(outside.join("secret"), &self.token)?;
        // Where the file system has no attributes, the control says so.
        let (name, none) = ("user.execres", rustix::fs::XattrFlags::empty());
        rustix::fs::setxattr(outside.join("secret"), name, self.token.as_bytes(), none).ok();
        fs::write(outside.join("target"), "untouched")?;
        fs::write(outside.join("second"), "untouched too")?;
        symlink(&self.token, outside.join("link"))?;
        fs::write(outside.join("program"), format!("#!/bin/sh\necho {}\n", self.token))
    }

    fn granted_files(&self, attack: &Attack, programs: &Programs) -> io::Result<()> {
        let bundle = self.bundle();
        fs::create_dir_all(bundle.join(".git/hooks"))?;
        fs::write(bundle.join("target"), "untouched")?;
        fs::create_dir_all(self.write().join("source"))?;
        fs::write(self.write().join("source/secret"), "harmless")?;
        fs::create_dir_all(self.copy().join(".git/hooks"))?;
        fs::write(self.copy().join("target"), "untouched")?;
        if !attack.canaries.is_empty()
            && let Ok(program) = programs.compiled("privileged")
        {
            fs::copy(program, bundle.join("privileged"))?;
        }
        Ok(())
    }

    /// Marks the program that is privileged, when the host has the privilege to do so.
    fn privileged(&self, attack: &Attack, programs: &Programs) -> io::Result<()> {
        let program = self.bundle().join("privileged");
        if !rustix::process::geteuid().is_root() || programs.compiled("privileged").is_err() || !program.exists() {
            return Ok(());
        }
        std::os::unix::fs::chown(&program, Some(0), Some(0))?;
        if attack.canaries.contains(&Canary::SetUid) {
            fs::set_permissions(&program, fs::Permissions::from_mode(0o4755))?;
        }
        if attack.canaries.contains(&Canary::FileCapabilities) {
            fs::set_permissions(&program, fs::Permissions::from_mode(0o755))?;
            // Version 2 of the attribute, effective; CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH permitted.
            let words: [u32; 5] = [0x0200_0001, 0b110, 0, 0, 0];
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            // Where the file system has no attributes, the control does not work and says so.
            rustix::fs::setxattr(&program, "security.capability", &bytes, rustix::fs::XattrFlags::empty()).ok();
        }
        Ok(())
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.directory.join("outside")
    }

    pub(crate) fn bundle(&self) -> PathBuf {
        self.directory.join("bundle")
    }

    pub(crate) fn write(&self) -> PathBuf {
        self.directory.join("write")
    }

    pub(crate) fn copy(&self) -> PathBuf {
        self.directory.join("copy")
    }

    /// Everything that no attack may change.
    pub(crate) fn snapshot(&self) -> [Snapshot; 4] {
        [
            Snapshot::of(&self.outside(), Depth::Inodes),
            Snapshot::of(&self.bundle(), Depth::Inodes),
            Snapshot::of(&self.directory.join("rootonly"), Depth::Inodes),
            Snapshot::of(&self.copy(), Depth::Content),
        ]
    }

    /// What an attack is told.
    pub(crate) fn attack(&self, programs: &Path) -> Told {
        let path = |path: PathBuf| path.display().to_string();
        let mut told: Told = [
            ("OUTSIDE", path(self.outside())),
            ("BUNDLE", path(self.bundle())),
            ("WRITE", path(self.write())),
            ("COPY", path(self.copy())),
            ("ROOTONLY", path(self.directory.join("rootonly"))),
            ("PROGRAMS", path(programs.to_owned())),
            ("MARKER", self.marker.clone()),
        ]
        .map(|(name, value)| (format!("ATTACK_{name}"), value))
        .into();
        let victim = self.victim();
        for name in ["UNIX", "ABSTRACT", "KEY", "QUEUE", "SHM"] {
            told.insert(format!("ATTACK_{name}"), victim[&format!("VICTIM_{name}")].clone());
        }
        told
    }

    /// What the victim is told.
    pub(crate) fn victim(&self) -> Told {
        let name = format!("execres-attacks-{:x}-{}", self.key, &self.marker[7..19]);
        [
            ("TOKEN", self.token.clone()),
            ("UNIX", self.directory.join("outside/socket").display().to_string()),
            // The name is a secret as well: a list of sockets would show it.
            ("ABSTRACT", format!("{}-socket", self.token)),
            ("KEY", format!("{:#x}", self.key)),
            ("QUEUE", format!("/{name}")),
            ("SHM", format!("/dev/shm/{name}")),
        ]
        .map(|(name, value)| (format!("VICTIM_{name}"), value))
        .into()
    }
}

impl Drop for Scene {
    fn drop(&mut self) {
        remove(&self.directory);
    }
}

/// Gives a directory and all below it to the guest, open to everybody.
fn give(path: &Path, guest: Guest) -> io::Result<()> {
    if let Guest::Id(id) = guest {
        std::os::unix::fs::lchown(path, Some(id), Some(id))?;
    }
    let meta = path.symlink_metadata()?;
    if meta.is_symlink() {
        return Ok(());
    }
    fs::set_permissions(path, fs::Permissions::from_mode(if meta.is_dir() { 0o777 } else { 0o777 & !0o020 }))?;
    if meta.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), guest)?;
        }
    }
    Ok(())
}

/// Removes a tree whose names and modes are an attacker's. What cannot be removed stays in a temporary directory.
fn remove(path: &Path) {
    if fs::remove_dir_all(path).is_ok() {
        return;
    }
    open_up(path);
    fs::remove_dir_all(path).ok();
}

fn open_up(path: &Path) {
    if path.symlink_metadata().is_ok_and(|meta| meta.is_dir()) {
        fs::set_permissions(path, fs::Permissions::from_mode(0o700)).ok();
        for entry in fs::read_dir(path).into_iter().flatten().flatten() {
            open_up(&entry.path());
        }
    }
}
