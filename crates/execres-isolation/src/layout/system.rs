//! The part of the root that every guest finds: the system's programs and libraries, a few files of `/etc`, `/proc`, `/dev`, and
//! empty places to write.

use std::path::Path;

use execres_core::Limits;

use super::{HOME, Layout, Place};
use crate::profile::{Access, ProfileError, Source};
use crate::sys::protocol;

/// Directories that are links into `/usr` on merged systems, and directories of their own elsewhere.
const TOP: &[&str] = &["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"];

/// Read-only roots that are shown where the host has them.
const ROOTS: &[&str] = &["/usr", "/nix/store"];

/// What programs need from `/etc`. Nothing in this list holds a secret on a system as it is installed.
const ETC: &[&str] = &[
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/pki/ca-trust/extracted",
    "/etc/pki/tls/certs",
    "/etc/ca-certificates",
    "/etc/crypto-policies",
    "/etc/mime.types",
    "/etc/protocols",
    "/etc/services",
    "/etc/fonts",
    "/etc/magic",
    "/etc/timezone",
    "/etc/os-release",
    "/etc/debian_version",
    "/etc/python3",
    "/etc/python3.11",
    "/etc/perl",
    "/etc/matplotlibrc",
    "/etc/java-8-openjdk",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/etc/java-25-openjdk",
    "/etc/terminfo",
];

/// Devices without which programs do not run. `/dev/tty` is not among them: there is no terminal.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What programs need from `/etc` where they see the host's own and not one that was written for them.
const ETC_IN_PLACE: &[&str] =
    &["/etc/passwd", "/etc/group", "/etc/nsswitch.conf", "/etc/hosts", "/etc/hostname", "/etc/localtime"];

/// The same places, opened where they are. There is no `/proc` among them: it would show the host's processes.
pub(super) fn add_in_place(layout: &mut Layout) -> Result<(), ProfileError> {
    for path in ROOTS.iter().chain(TOP).chain(ETC).chain(ETC_IN_PLACE).map(Path::new).filter(|path| path.exists()) {
        layout.readable.push(Place::of(Source::open(path)?));
    }
    for device in DEVICES.iter().map(Path::new) {
        layout.writable.push(Place::of(Source::open(device)?));
    }
    Ok(())
}

pub(super) fn add(layout: &mut Layout, limits: &Limits) -> Result<(), ProfileError> {
    for root in ROOTS.iter().map(Path::new).filter(|root| root.is_dir()) {
        bind(layout, root)?;
    }
    for top in TOP.iter().map(Path::new) {
        if let Ok(target) = std::fs::read_link(top) {
            layout.symlink(&target, top);
        } else if top.is_dir() {
            bind(layout, top)?;
        }
    }
    etc(layout)?;
    devices(layout, limits)?;

    let proc = Path::new("/proc");
    layout.directory(proc, 0o555);
    layout.line(proc).word(protocol::OP_PROC).relative(proc);

    for directory in ["/tmp", HOME] {
        layout.scratch(Path::new(directory), limits);
    }
    for empty in ["/run", "/var", "/var/lib", "/mnt", "/root"] {
        layout.directory(Path::new(empty), 0o755);
    }
    layout.symlink(Path::new("/tmp"), Path::new("/var/tmp"));
    layout.symlink(Path::new("/run"), Path::new("/var/run"));
    Ok(())
}

fn bind(layout: &mut Layout, path: &Path) -> Result<(), ProfileError> {
    let source = Source::open(path)?;
    layout.bind(&source, path, Access::Read);
    Ok(())
}

fn etc(layout: &mut Layout) -> Result<(), ProfileError> {
    for path in ETC.iter().map(Path::new) {
        // A link is made anew where it leads into a root that is shown, so `os-release` stays the link that it is.
        match std::fs::read_link(path) {
            Ok(target) => layout.symlink(&target, path),
            Err(_) if path.exists() => bind(layout, path)?,
            Err(_) => {}
        }
    }
    if let Ok(zone) = std::fs::read_link("/etc/localtime") {
        layout.symlink(&zone, Path::new("/etc/localtime"));
    } else if Path::new("/etc/localtime").is_file() {
        bind(layout, Path::new("/etc/localtime"))?;
    }
    let id = protocol::GUEST_ID;
    let files = [
        (
            "/etc/passwd",
            format!("execres:x:{id}:{id}:Execres guest:{HOME}:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n"),
        ),
        ("/etc/group", format!("execres:x:{id}:\nnogroup:x:65534:\n")),
        ("/etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files dns\n".to_owned()),
        ("/etc/hosts", "127.0.0.1 localhost execres\n::1 localhost\n".to_owned()),
        ("/etc/hostname", "execres\n".to_owned()),
        // The host's resolver is its own business; a run with the host's network gets it by a grant.
        ("/etc/resolv.conf", String::new()),
    ];
    for (path, content) in files {
        layout.file(Path::new(path), &content);
    }
    Ok(())
}

fn devices(layout: &mut Layout, limits: &Limits) -> Result<(), ProfileError> {
    for device in DEVICES.iter().map(Path::new) {
        bind(layout, device)?;
        layout.writable.push(Place::of(Source::open(device)?));
    }
    for (link, target) in [
        ("/dev/fd", "/proc/self/fd"),
        ("/dev/stdin", "/proc/self/fd/0"),
        ("/dev/stdout", "/proc/self/fd/1"),
        ("/dev/stderr", "/proc/self/fd/2"),
    ] {
        layout.symlink(Path::new(target), Path::new(link));
    }
    let terminals = Path::new("/dev/pts");
    layout.directory(terminals, 0o755);
    layout.line(terminals).word(protocol::OP_DEVPTS).relative(terminals);
    layout.symlink(Path::new("pts/ptmx"), Path::new("/dev/ptmx"));
    layout.writable.push(Place::made(terminals));
    layout.scratch(Path::new("/dev/shm"), limits);
    Ok(())
}
