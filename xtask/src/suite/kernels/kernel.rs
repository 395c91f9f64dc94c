//! Debian's kernels: fetched once, and kept below the target directory with the few modules that a guest needs.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use super::archive::Archive;
use super::packages::Apt;
use crate::checkout::{Checkout, find_program};
use crate::process::Task;

/// Which kernel, by where Debian has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Release {
    /// The release's own.
    Stable,
    /// The newer one of its backports.
    Backports,
}

/// A kernel that can be booted.
#[derive(Debug)]
pub(super) struct Kernel {
    pub(super) release: Release,
    pub(super) image: PathBuf,
    modules: Vec<PathBuf>,
}

impl Release {
    pub(super) const ALL: &'static [Release] = &[Release::Stable, Release::Backports];

    fn directory(self) -> &'static str {
        match self {
            Release::Stable => "stable",
            Release::Backports => "backports",
        }
    }
}

/// What mounting a directory of the host's takes, and the overlay of a working copy.
const MODULES: &[&str] = &[
    "virtio",
    "virtio_ring",
    "virtio_pci",
    "virtio_pci_legacy_dev",
    "virtio_pci_modern_dev",
    "netfs",
    "fscache",
    "9pnet",
    "9pnet_virtio",
    "9p",
    "overlay",
];

/// The shell of a guest, which has to run where there is no library yet.
pub(super) fn shell() -> Result<PathBuf, Box<dyn Error>> {
    let busybox =
        find_program("busybox").ok_or("busybox is not installed (package busybox-static): `cargo xtask setup`")?;
    // A program that needs libraries names the loader that finds them.
    let needs_libraries = fs::read(&busybox)?.windows(LOADER.len()).any(|bytes| bytes == LOADER);
    if needs_libraries {
        return Err("busybox is not a static one: install the package busybox-static".into());
    }
    Ok(busybox)
}

const LOADER: &[u8] = b"/lib64/ld-linux-x86-64.so";

/// The kernel from the cache, or from the mirror.
pub(super) fn get(checkout: &Checkout, release: Release) -> Result<Kernel, Box<dyn Error>> {
    if std::env::consts::ARCH != "x86_64" {
        return Err("the machines are x86-64 ones".into());
    }
    let cache = checkout.target.join("kernels");
    let kept = cache.join(release.directory());
    if !kept.is_dir() {
        fs::create_dir_all(&cache)?;
        let dir = tempfile::Builder::new().prefix("fetching-").tempdir_in(&cache)?;
        let deb = Apt::new(dir.path())?.download("linux-image-amd64", dir.path(), release == Release::Backports)?;
        println!("    unpacking {}", deb.file_name().unwrap_or_default().to_string_lossy());
        let all = dir.path().join("all");
        unpack(&deb, &all)?;
        let chosen = dir.path().join("chosen");
        choose(&all, &chosen)?;
        // The name appears when everything is there.
        fs::rename(&chosen, &kept)?;
    }
    let modules = files_below(&kept).into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "ko"));
    Ok(Kernel { release, image: kept.join("vmlinuz"), modules: modules.collect() })
}

fn unpack(deb: &Path, into: &Path) -> Result<(), Box<dyn Error>> {
    let finished = Task::new("dpkg-deb").arg("-x").arg(deb).arg(into).capture()?;
    if finished.succeeded() { Ok(()) } else { Err(finished.stderr.into()) }
}

/// Copies the image and the modules out of an unpacked package, the modules without their compression.
fn choose(all: &Path, chosen: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir(chosen)?;
    for path in files_below(all) {
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
        if name.starts_with("vmlinuz-") {
            fs::copy(&path, chosen.join("vmlinuz"))?;
        }
        let Some((module, kind)) = name.split_once(".ko") else { continue };
        if !MODULES.contains(&module) {
            continue;
        }
        let copy = chosen.join(name);
        fs::copy(&path, &copy)?;
        if kind == ".xz" {
            let finished = Task::new("busybox").arg("unxz").arg(&copy).capture()?;
            if !finished.succeeded() {
                return Err(finished.stderr.into());
            }
        }
    }
    if chosen.join("vmlinuz").is_file() { Ok(()) } else { Err("the package has no kernel in it".into()) }
}

impl Kernel {
    /// The first file system of a guest: the script that finds the host's root, a shell for it, and the modules.
    pub(super) fn initramfs(&self) -> Result<Vec<u8>, Box<dyn Error>> {
        let mut archive = Archive::default();
        for directory in ["bin", "modules"] {
            archive.directory(directory);
        }
        archive.file("bin/busybox", &fs::read(shell()?)?);
        archive.file("init", include_bytes!("../../../guest/init"));
        for module in &self.modules {
            let name = module.file_name().unwrap_or_default().to_string_lossy();
            archive.file(&format!("modules/{name}"), &fs::read(module)?);
        }
        Ok(archive.finish())
    }
}

fn files_below(dir: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.file_type() {
            Ok(kind) if kind.is_dir() => files.extend(files_below(&entry.path())),
            Ok(kind) if kind.is_file() => files.push(entry.path()),
            _ => {}
        }
    }
    files.sort();
    files
}
