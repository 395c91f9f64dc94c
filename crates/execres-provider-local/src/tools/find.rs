//! Finding the binary behind a name.

use std::ffi::OsStr;
use std::fs;
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use execres_code::{BinaryKind, ToolSpec};

/// A binary with what it needs beyond the system's roots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) path: PathBuf,
    pub(super) roots: Vec<PathBuf>,
}

/// Roots that every sandbox shows.
const SYSTEM: [&str; 7] = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/nix/store"];

/// The first binary on the search path, and the scripts that stood before it.
pub(super) fn search(spec: &ToolSpec, search_path: &OsStr) -> (Option<Found>, Vec<PathBuf>) {
    let mut shims = Vec::new();
    for place in spec.places(search_path) {
        match kind_of(&place) {
            Some(BinaryKind::Elf) => {
                if let Some(found) = named(&place) {
                    return (Some(found), shims);
                }
            }
            Some(BinaryKind::Script { .. }) => shims.push(place),
            _ => {}
        }
    }
    (None, shims)
}

/// The tool at this very place, which has to be a binary or a link to one.
pub(super) fn named(place: &Path) -> Option<Found> {
    if kind_of(place)? != BinaryKind::Elf {
        return None;
    }
    let binary = place.canonicalize().ok()?;
    if let Some(environment) = virtual_environment(place) {
        let mut roots = vec![environment];
        roots.extend(roots_of(&binary));
        return Some(Found { path: place.to_owned(), roots });
    }
    // Every hop of a chain of links would have to be granted to use its first one. The binary itself does as well, and the
    // system's own links are there in any case.
    let path = if is_system(place) && is_system(&binary) { place.to_owned() } else { binary.clone() };
    Some(Found { path, roots: roots_of(&binary) })
}

/// Whether a script is there that can be run.
pub(super) fn is_script(place: &Path) -> bool {
    matches!(kind_of(place), Some(BinaryKind::Script { .. }))
}

fn kind_of(place: &Path) -> Option<BinaryKind> {
    let file = fs::File::open(place).ok()?;
    let metadata = file.metadata().ok()?;
    if !metadata.is_file() || metadata.permissions().mode() & 0o111 == 0 {
        return None;
    }
    let mut prefix = Vec::new();
    file.take(BinaryKind::PREFIX_BYTES as u64).read_to_end(&mut prefix).ok()?;
    Some(BinaryKind::of(&prefix))
}

fn is_system(path: &Path) -> bool {
    SYSTEM.iter().any(|root| path.starts_with(root))
}

/// What a binary outside the system's roots needs: its installation where the binary's surroundings prove that it is one, and
/// nothing but itself otherwise. A guess by the name of a directory could grant a home.
fn roots_of(binary: &Path) -> Vec<PathBuf> {
    if is_system(binary) {
        return Vec::new();
    }
    let prefix = binary.parent().filter(|bin| bin.ends_with("bin")).and_then(Path::parent);
    match prefix.filter(|prefix| is_installation(prefix)) {
        Some(prefix) => vec![prefix.to_owned()],
        None => vec![binary.to_owned()],
    }
}

/// An installation of Python has its standard library, one of Node.js its package manager.
fn is_installation(prefix: &Path) -> bool {
    let python = || {
        let libraries = fs::read_dir(prefix.join("lib")).into_iter().flatten().flatten();
        libraries.map(|entry| entry.path()).any(|library| library.join("os.py").is_file())
    };
    prefix.join("lib/node_modules/npm/package.json").is_file() || python()
}

/// The virtual environment that a place belongs to.
fn virtual_environment(place: &Path) -> Option<PathBuf> {
    let directory = place.parent()?.parent()?;
    directory.join("pyvenv.cfg").is_file().then(|| directory.to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use execres_code::ToolId;

    use super::*;

    fn executable(path: &Path, content: &[u8]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn shims_are_passed_over_and_directories_and_data_are_no_tools() {
        let dir = tempfile::tempdir().unwrap();
        let (a, b, c) = (dir.path().join("a"), dir.path().join("b"), dir.path().join("c"));
        executable(&a.join("python3"), b"#!/bin/sh\nexec pyenv\n");
        fs::create_dir_all(b.join("python3")).unwrap();
        executable(&c.join("python3"), b"\x7fELF");
        let path = std::env::join_paths([&a, &b, &c]).unwrap();
        let (found, shims) = search(ToolSpec::of(&ToolId::PYTHON).unwrap(), &path);
        let binary = c.join("python3").canonicalize().unwrap();
        assert_eq!(found, Some(Found { path: binary.clone(), roots: vec![binary] }));
        assert_eq!(shims, [a.join("python3")]);
    }

    #[test]
    fn an_installation_is_granted_where_it_proves_to_be_one() {
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().canonicalize().unwrap();
        let binary = home.join("bin/python3.12");
        executable(&binary, b"\x7fELF");
        assert_eq!(
            named(&binary).unwrap().roots,
            std::slice::from_ref(&binary),
            "a bin directory alone proves nothing"
        );
        fs::create_dir_all(home.join("lib/python3.12")).unwrap();
        fs::write(home.join("lib/python3.12/os.py"), "").unwrap();
        assert_eq!(named(&binary).unwrap().roots, std::slice::from_ref(&home));

        let environment = home.join("project/.venv");
        fs::create_dir_all(environment.join("bin")).unwrap();
        fs::write(environment.join("pyvenv.cfg"), "home = x\n").unwrap();
        symlink(&binary, environment.join("bin/python")).unwrap();
        let found = named(&environment.join("bin/python")).unwrap();
        assert_eq!(found, Found { path: environment.join("bin/python"), roots: vec![environment, home] });
    }
}
