use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use cap_std::ambient_authority;
use rustix::fs::{CWD, FileType, Mode};

use super::*;

struct Fixture {
    dir: tempfile::TempDir,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for name in ["guest", "kept", "outside"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        fs::write(dir.path().join("outside/secret"), b"secret").unwrap();
        Fixture { dir }
    }

    /// A path in what the program wrote.
    fn guest(&self, path: &str) -> PathBuf {
        self.dir.path().join("guest").join(path)
    }

    fn kept(&self, path: &str) -> PathBuf {
        self.dir.path().join("kept").join(path)
    }

    fn write(&self, path: &str, content: &[u8]) {
        fs::create_dir_all(self.guest(path).parent().unwrap()).unwrap();
        fs::write(self.guest(path), content).unwrap();
    }

    fn collect_with(&self, caps: CollectCaps, declared: &[&str]) -> Collected {
        let untrusted = File::open(self.guest("")).unwrap();
        let into = Dir::open_ambient_dir(self.kept(""), ambient_authority()).unwrap();
        let declared: Vec<_> = declared.iter().map(|path| OutputPath::parse(path).unwrap()).collect();
        collect(untrusted.as_fd(), &declared, &caps, &into).unwrap()
    }

    fn collect(&self, declared: &[&str]) -> Collected {
        self.collect_with(CollectCaps::default(), declared)
    }

    /// What is really at the destination.
    fn everything_kept(&self) -> Vec<String> {
        let listing =
            crate::list_tree(File::open(self.kept("")).unwrap().as_fd(), crate::TreeBounds::default()).unwrap();
        listing.entries.iter().filter(|entry| entry.kind == EntryKind::File).map(|entry| entry.shown()).collect()
    }
}

use crate::open::EntryKind;

fn paths(collected: &Collected) -> Vec<&str> {
    collected.outputs.iter().map(|artifact| artifact.path.as_str()).collect()
}

fn codes(collected: &Collected) -> Vec<(&str, &'static str)> {
    collected.refused.iter().map(|refusal| (refusal.path.as_str(), refusal.reason.code())).collect()
}

#[test]
fn a_file_is_copied_with_its_digest_and_without_its_modes() {
    let fixture = Fixture::new();
    fixture.write("plots/a.png", b"png");
    fs::set_permissions(fixture.guest("plots/a.png"), fs::Permissions::from_mode(0o4777)).unwrap();
    let collected = fixture.collect(&["output/plots/a.png", "output/none.txt"]);
    let artifact = &collected.outputs[0];
    assert_eq!((artifact.path.as_str(), artifact.bytes), ("output/plots/a.png", 3));
    assert_eq!((artifact.sha256, artifact.media_type.as_str()), (Sha256::of(b"png"), "image/png"));
    assert_eq!(collected.missing, [OutputPath::parse("output/none.txt").unwrap()]);
    assert!(!collected.is_complete());
    let mode = fs::metadata(fixture.kept("plots/a.png")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7133, 0, "{mode:o}: no set-uid, not executable, not writable by others");
    assert_eq!(fs::read(fixture.kept("plots/a.png")).unwrap(), b"png");
}

#[test]
fn a_directory_gives_every_file_below_it_once() {
    let fixture = Fixture::new();
    for path in ["b.txt", "a/z", "a/b/c", "other"] {
        fixture.write(path, path.as_bytes());
    }
    fs::create_dir(fixture.guest("empty")).unwrap();
    let collected = fixture.collect(&["output/a/", "output/b.txt", "output/", "output/empty/", "output/gone/"]);
    assert_eq!(paths(&collected), ["output/a/b/c", "output/a/z", "output/b.txt", "output/other"]);
    assert_eq!(collected.missing, [OutputPath::parse("output/gone/").unwrap()], "an empty directory is there");
    assert!(collected.refused.is_empty());
}

#[test]
fn links_lead_nowhere() {
    let fixture = Fixture::new();
    fixture.write("real/file", b"mine");
    symlink(fixture.dir.path().join("outside/secret"), fixture.guest("absolute")).unwrap();
    symlink("../outside/secret", fixture.guest("relative")).unwrap();
    symlink("../outside", fixture.guest("way")).unwrap();
    symlink("real", fixture.guest("inner")).unwrap();
    symlink("/proc/self/root", fixture.guest("magic")).unwrap();
    symlink("/proc/self/fd/0", fixture.guest("stdin")).unwrap();
    fs::hard_link(fixture.dir.path().join("outside/secret"), fixture.guest("hard")).unwrap();
    assert_eq!(fs::read(fixture.guest("way/secret")).unwrap(), b"secret", "control: the links do lead there");

    let declared =
        ["absolute", "relative", "way/secret", "inner/file", "magic/etc/passwd", "stdin", "hard", "real/file"];
    let declared: Vec<_> = declared.iter().map(|path| format!("output/{path}")).collect();
    let declared: Vec<_> = declared.iter().map(String::as_str).collect();
    let collected = fixture.collect(&declared);
    assert_eq!(paths(&collected), ["output/real/file"]);
    assert_eq!(
        codes(&collected),
        [
            ("output/absolute", "workspace.output_not_a_file"),
            ("output/relative", "workspace.output_not_a_file"),
            ("output/way/secret", "workspace.output_behind_link"),
            ("output/inner/file", "workspace.output_behind_link"),
            ("output/magic/etc/passwd", "workspace.output_behind_link"),
            ("output/stdin", "workspace.output_not_a_file"),
            ("output/hard", "workspace.output_hard_linked"),
        ]
    );
    assert!(!collected.is_complete());

    let below = Fixture { dir: fixture.dir };
    fs::remove_dir_all(below.kept("real")).unwrap();
    let collected = below.collect(&["output/", "output/way/"]);
    assert_eq!(below.everything_kept(), ["real/file"], "nor does a directory output follow one");
    assert_eq!(collected.refused.len(), 8);
    assert!(collected.refused.iter().any(|one| one.path == "output/way/" && one.is_declared));
}

#[test]
fn pipes_sockets_devices_and_directories_are_not_even_opened() {
    let fixture = Fixture::new();
    rustix::fs::mkfifoat(CWD, fixture.guest("fifo"), Mode::from_raw_mode(0o666)).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(fixture.guest("socket")).unwrap();
    fs::create_dir(fixture.guest("directory")).unwrap();
    fixture.write("file", b"x");
    let mut declared = vec!["output/fifo", "output/socket", "output/directory", "output/file", "output/file/"];
    if rustix::process::geteuid().is_root() {
        // /dev/zero: reading it would never end. A tape or a watchdog would do something on opening.
        let zero = rustix::fs::makedev(1, 5);
        rustix::fs::mknodat(CWD, fixture.guest("device"), FileType::CharacterDevice, Mode::from_raw_mode(0o666), zero)
            .unwrap();
        assert!(File::open(fixture.guest("device")).is_ok(), "control: the device works");
        declared.push("output/device");
    } else {
        eprintln!("not run: making a device needs root");
    }
    let collected = fixture.collect(&declared);
    assert_eq!(paths(&collected), ["output/file"]);
    let refused = codes(&collected);
    assert_eq!(refused[0], ("output/fifo", "workspace.output_not_a_file"));
    assert_eq!(refused[1], ("output/socket", "workspace.output_not_a_file"));
    assert_eq!(refused[2], ("output/directory", "workspace.output_is_directory"));
    assert_eq!(refused[3], ("output/file/", "workspace.output_is_no_directory"));
    assert_eq!(refused.len(), declared.len() - 1);
    assert_eq!(fixture.everything_kept(), ["file"]);
}

#[test]
fn sizes_are_capped_before_anything_is_read() {
    let fixture = Fixture::new();
    File::create(fixture.guest("sparse")).unwrap().set_len(3 << 40).unwrap();
    for name in ["a", "b", "c"] {
        fixture.write(name, &[1; 100]);
    }
    let caps = CollectCaps { file_bytes: 100, total_bytes: 250, ..CollectCaps::default() };
    let collected = fixture.collect_with(caps, &["output/sparse", "output/a", "output/b", "output/c"]);
    assert_eq!(paths(&collected), ["output/a", "output/b"], "control: up to the cap, the last byte included");
    assert_eq!(
        codes(&collected),
        [("output/sparse", "workspace.output_too_large"), ("output/c", "workspace.outputs_too_large")]
    );
    assert!(collected.refused[0].reason.to_string().contains("3298534883328 bytes, more than the cap of 100"));

    let below = Fixture { dir: fixture.dir };
    fs::remove_file(below.kept("a")).unwrap();
    fs::remove_file(below.kept("b")).unwrap();
    let collected = below.collect_with(caps, &["output/"]);
    assert_eq!(paths(&collected), ["output/a", "output/b"]);
    assert!(!collected.is_complete(), "a directory that a cap cut short is not complete");
    assert_eq!(codes(&collected).last(), Some(&("output/", "workspace.outputs_cut")));
}

#[test]
fn counts_are_capped() {
    let fixture = Fixture::new();
    for number in 0..20 {
        fixture.write(&format!("d/{number:02}"), b"");
    }
    let files = CollectCaps { directory_files: 5, ..CollectCaps::default() };
    let collected = fixture.collect_with(files, &["output/d/", "output/d/19"]);
    assert_eq!(collected.outputs.len(), 6, "a declared file does not count");
    assert_eq!(codes(&collected), [("output/d/", "workspace.outputs_too_many")]);

    let fixture = Fixture { dir: fixture.dir };
    fs::remove_dir_all(fixture.kept("d")).unwrap();
    let entries = CollectCaps { scanned_entries: 19, ..CollectCaps::default() };
    let collected = fixture.collect_with(entries, &["output/d/"]);
    assert!(collected.outputs.is_empty(), "of a directory that is too full nothing is taken by chance");
    assert_eq!(codes(&collected), [("output/d/", "workspace.outputs_too_many")]);
}

#[test]
fn refusals_below_a_directory_are_bounded_and_leave_it_complete() {
    let fixture = Fixture::new();
    fixture.write("file", b"x");
    for number in 0..150 {
        symlink("file", fixture.guest(&format!("link{number}"))).unwrap();
    }
    let collected = fixture.collect(&["output/"]);
    assert_eq!(paths(&collected), ["output/file"]);
    assert_eq!((collected.refused.len(), collected.refused_more), (100, 50));
    assert!(collected.is_complete());
}

#[test]
fn names_that_cannot_be_handed_on_are_refused_and_shown_harmlessly() {
    let fixture = Fixture::new();
    for name in [b"line\nfeed".as_slice(), b"not\xffutf8", "e\u{301}".as_bytes(), b"back\\slash", b".EXECRES", b"fine"]
    {
        fs::write(self::fixture_path(&fixture, name), b"x").unwrap();
    }
    let collected = fixture.collect(&["output/"]);
    assert_eq!(paths(&collected), ["output/fine"]);
    assert_eq!(collected.refused.len(), 5);
    assert!(collected.refused.iter().all(|one| one.reason.code() == "workspace.output_name"));
    let shown: Vec<_> = collected.refused.iter().map(|one| one.path.as_str()).collect();
    assert!(shown.contains(&"output/line\\nfeed") && shown.contains(&"output/not\\xffutf8"), "{shown:?}");
}

fn fixture_path(fixture: &Fixture, name: &[u8]) -> PathBuf {
    fixture.guest("").join(OsStr::from_bytes(name))
}

#[test]
fn another_mount_is_not_entered() {
    // A directory of the host with a mount in it: what a program that mounts, or a bind that we made, looks like.
    let untrusted = File::open("/").unwrap();
    let kept = tempfile::tempdir().unwrap();
    let into = Dir::open_ambient_dir(kept.path(), ambient_authority()).unwrap();
    let declared = [OutputPath::parse("output/proc/version").unwrap(), OutputPath::parse("output/proc/").unwrap()];
    let collected = collect(untrusted.as_fd(), &declared, &CollectCaps::default(), &into).unwrap();
    assert!(Path::new("/proc/version").is_file(), "control");
    assert_eq!(
        codes(&collected),
        [
            ("output/proc/version", "workspace.output_other_file_system"),
            ("output/proc/", "workspace.output_other_file_system")
        ]
    );
}

#[test]
fn a_deep_tree_ends_at_the_longest_path() {
    let fixture = Fixture::new();
    let mut at: OwnedFd = File::open(fixture.guest("")).unwrap().into();
    let name = "d".repeat(200);
    for _ in 0..40 {
        rustix::fs::mkdirat(&at, &name, Mode::from_raw_mode(0o755)).unwrap();
        at = rustix::fs::openat(&at, &name, rustix::fs::OFlags::RDONLY, Mode::empty()).unwrap();
    }
    fixture.write("file", b"x");
    let collected = fixture.collect(&["output/"]);
    assert_eq!(paths(&collected), ["output/file"]);
    assert_eq!(collected.refused.len(), 1, "{:?}", codes(&collected));
}

#[test]
fn what_is_at_the_destination_stays() {
    let fixture = Fixture::new();
    fixture.write("a", b"guest");
    fs::write(fixture.kept("a"), b"ours").unwrap();
    let collected = fixture.collect(&["output/a"]);
    assert_eq!(codes(&collected), [("output/a", "workspace.output_taken")]);
    assert_eq!(fs::read(fixture.kept("a")).unwrap(), b"ours");
    // Nor is a link at the destination followed.
    fs::remove_file(fixture.kept("a")).unwrap();
    symlink(fixture.dir.path().join("outside/new"), fixture.kept("a")).unwrap();
    fixture.collect(&["output/a"]);
    assert!(!fixture.dir.path().join("outside/new").exists());
}

/// A tree that changes all the time: names are swapped between a file, a link to the secret and a link on the way, and a
/// file grows and shrinks. Whatever is taken must be the program's own content, whole.
#[test]
fn a_tree_that_changes_meanwhile_gives_nothing_that_is_not_in_it() {
    let fixture = Fixture::new();
    let content = vec![b'm'; 100_000];
    fixture.write("real/secret", &content);
    fixture.write("swapped", &content);
    fixture.write("grows", &content);
    symlink("../outside/secret", fixture.guest("link")).unwrap();
    symlink("../outside", fixture.guest("way")).unwrap();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let exchange = |one: &str, other: &str| {
                rustix::fs::renameat_with(
                    CWD,
                    fixture.guest(one),
                    CWD,
                    fixture.guest(other),
                    rustix::fs::RenameFlags::EXCHANGE,
                )
                .unwrap();
            };
            let grows = File::options().write(true).open(fixture.guest("grows")).unwrap();
            while !stop.load(Ordering::Relaxed) {
                exchange("swapped", "link");
                exchange("real", "way");
                grows.set_len(200_000).unwrap();
                grows.set_len(100_000).unwrap();
            }
        });
        let mut kept = 0;
        for _ in 0..50 {
            fs::remove_dir_all(fixture.kept("")).unwrap();
            fs::create_dir(fixture.kept("")).unwrap();
            let collected =
                fixture.collect(&["output/swapped", "output/real/secret", "output/grows", "output/real/", "output/"]);
            for artifact in &collected.outputs {
                kept += 1;
                let copy = fs::read(fixture.kept(artifact.path.strip_prefix("output/").unwrap())).unwrap();
                assert_ne!(copy, b"secret", "{}", artifact.path);
                assert_eq!((artifact.bytes, artifact.sha256), (copy.len() as u64, Sha256::of(&copy)));
                assert!(copy.len() == 100_000 || artifact.path == "output/grows", "{}", artifact.path);
            }
            assert_eq!(fixture.everything_kept().len(), collected.outputs.len(), "what is refused leaves nothing");
        }
        stop.store(true, Ordering::Relaxed);
        assert!(kept > 0, "control: something was there to take");
    });
}

#[tokio::test]
async fn the_async_form_does_the_same() {
    let fixture = Fixture::new();
    fixture.write("a", b"x");
    let untrusted = File::open(fixture.guest("")).unwrap().into();
    let into = Dir::open_ambient_dir(fixture.kept(""), ambient_authority()).unwrap();
    let collected = collect_async(untrusted, vec![OutputPath::ALL], CollectCaps::default(), into).await.unwrap();
    assert_eq!(paths(&collected), ["output/a"]);
}

#[test]
fn a_refusal_serialises_with_its_words() {
    let refusal = Refusal {
        path: "output/a".into(),
        reason: RefusalReason::NotRegular { kind: EntryKind::Symlink },
        is_declared: true,
    };
    assert_eq!(
        serde_json::to_string(&refusal).unwrap(),
        r#"{"path":"output/a","code":"workspace.output_not_a_file","reason":"is a symbolic link: only regular files are kept; write the content into a file","declared":true}"#
    );
}
