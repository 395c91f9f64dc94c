//! Grants within grants: the inner one holds, whatever the outer one allows and in whatever order they were said.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(clippy::print_stderr, reason = "a test prints what it could not run")]
#![allow(clippy::disallowed_methods, reason = "a test starts hosts")]

mod support;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use execres_core::Outcome;
use execres_isolation::{HandUp, Profile, Rung, Sandbox};
use support::*;

/// A directory that everybody may change, with another one in it, with a file in it.
fn tree() -> tempfile::TempDir {
    let outer = open_dir();
    let inner = outer.path().join("inner");
    fs::create_dir(&inner).unwrap();
    fs::write(inner.join("file"), "the host's").unwrap();
    for (path, mode) in [(outer.path(), 0o777), (&inner, 0o777), (&inner.join("file"), 0o666)] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    outer
}

#[tokio::test]
async fn a_grant_for_reading_within_one_for_writing_cannot_be_written() {
    let outer = tree();
    let (here, inner) = (outer.path(), outer.path().join("inner"));
    let elsewhere = Path::new("/data");
    for (at, within) in [(here, inner.as_path()), (elsewhere, &elsewhere.join("inner"))] {
        let write = |profile: Profile| profile.write(here, at).unwrap();
        let read = |profile: Profile| profile.read(&inner, within).unwrap();
        let script = format!("echo changed > {}/file; echo changed > {}/beside", within.display(), at.display());
        for profile in [read(write(Profile::deny_all())), write(read(Profile::deny_all()))] {
            run(&profile, vec![shell(&script)]).await;
            assert_eq!(fs::read_to_string(inner.join("file")).unwrap(), "the host's", "{within:?}");
            assert_eq!(fs::read_to_string(here.join("beside")).unwrap(), "changed\n", "the control: the outer one can");
            fs::remove_file(here.join("beside")).unwrap();
        }
    }
    // Without mounts there is no such thing, and nobody is led to believe it.
    let profile =
        Profile::deny_all().on_rung(Rung::NoNamespaces).write(here, here).unwrap().read(&inner, &inner).unwrap();
    let error = Sandbox::new(None).launch(&profile, vec![shell("echo ran")]).await.unwrap_err();
    assert_eq!(error.code(), "isolation.needs_mounts", "{error}");
}

#[tokio::test]
async fn a_grant_within_one_is_what_it_was_granted_for_and_refused_when_it_was_swapped() {
    let (outer, other) = (tree(), tree());
    fs::write(other.path().join("inner/file"), "another").unwrap();
    let inner = outer.path().join("inner");
    // The outer place shows something else; the inner one is the host's own directory of that name.
    let profile = Profile::deny_all().read(other.path(), outer.path()).unwrap().read(&inner, &inner).unwrap();
    let script = format!("cat {}/file", inner.display());
    assert_eq!(output(&run(&profile, vec![shell(&script)]).await), "the host's");

    let profile = Profile::deny_all().write(outer.path(), outer.path()).unwrap().read(&inner, &inner).unwrap();
    fs::rename(&inner, outer.path().join("moved")).unwrap();
    fs::create_dir(&inner).unwrap();
    let report = run(&profile, vec![shell("echo ran")]).await;
    assert!(matches!(report.outcome, Outcome::FailedToStart { .. }), "{report:#?}");
}

#[tokio::test]
async fn what_covers_a_part_of_a_grant_covers_it_in_any_order_and_in_every_alias() {
    let outer = tree();
    let (at, cover, alias) = (Path::new("/data"), Path::new("/data/inner"), Path::new("/again"));
    let grant = |profile: Profile| profile.read(outer.path(), at).unwrap();
    let hide = |profile: Profile| profile.scratch(cover, HandUp::No).unwrap();
    let again = |profile: Profile| profile.alias(at, alias).unwrap();
    for profile in [
        again(hide(grant(Profile::deny_all()))),
        again(grant(hide(Profile::deny_all()))),
        grant(again(hide(Profile::deny_all()))),
        hide(again(grant(Profile::deny_all()))),
    ] {
        let told = output(&run(&profile, vec![shell("ls -A /data/inner /again/inner")]).await);
        assert!(!told.contains("file"), "{told}");
    }
    let control = output(&run(&again(grant(Profile::deny_all())), vec![shell("ls -A /data/inner /again/inner")]).await);
    assert_eq!(control.matches("file").count(), 2, "{control}");
}
