//! Hosts in strange places: temporary directories, homes and search paths of every kind.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use execres::{CodeCall, Execres, Isolation};
use host::{assert_passes, assert_prints, call, contains, entries, output, request, scratch, shown};
use tokio::runtime::Builder;

fn on<T>(work: impl Future<Output = T>) -> T {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(work)
}

/// What every host can do: a program in a read-only directory, one in a scratch directory, an input, an output.
fn everything_works() {
    everything_works_with(Isolation::Required);
}

fn everything_works_with(isolation: Isolation) {
    let execres = Execres::builder().build().unwrap();
    let place = std::env::temp_dir();
    fs::write(place.join("in put"), "given").unwrap();
    for make in [CodeCall::new, scratch] {
        let request = request("python", "import lib; print(open('x').read()); open('output/y', 'w').write(lib.A)")
            .file(host::path("lib.py"), "A = 'left'")
            .output(output("output/y"));
        let mut call = make(request);
        call.isolation = isolation;
        call.inputs = vec![host::input("x", &place.join("in put"))];
        call.deliver_to = Some(place.join("deli vered"));
        let result = on(execres.run(call)).unwrap();
        assert_prints(&result, "given\n");
        assert!(result.diagnostics.is_empty(), "{}", shown(&result));
        assert_eq!(fs::read_to_string(place.join("deli vered/y")).unwrap(), "left");
    }
    let mut built = scratch(request("c", "int main(void) { return 0; }"));
    built.isolation = isolation;
    assert_prints(&on(execres.run(built)).unwrap(), "");
    assert_eq!(entries(&place), ["deli vered", "in put"]);
}

/// Runs this test again with another environment.
fn again_with(test: &str, set: impl FnOnce(&Path, &mut Command)) {
    // Here in any case, so that a name's length is the test's own affair.
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    let mut command = host::again(test);
    let tmp = dir.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    command.env("TMPDIR", &tmp).env("EXECRES_STATE_DIR", dir.path().join("state"));
    set(dir.path(), &mut command);
    assert_passes(command);
}

#[test]
fn a_temporary_directory_may_have_any_name() {
    const TEST: &str = "a_temporary_directory_may_have_any_name";
    if host::is_within() {
        return everything_works();
    }
    let long = "long/".repeat(200);
    let names: [&[u8]; 13] = [
        b"a:b",
        b"a,upperdir=/etc,b",
        b"a\\b",
        b"a\\,b\\:c",
        b"two words",
        "ünï 日本".as_bytes(),
        b"new\nline",
        b"not text \xff",
        b"tab\tquote'\"",
        b"%s $(id) `id`",
        b"ends with (deleted)",
        b"-rf",
        long.as_bytes(),
    ];
    for name in names {
        again_with(TEST, |dir, command| {
            let tmp = dir.join(OsStr::from_bytes(name));
            fs::create_dir_all(&tmp).unwrap();
            command.env("TMPDIR", &tmp);
        });
    }
}

#[test]
fn a_temporary_directory_may_be_private_or_a_link() {
    const TEST: &str = "a_temporary_directory_may_be_private_or_a_link";
    if host::is_within() {
        return everything_works();
    }
    again_with(TEST, |dir, _| fs::set_permissions(dir.join("tmp"), fs::Permissions::from_mode(0o700)).unwrap());
    again_with(TEST, |dir, _| fs::set_permissions(dir, fs::Permissions::from_mode(0o700)).unwrap());
    again_with(TEST, |dir, command| {
        std::os::unix::fs::symlink(dir.join("tmp"), dir.join("link")).unwrap();
        command.env("TMPDIR", dir.join("link/."));
    });
}

#[test]
fn a_narrow_or_wide_mask_of_permissions_changes_nothing() {
    const TEST: &str = "a_narrow_or_wide_mask_of_permissions_changes_nothing";
    if host::is_within() {
        return everything_works();
    }
    for mask in ["077", "000"] {
        let dir = tempfile::tempdir().unwrap();
        let tmp = dir.path().join("tmp");
        fs::create_dir(&tmp).unwrap();
        let script = format!("umask {mask}; exec \"$@\"");
        let mut command = host::again_through(&["sh", "-c", &script, "sh"], TEST);
        command.env("TMPDIR", &tmp).env("EXECRES_STATE_DIR", dir.path().join("state"));
        assert_passes(command);
    }
}

#[test]
fn without_a_search_path_the_usual_one_is_used() {
    const TEST: &str = "without_a_search_path_the_usual_one_is_used";
    if host::is_within() {
        assert!(std::env::var_os("PATH").is_none());
        let execres = Execres::builder().build().unwrap();
        assert_prints(&on(execres.run(call("bash", "echo 42"))).unwrap(), "42\n");
        return;
    }
    again_with(TEST, |_, command| {
        command.env_remove("PATH");
    });
}

#[test]
fn an_empty_search_path_names_what_is_missing() {
    const TEST: &str = "an_empty_search_path_names_what_is_missing";
    if host::is_within() {
        let execres = Execres::builder().build().unwrap();
        let error = on(execres.run(call("bash", "echo 42"))).unwrap_err();
        assert_eq!(error.code(), execres::core::ErrorCode::PROVIDER_UNAVAILABLE.to_string());
        contains(&error.to_string(), "bash", &error);
        return;
    }
    again_with(TEST, |dir, command| {
        command.env("PATH", dir.join("empty"));
    });
}

#[test]
fn without_a_home_the_state_is_elsewhere_or_the_error_says_what_to_set() {
    const TEST: &str = "without_a_home_the_state_is_elsewhere_or_the_error_says_what_to_set";
    if host::is_within() {
        match Execres::builder().build() {
            Ok(execres) => assert_prints(&on(execres.run(call("bash", "echo 42"))).unwrap(), "42\n"),
            Err(error) => contains(&error.to_string(), "EXECRES_STATE_DIR", &error),
        }
        return;
    }
    again_with(TEST, |_, command| {
        for name in ["HOME", "EXECRES_STATE_DIR", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"] {
            command.env_remove(name);
        }
    });
    // With a state directory that is named, nobody needs a home.
    again_with(TEST, |_, command| {
        command.env_remove("HOME").env("EXPECT", "ok");
    });
}

#[test]
fn a_temporary_directory_that_is_not_there_or_not_writable_is_named() {
    const TEST: &str = "a_temporary_directory_that_is_not_there_or_not_writable_is_named";
    if host::is_within() {
        let execres = Execres::builder().build().unwrap();
        let error = on(execres.run(call("bash", "echo 42"))).unwrap_err();
        let place = std::env::temp_dir().display().to_string();
        contains(&error.to_string(), &place, &error);
        return;
    }
    again_with(TEST, |dir, command| {
        command.env("TMPDIR", dir.join("nowhere"));
    });
    again_with(TEST, |dir, command| {
        fs::write(dir.join("file"), "").unwrap();
        command.env("TMPDIR", dir.join("file"));
    });
    if !host::is_root() {
        again_with(TEST, |dir, _| fs::set_permissions(dir.join("tmp"), fs::Permissions::from_mode(0o500)).unwrap());
    }
}

#[test]
fn an_unset_temporary_directory_is_the_usual_one() {
    const TEST: &str = "an_unset_temporary_directory_is_the_usual_one";
    if host::is_within() {
        let execres = Execres::builder().build().unwrap();
        assert_prints(&on(execres.run(call("bash", "echo 42"))).unwrap(), "42\n");
        return;
    }
    again_with(TEST, |_, command| {
        command.env_remove("TMPDIR");
    });
}

/// Runs this test again in a mount namespace where `TMPDIR` is a file system with these options.
fn again_on(test: &str, options: &str) {
    let dir = tempfile::tempdir().unwrap();
    let tmp = dir.path().join("tmp");
    fs::create_dir(&tmp).unwrap();
    let script = "mount -t tmpfs -o \"$OPTIONS\" none \"$TMPDIR\" && exec \"$@\"";
    // An ordinary user needs a user namespace for that, in which a sandbox cannot map what it maps outside.
    #[allow(clippy::disallowed_methods, reason = "a host that is another process")]
    let possible = Command::new("unshare").args(["-m", "true"]).output().is_ok_and(|output| output.status.success());
    if !possible {
        return host::skip(test, "optional: only root can mount a file system for a test");
    }
    let mut command = host::again_through(&["unshare", "-m", "sh", "-c", script, "sh"], test);
    command.env("TMPDIR", &tmp).env("OPTIONS", options).env("EXECRES_STATE_DIR", dir.path().join("state"));
    assert_passes(command);
}

#[test]
fn a_temporary_directory_that_allows_no_programs_is_good_enough() {
    const TEST: &str = "a_temporary_directory_that_allows_no_programs_is_good_enough";
    if host::is_within() {
        let probe = std::env::temp_dir().join("probe");
        fs::write(&probe, "#!/bin/sh\n").unwrap();
        fs::set_permissions(&probe, fs::Permissions::from_mode(0o755)).unwrap();
        #[allow(clippy::disallowed_methods, reason = "the control")]
        let refused = Command::new(&probe).status();
        assert!(refused.is_err(), "the control: it is mounted without execution");
        fs::remove_file(probe).unwrap();
        return everything_works_with(Isolation::Required);
    }
    again_on(TEST, "noexec,nosuid,nodev,mode=0755");
}

#[test]
fn a_full_disk_is_an_error_that_says_so_and_leaves_nothing() {
    const TEST: &str = "a_full_disk_is_an_error_that_says_so_and_leaves_nothing";
    if host::is_within() {
        let place = std::env::temp_dir();
        let execres = Execres::builder().build().unwrap();
        // The control: it is large enough for a small program.
        assert_prints(&on(execres.run(call("bash", "echo 42"))).unwrap(), "42\n");
        let large = request("bash", "echo 42").file(host::path("large.txt"), vec![b'x'; 4 << 20]);
        let error = on(execres.run(CodeCall::new(large))).unwrap_err();
        assert_eq!(error.code(), "workspace.materialise_failed", "{error}");
        contains(&error.to_string(), "is there room?", &error);
        assert!(entries(&place).is_empty());
        // What a program leaves does not fit: the program's own outcome is not lost with it.
        let outputs = request("bash", "echo said; head -c 4M /dev/zero > output/x; exit 3").output(output("output/x"));
        let result = on(execres.run(CodeCall::new(outputs))).unwrap();
        assert!(!result.is_success());
        assert_eq!(result.stdout.text(), "said\n", "{}", shown(&result));
        assert_eq!(result.steps[0].outcome, execres::core::Outcome::Exited { code: 3 });
        contains(&serde_json::to_string(&result).unwrap(), "is there room?", "");
        assert!(entries(&place).is_empty());
        return;
    }
    again_on(TEST, "size=1m,mode=0755");
}

#[test]
fn a_disk_without_files_left_is_an_error_that_leaves_nothing() {
    const TEST: &str = "a_disk_without_files_left_is_an_error_that_leaves_nothing";
    if host::is_within() {
        let place = std::env::temp_dir();
        let execres = Execres::builder().build().unwrap();
        let many = (0..200)
            .fold(request("bash", "echo 42"), |request, number| request.file(host::path(&format!("f{number}")), "x"));
        let error = on(execres.run(CodeCall::new(many))).unwrap_err();
        assert_eq!(error.code(), "workspace.materialise_failed", "{error}");
        assert!(entries(&place).is_empty(), "{:?}", entries(&place));
        return;
    }
    again_on(TEST, "nr_inodes=60,mode=0755");
}

#[test]
fn memory_as_a_temporary_directory_keeps_the_source_as_it_is() {
    const TEST: &str = "memory_as_a_temporary_directory_keeps_the_source_as_it_is";
    if host::is_within() {
        let execres = Execres::builder().build().unwrap();
        let source =
            "(echo x > new) 2>/dev/null && echo wrote; chmod 777 main.sh 2>/dev/null && echo changed; echo end";
        match on(execres.run(call("bash", source))) {
            // A place among the host's devices is not granted; that it is not has to be said.
            Ok(result) if matches!(result.outcome, execres::core::Outcome::FailedToStart { .. }) => {
                contains(&result.outcome.to_string(), "/dev/shm", &result.outcome);
            }
            Ok(result) => assert_prints(&result, "end\n"),
            Err(error) => contains(&error.to_string(), "/dev/shm", &error),
        }
        return;
    }
    let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
        return host::skip(TEST, "optional: /dev/shm is not writable here");
    };
    let mut command = host::again(TEST);
    let state = tempfile::tempdir().unwrap();
    command.env("TMPDIR", dir.path()).env("EXECRES_STATE_DIR", state.path().join("state"));
    assert_passes(command);
}

#[test]
fn closed_standard_streams_do_no_harm() {
    const TEST: &str = "closed_standard_streams_do_no_harm";
    if host::is_within() {
        let execres = Execres::builder().build().unwrap();
        let result =
            on(execres.run(CodeCall::new(request("bash", "cat; echo out; echo err >&2").stdin("in ")))).unwrap();
        assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("in out\n", "err\n"));
        return;
    }
    let dir = tempfile::tempdir().unwrap();
    let mut command = host::again_through(&["sh", "-c", "exec \"$@\" <&- 2>&-", "sh"], TEST);
    command.env("TMPDIR", dir.path()).env("EXECRES_STATE_DIR", dir.path().join("state"));
    assert_passes(command);
}
