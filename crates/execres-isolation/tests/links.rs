//! Links that an earlier guest planted in what it could write: no later run is led out of its root by them.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use execres_core::Outcome;
use execres_isolation::{HandUp, Profile, Sandbox};
use support::*;

/// A directory that is granted for writing, and one beside it that is not. Everybody may change both.
fn places() -> (tempfile::TempDir, tempfile::TempDir) {
    let open = |directory: &Path| fs::set_permissions(directory, fs::Permissions::from_mode(0o777)).unwrap();
    let (grant, victim) = (open_dir(), open_dir());
    fs::create_dir(victim.path().join("files")).unwrap();
    fs::write(victim.path().join("files/secret"), "untouched").unwrap();
    fs::set_permissions(victim.path().join("files/secret"), fs::Permissions::from_mode(0o666)).unwrap();
    [grant.path(), victim.path(), &victim.path().join("files")].into_iter().for_each(open);
    (grant, victim)
}

fn made_in(victim: &Path) -> Vec<String> {
    let names = |path: &Path| {
        fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let mut all = [names(victim), names(&victim.join("files"))].concat();
    all.sort();
    all
}

#[tokio::test]
async fn no_place_below_a_planted_link_is_made_mounted_or_shown() {
    let (grant, victim) = places();
    let (_, source) = places();
    let sandbox = Sandbox::new(None);
    let granted = || Profile::deny_all().write(grant.path(), Path::new("/data")).unwrap();
    let up = "../".repeat(12);
    for target in [victim.path().display().to_string(), format!("{up}{}", victim.path().display())] {
        let link = grant.path().join("link");
        symlink(&target, &link).unwrap();
        let below = Path::new("/data/link/files");
        for (what, profile) in [
            ("an alias of", granted().alias(below, Path::new("/shown")).unwrap()),
            ("an alias at", granted().alias(Path::new("/tmp"), &below.join("alias")).unwrap()),
            ("a grant at", granted().read(source.path(), &below.join("grant")).unwrap()),
            ("a file at", granted().read(&source.path().join("files"), Path::new("/data/link")).unwrap()),
            ("scratch at", granted().scratch(&below.join("scratch"), HandUp::No).unwrap()),
            ("scratch over", granted().scratch(Path::new("/data/link"), HandUp::Yes).unwrap()),
            ("a working copy at", granted().working_copy(&source.path().join("files"), &below.join("copy")).unwrap()),
        ] {
            let script = "cat /shown/secret; echo changed > /shown/secret; echo ran";
            let report = run_in(&sandbox, &profile, vec![shell(script)]).await;
            assert!(matches!(report.outcome, Outcome::FailedToStart { .. }), "{what} {target}: {report:#?}");
            assert_eq!(report.failure.unwrap().code(), "isolation.root_failed", "{what} {target}");
            assert_eq!(made_in(victim.path()), ["files", "secret"], "{what} {target}");
        }
        fs::remove_file(&link).unwrap();
    }
    assert_eq!(fs::read_to_string(victim.path().join("files/secret")).unwrap(), "untouched");

    // The control: the same places in a directory instead of the link.
    fs::create_dir_all(grant.path().join("link/files")).unwrap();
    fs::write(grant.path().join("link/files/secret"), "the grant's own").unwrap();
    fs::set_permissions(grant.path().join("link/files"), fs::Permissions::from_mode(0o777)).unwrap();
    let alias = granted().alias(Path::new("/data/link/files"), Path::new("/shown")).unwrap();
    assert_eq!(output(&run_in(&sandbox, &alias, vec![shell("cat /shown/secret")]).await), "the grant's own");
    let scratch = granted().scratch(Path::new("/data/link"), HandUp::No).unwrap();
    assert_eq!(output(&run_in(&sandbox, &scratch, vec![shell("ls /data/link")]).await), "");
}

#[tokio::test]
async fn a_place_behind_a_link_of_the_root_itself_is_where_it_is_asked_for() {
    let (grant, _) = places();
    for at in ["/var/tmp/below/it", "/var/run/it"] {
        let profile = Profile::deny_all().read(grant.path(), Path::new(at)).unwrap();
        fs::write(grant.path().join("mark"), "here").unwrap();
        assert_eq!(output(&run(&profile, vec![shell(&format!("cat {at}/mark"))]).await), "here", "{at}");
        let profile = Profile::deny_all().scratch(Path::new(at), HandUp::Yes).unwrap();
        let report = run(&profile, vec![shell(&format!("echo x > {at}/made; cat {at}/made"))]).await;
        assert_eq!(output(&report), "x\n", "{at}");
        assert_eq!(report.handed_up.len(), 1);
    }
}

#[tokio::test]
async fn an_alias_shows_what_it_shows_without_set_uid_and_devices() {
    let (grant, _) = places();
    let profile = Profile::deny_all()
        .write(grant.path(), Path::new("/data"))
        .unwrap()
        .alias(Path::new("/data"), Path::new("/again"))
        .unwrap();
    let mounts = output(&run(&profile, vec![shell("grep ' /again ' /proc/self/mountinfo")]).await);
    assert!(mounts.contains("nosuid") && mounts.contains("nodev"), "{mounts}");
}

/// What is judged is what was opened: a name that leads elsewhere a moment later gains nothing.
#[tokio::test]
async fn a_protected_place_cannot_be_slipped_in_while_a_profile_is_built() {
    use std::sync::atomic::{AtomicBool, Ordering};

    let parent = open_dir();
    let (one, other) = (parent.path().join("one"), parent.path().join("other"));
    fs::create_dir_all(one.join("usr")).unwrap();
    fs::write(one.join("usr/mark"), "harmless").unwrap();
    // `other/usr` is `/`, which no profile may show.
    fs::create_dir(&other).unwrap();
    symlink("/", other.join("usr")).unwrap();
    let over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !over.load(Ordering::Relaxed) {
                let (a, b) = (&one, &other);
                rustix::fs::renameat_with(rustix::fs::CWD, a, rustix::fs::CWD, b, rustix::fs::RenameFlags::EXCHANGE)
                    .unwrap();
            }
        });
        let (mut built, mut refused) = (0, 0);
        while built < 500 || refused < 500 {
            match Profile::deny_all().read(&one.join("usr"), Path::new("/data")) {
                Ok(profile) => {
                    built += 1;
                    assert!(!format!("{profile:?}").contains("path: \"/\""), "{profile:?}");
                }
                Err(_) => refused += 1,
            }
        }
        over.store(true, Ordering::Relaxed);
    });
}
