use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use cap_std::ambient_authority;
use rustix::fs::{CWD, FileType, Mode};

use super::*;
use crate::digest::Sha256;

struct Fixture {
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["workspace", "source"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        Fixture { dir }
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.dir.path().join(path)
    }

    fn open(&self, name: &str) -> Dir {
        Dir::open_ambient_dir(self.at(name), ambient_authority()).unwrap()
    }

    fn copy_with(&self, caps: InputCaps, paths: &[&str]) -> Result<Vec<ManifestFile>, InputError> {
        let (workspace, source) = (self.open("workspace"), self.open("source"));
        let mut inputs = Inputs::new(&source, caps);
        for path in paths {
            inputs.copy(&workspace, &RelativePath::parse(path).unwrap())?;
        }
        Ok(inputs.finish().0)
    }

    fn code(&self, path: &str) -> &'static str {
        self.copy_with(InputCaps::default(), &[path]).unwrap_err().code()
    }
}

#[test]
fn files_and_trees_are_copied_with_empty_directories_and_digests() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.at("workspace/data/empty")).unwrap();
    fs::write(fixture.at("workspace/data/a.csv"), b"1,2").unwrap();
    fs::write(fixture.at("workspace/b"), b"b").unwrap();
    fs::set_permissions(fixture.at("workspace/b"), fs::Permissions::from_mode(0o4700)).unwrap();
    let listed = fixture.copy_with(InputCaps::default(), &["data", "b"]).unwrap();
    let listed: Vec<_> = listed.iter().map(|file| (file.path.as_str(), file.bytes, file.sha256)).collect();
    assert_eq!(listed, [("data/a.csv", 3, Sha256::of(b"1,2")), ("b", 1, Sha256::of(b"b"))]);
    assert!(fixture.at("source/data/empty").is_dir());
    let mode = |path: &str| fs::metadata(fixture.at(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!((mode("source/b"), mode("source/data")), (0o644, 0o755));
}

#[test]
fn links_pipes_and_devices_are_refused_by_name() {
    let fixture = Fixture::new();
    fs::write(fixture.at("secret"), b"s").unwrap();
    fs::create_dir(fixture.at("workspace/dir")).unwrap();
    fs::write(fixture.at("workspace/dir/file"), b"x").unwrap();
    symlink("../secret", fixture.at("workspace/link")).unwrap();
    symlink("..", fixture.at("workspace/way")).unwrap();
    fs::create_dir(fixture.at("workspace/with-link")).unwrap();
    symlink("../../secret", fixture.at("workspace/with-link/inner")).unwrap();
    rustix::fs::mkfifoat(CWD, fixture.at("workspace/fifo"), Mode::from_raw_mode(0o666)).unwrap();
    assert!(fixture.copy_with(InputCaps::default(), &["dir/file"]).is_ok(), "control");
    assert_eq!(fixture.code("link"), "workspace.input_not_a_file");
    assert_eq!(fixture.code("way/secret"), "workspace.input_link");
    assert_eq!(fixture.code("fifo"), "workspace.input_not_a_file");
    assert_eq!(fixture.code("none"), "workspace.input_missing");
    let error = fixture.copy_with(InputCaps::default(), &["with-link"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the input with-link/inner is a symbolic link: only regular files and directories are copied; name the file itself"
    );
    if rustix::process::geteuid().is_root() {
        let zero = rustix::fs::makedev(1, 5);
        let path = fixture.at("workspace/zero");
        rustix::fs::mknodat(CWD, path, FileType::CharacterDevice, Mode::from_raw_mode(0o666), zero).unwrap();
        assert_eq!(fixture.code("zero"), "workspace.input_not_a_file");
    } else {
        eprintln!("not run: making a device needs root");
    }
}

#[test]
fn what_would_be_hidden_or_collide_is_refused() {
    let fixture = Fixture::new();
    fs::create_dir_all(fixture.at("workspace/output")).unwrap();
    fs::create_dir_all(fixture.at("workspace/d")).unwrap();
    for name in ["output/a", "d/a", "d/A"] {
        fs::write(fixture.at("workspace").join(name), b"").unwrap();
    }
    assert_eq!(fixture.code("output/a"), "workspace.path_hidden");
    assert_eq!(fixture.code("d"), "workspace.path_collision");
    fs::write(fixture.at("workspace/d/line\nfeed"), b"").unwrap();
    fs::remove_file(fixture.at("workspace/d/A")).unwrap();
    assert_eq!(Fixture { dir: fresh_source(fixture.dir) }.code("d"), "workspace.path_invalid");
}

fn fresh_source(dir: tempfile::TempDir) -> tempfile::TempDir {
    fs::remove_dir_all(dir.path().join("source")).unwrap();
    fs::create_dir(dir.path().join("source")).unwrap();
    dir
}

#[test]
fn caps_hold() {
    let fixture = Fixture::new();
    for name in ["a", "b", "c"] {
        fs::write(fixture.at("workspace").join(name), [0; 10]).unwrap();
    }
    File::create(fixture.at("workspace/sparse")).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(fixture.code("sparse"), "workspace.input_too_large");
    let total = InputCaps { total_bytes: 20, ..InputCaps::default() };
    assert_eq!(fixture.copy_with(total, &["a", "b", "c"]).unwrap_err().code(), "workspace.inputs_too_large");
    let fixture = Fixture { dir: fresh_source(fixture.dir) };
    assert!(fixture.copy_with(total, &["a", "b"]).is_ok(), "control");
    let fixture = Fixture { dir: fresh_source(fixture.dir) };
    let entries = InputCaps { entries: 2, ..InputCaps::default() };
    assert_eq!(fixture.copy_with(entries, &["a", "b", "c"]).unwrap_err().code(), "workspace.inputs_too_many");
}

#[test]
fn an_open_file_lands_under_the_name_that_was_given() {
    let fixture = Fixture::new();
    let source = fixture.open("source");
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"data").unwrap();
    file.seek(SeekFrom::End(0)).unwrap();
    let mut inputs = Inputs::new(&source, InputCaps::default());
    let name = RelativePath::parse("data.csv").unwrap();
    inputs.copy_file(InputFile { name: name.clone(), file }).unwrap();
    let mut text = String::new();
    File::open(fixture.at("source/data.csv")).unwrap().read_to_string(&mut text).unwrap();
    assert_eq!(text, "data");
    let refused = inputs.copy_file(InputFile { name, file: File::open(Path::new("/dev/null")).unwrap() });
    assert_eq!(refused.unwrap_err().code(), "workspace.input_not_a_file");
}
