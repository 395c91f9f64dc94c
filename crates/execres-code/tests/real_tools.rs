//! Every language, with the tools of this machine: the steps of a bundle do what they should when they are run as they stand.
//!
//! The programs here are ours, so they run as plain processes. What keeps other programs in is tested where it is built.

// Clippy takes the helpers of an integration test for library code.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stderr, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use cap_std::ambient_authority;
use execres_code::{Bundle, CodeRequest, GuestLayout, Language, Program, Step, ToolSpec};
use execres_owner::{OwnerRegistry, StateDir};
use execres_workspace::{
    AccessGrant, AccessRequest, CallId, CollectCaps, Collected, OutputPath, RelativePath, Role, TaskWorkspace, collect,
};

/// The binary of a tool on this machine.
fn locate(program: &Program, layout: &GuestLayout) -> Option<PathBuf> {
    match program {
        Program::Tool(tool) => {
            let spec = ToolSpec::of(tool).expect("every tool of a language has a specification");
            spec.places(&std::env::var_os("PATH")?).into_iter().find(|place| place.is_file())
        }
        Program::Built(name) => Some(layout.build().join(name)),
        _ => None,
    }
}

fn execute(step: &Step, layout: &GuestLayout) -> Option<Output> {
    // A test that runs real tools starts them; the library does not.
    #[allow(clippy::disallowed_methods)]
    let mut command = Command::new(locate(step.program(), layout)?);
    command.args(step.args()).current_dir(layout.source()).stdin(Stdio::null());
    for (name, value) in step.env() {
        command.env(name, layout.resolve(value).unwrap());
    }
    Some(command.output().unwrap())
}

/// What a run gave: what was printed, and what was collected. `None` where this machine has no such tool.
fn run(request: &CodeRequest) -> Option<(String, Collected)> {
    let dir = tempfile::tempdir().unwrap();
    // A colon in a path is what a search path or a mount option would trip over.
    let root = dir.path().join("work:space");
    std::fs::create_dir(&root).unwrap();
    let registry = OwnerRegistry::open(StateDir::open_at(&dir.path().join("state")).unwrap()).unwrap();
    let mode = execres_workspace::WorkspaceMode::ReadWrite;
    let workspace = TaskWorkspace::open_ambient(&root, mode, registry, ambient_authority()).unwrap();
    let grant = workspace.issue(CallId::random(), AccessRequest::snapshot()).unwrap();
    let bundle = Arc::new(request.bundle().unwrap());
    grant.materialize(bundle.files()).unwrap();
    grant.link_output().unwrap();
    let answer = run_steps(&bundle, &grant);
    grant.close().unwrap();
    assert_eq!(std::fs::read_dir(root.join(".execres/areas")).unwrap().count(), 0, "nothing is left");
    answer
}

fn run_steps(bundle: &Bundle, grant: &AccessGrant) -> Option<(String, Collected)> {
    let layout = GuestLayout::host(grant);
    let mut printed = String::new();
    for step in bundle.steps() {
        let Some(output) = execute(step, &layout) else {
            eprintln!("not run: this machine has no {}", step.program().shown());
            return None;
        };
        assert!(output.status.success(), "{:?}: {}", step.shown(), String::from_utf8_lossy(&output.stderr));
        printed.push_str(&String::from_utf8(output.stdout).unwrap());
    }
    let untrusted = std::os::fd::AsFd::as_fd(grant.dir(Role::Output));
    let kept = collect(untrusted, bundle.outputs(), &CollectCaps::default(), grant.dir(Role::Kept)).unwrap();
    Some((printed, kept))
}

fn request(language: &str) -> CodeRequest {
    CodeRequest::new(Language::parse(language).unwrap()).arg("a b").arg("").output(OutputPath::ALL)
}

fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

/// The program printed its arguments, and left a file under `output/`.
fn check(request: &CodeRequest) {
    let Some((printed, collected)) = run(request) else { return };
    assert_eq!(printed.trim_end(), "[a b][]");
    let kept: Vec<_> = collected.outputs.iter().map(|artifact| (artifact.path.as_str(), artifact.bytes)).collect();
    assert_eq!(kept, [("output/out.txt", 2)]);
    assert!(collected.is_complete());
}

#[test]
fn python() {
    let main = "import sys, lib.part\nprint(''.join(f'[{a}]' for a in sys.argv[1:]))\nlib.part.write()\n";
    let part = "def write():\n    open('output/out.txt', 'w').write('ok')\n";
    check(&request("python").source(main).file(path("lib/part.py"), part));
}

#[test]
fn nodejs() {
    let main = "console.log(process.argv.slice(2).map(a => `[${a}]`).join(''));\nrequire('./part').write();\n";
    let part = "exports.write = () => require('fs').writeFileSync('../output/out.txt', 'ok');\n";
    check(&request("nodejs").source(main).file(path("part.js"), part));
}

#[test]
fn bash() {
    let main = "for a in \"$@\"; do printf '[%s]' \"$a\"; done; echo\n. ./part.sh\n";
    check(&request("bash").source(main).file(path("part.sh"), "printf ok > output/out.txt\n"));
}

const C_MAIN: &str = r#"
#include "inc/part.h"
#include <math.h>
#include <stdio.h>
int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) printf("[%s]", argv[i]);
    return part_write() + (sqrt(argc + 1.0) != 2.0);
}
"#;
const C_PART: &str = r#"
#include "inc/part.h"
#include <stdio.h>
int part_write(void) {
    FILE *file = fopen("output/out.txt", "w");
    return file == NULL || fputs("ok", file) < 0 || fclose(file) != 0;
}
"#;

#[test]
fn c_of_several_files() {
    let request = request("c").source(C_MAIN).file(path("lib/part.c"), C_PART);
    check(&request.file(path("inc/part.h"), "int part_write(void);\n"));
}

#[test]
fn cpp_of_several_files_and_a_part_in_c() {
    let main = r#"
#include "inc/part.h"
#include <iostream>
#include <string>
#include <thread>
std::string shown(const std::string &text);
int main(int argc, char **argv) {
    std::thread worker([&] { for (int i = 1; i < argc; i++) std::cout << shown(argv[i]); });
    worker.join();
    return part_write();
}
"#;
    let shown = "#include <string>\nstd::string shown(const std::string &text) { return \"[\" + text + \"]\"; }\n";
    let header = "#ifdef __cplusplus\nextern \"C\"\n#endif\nint part_write(void);\n";
    let request = request("cpp").source(main).file(path("lib/shown.cc"), shown).file(path("lib/part.c"), C_PART);
    check(&request.file(path("inc/part.h"), header));
}

#[test]
fn a_file_whose_name_looks_like_an_option_is_run() {
    let request = CodeRequest::new(Language::parse("python").unwrap()).file(path("-c.py"), "print('ran')");
    let Some((printed, _)) = run(&request) else { return };
    assert_eq!(printed, "ran\n");
}

#[test]
fn every_tool_of_this_machine_says_its_version_and_where_it_is() {
    for spec in ToolSpec::all() {
        let places = spec.places(&std::env::var_os("PATH").unwrap());
        let Some(place) = places.into_iter().find(|place| place.is_file()) else {
            eprintln!("not run: this machine has no {}", spec.id);
            continue;
        };
        let ask = |args: &[&str]| {
            #[allow(clippy::disallowed_methods)] // As above.
            let output = Command::new(&place).args(args).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        let printed = ask(spec.version_args);
        assert!(spec.parse_version(&printed).is_some(), "{}: {printed}", spec.id);
        if let Some(args) = spec.locate_args {
            let located = ask(args);
            assert!(Path::new(located.trim_end()).is_file(), "{}: {located}", spec.id);
        }
    }
}
