//! What a program is given.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::PermissionsExt;

use execres::workspace::InputFile;
use host::{Host, assert_prints, call, contains, input, path, request, scratch};

#[tokio::test]
async fn inputs_are_copies_that_the_program_cannot_change() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("private.csv");
    fs::write(&file, "content").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let host = Host::new();
    let source = "cat data/in.csv; (echo x >> data/in.csv) 2>/dev/null; rm -f data/in.csv 2>/dev/null; cat data/in.csv";
    let mut plain = call("bash", source);
    plain.inputs = vec![input("data/in.csv", &file)];
    assert_prints(&host.run(plain).await, "contentcontent");
    assert_eq!(fs::read(&file).unwrap(), b"content");
}

#[tokio::test]
async fn a_scratch_working_directory_lets_a_program_change_its_own_copy() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("private.csv");
    fs::write(&file, "content").unwrap();
    let host = Host::new();
    let mut written = scratch(request("bash", "echo more >> data/in.csv; cat data/in.csv"));
    written.inputs = vec![input("data/in.csv", &file)];
    assert_prints(&host.run(written).await, "contentmore\n");
    assert_eq!(fs::read(&file).unwrap(), b"content", "the caller's file is as it was");
}

#[tokio::test]
async fn an_input_in_a_directory_that_others_cannot_read_is_given() {
    let place = tempfile::tempdir().unwrap();
    fs::set_permissions(place.path(), fs::Permissions::from_mode(0o700)).unwrap();
    let deep = place.path().join("deep");
    fs::create_dir(&deep).unwrap();
    fs::set_permissions(&deep, fs::Permissions::from_mode(0o700)).unwrap();
    fs::write(deep.join("x"), "secret").unwrap();
    fs::set_permissions(deep.join("x"), fs::Permissions::from_mode(0o400)).unwrap();
    let mut call = call("python", "print(open('x').read())");
    call.inputs = vec![input("x", &deep.join("x"))];
    assert_prints(&Host::new().run(call).await, "secret\n");
}

#[tokio::test]
async fn the_whole_file_is_given_wherever_its_offset_stands() {
    let mut file = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut file, b"from the start").unwrap();
    file.seek(SeekFrom::Start(5)).unwrap();
    let mut call = call("python", "print(open('x').read())");
    let mut kept = file.try_clone().unwrap();
    call.inputs = vec![InputFile { name: path("x"), file }];
    assert_prints(&Host::new().run(call).await, "from the start\n");
    let mut rest = String::new();
    kept.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "the start", "and its offset is where it was");
}

#[tokio::test]
async fn many_inputs_with_names_of_every_kind() {
    let place = tempfile::tempdir().unwrap();
    let names = ["a b", "ünï/日本.txt", "-x", "quote'\"", "a,b:c", "deep/er/f", ".hidden", "$HOME"];
    let mut call = call(
        "python",
        "import os\nprint(sorted(os.path.relpath(os.path.join(d, f)) for d, _, fs in os.walk('.') for f in fs if f != 'main.py'))",
    );
    for (number, name) in names.iter().enumerate() {
        let file = place.path().join(number.to_string());
        fs::write(&file, name).unwrap();
        call.inputs.push(input(name, &file));
    }
    let result = Host::new().run(call).await;
    for name in names {
        let quoted = if name.contains('\'') { "quote" } else { name };
        contains(&result.stdout.text(), quoted, result.stderr.text());
    }
}

#[tokio::test]
async fn what_is_no_plain_file_or_has_no_plain_place_is_refused() {
    let host = Host::new();
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("x");
    fs::write(&file, "x").unwrap();
    let given = |name: &str, of: &std::path::Path| {
        let mut call = call("bash", "true");
        call.inputs = vec![input(name, of)];
        call
    };
    assert_prints(&host.run(given("x", &file)).await, "");
    for (name, of, code) in [
        ("x", std::path::Path::new("/dev/zero"), "workspace.input_not_a_file"),
        ("x", place.path(), "workspace.input_not_a_file"),
        ("output/x", &file, "workspace.path_hidden"),
        ("OUTPUT/x", &file, "workspace.path_hidden"),
        ("main.sh", &file, "workspace.path_collision"),
        ("MAIN.SH", &file, "workspace.path_collision"),
        ("main.sh/x", &file, "workspace.path_collision"),
    ] {
        let error = host.refusal(given(name, of)).await;
        assert_eq!(error.code(), code, "{name}: {error}");
    }
    for bad in ["../x", "/etc/x", "a/../../x", ".execres/x", "a\nb", "a\\b", ""] {
        assert!(execres::workspace::RelativePath::parse(bad).is_err(), "{bad:?}");
    }
}

#[tokio::test]
async fn a_link_is_the_callers_own_authority() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("real"), "real").unwrap();
    std::os::unix::fs::symlink("real", place.path().join("link")).unwrap();
    let mut call = call("python", "import os; print(open('x').read(), os.path.islink('x'))");
    call.inputs = vec![input("x", &place.path().join("link"))];
    assert_prints(&Host::new().run(call).await, "real False\n");
}
