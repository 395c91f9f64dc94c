use execres_workspace::{FileRole, PathFault};

use super::*;
use crate::bundle::{Program, StepRole};
use crate::toolchain::ToolId;

fn path(text: &str) -> RelativePath {
    RelativePath::parse(text).unwrap()
}

fn request(language: &str) -> CodeRequest {
    CodeRequest::new(Language::parse(language).unwrap())
}

fn code(request: &CodeRequest) -> &'static str {
    request.bundle().unwrap_err().code()
}

#[test]
fn source_text_takes_the_usual_name_and_arguments_may_be_empty() {
    let bundle = request("python").source("print(1)").args(["a b", ""]).bundle().unwrap();
    assert_eq!(bundle.run().shown(), ["python", "main.py", "a b", ""]);
    assert_eq!(bundle.run().program(), &Program::Tool(ToolId::PYTHON));
    assert!(bundle.build().is_empty());
    assert_eq!(bundle.files().files()[0].content(), b"print(1)");
    let needs: Vec<_> = bundle.toolchains().iter().map(ToString::to_string).collect();
    assert_eq!(needs, ["python 3.10 or later"]);
}

#[test]
fn each_language_has_its_command() {
    let run = |language: &str| request(language).source("x").arg("-v").bundle().unwrap().run().shown().join(" ");
    assert_eq!(run("js"), "node main.js -v");
    assert_eq!(run("bash"), "bash main.sh -v");
    assert_eq!(run("c"), "../build/app -v");
    assert_eq!(run("cpp"), "../build/app -v");
}

#[test]
fn every_source_of_a_compiled_program_is_built() {
    let cpp = request("cpp").file(path("lib/b.cc"), "").file(path("main.cpp"), "").file(path("b.hpp"), "");
    let bundle = cpp.file(path("a.cxx"), "").bundle().unwrap();
    let build: Vec<_> = bundle.build().iter().map(|step| step.shown().join(" ")).collect();
    assert_eq!(build, ["c++ -std=c++20 -O1 -pthread -I. -o ../build/app a.cxx lib/b.cc main.cpp"]);
    assert_eq!(bundle.build()[0].role(), StepRole::Build);

    let mixed = request("cpp").file(path("main.cpp"), "").file(path("part.c"), "").bundle().unwrap();
    let build: Vec<_> = mixed.build().iter().map(|step| step.shown().join(" ")).collect();
    assert_eq!(
        build,
        [
            "cc -std=gnu17 -O1 -pthread -I. -c -o ../build/c-0.o part.c",
            "c++ -std=c++20 -O1 -pthread -I. -o ../build/app main.cpp ../build/c-0.o",
        ]
    );
    assert_eq!(mixed.toolchains().len(), 2);

    let c = request("c").file(path("b.c"), "").file(path("main.c"), "").file(path("x.cpp"), "").bundle().unwrap();
    assert_eq!(c.build()[0].shown().join(" "), "cc -std=gnu17 -O1 -pthread -I. -o ../build/app b.c main.c -lm");

    let many = (0..201).fold(request("c"), |request, number| request.file(path(&format!("f{number}.c")), ""));
    assert_eq!(code(&many), "code_execution.too_many_sources");
}

#[test]
fn a_file_name_is_never_an_option() {
    let run = |name: &str| {
        let language = Language::of_file(name).unwrap();
        CodeRequest::new(language).file(path(name), "").bundle().unwrap()
    };
    assert_eq!(run("-c.py").run().shown(), ["python", "./-c.py"]);
    assert!(run("-o.c").build()[0].args().contains(&"./-o.c".to_owned()));
    assert!(run("@list.cpp").build()[0].args().contains(&"./@list.cpp".to_owned()));
}

#[test]
fn the_entry_point_is_found_or_named() {
    let files = || request("python").file(path("b.py"), "").file(path("a.py"), "").file(path("data.txt"), "");
    let entry = |request: CodeRequest| request.bundle().map(|bundle| bundle.entry_point().to_string());
    assert_eq!(entry(files()), Ok("b.py".into()), "the first source that was given");
    assert_eq!(entry(files().file(path("main.py"), "")), Ok("main.py".into()));
    assert_eq!(entry(files().entry_point(path("a.py"))), Ok("a.py".into()));
    assert_eq!(entry(files().source("x")), Ok("main.py".into()));
    assert_eq!(entry(request("python").source("x").entry_point(path("tool/run.py"))), Ok("tool/run.py".into()));
    assert_eq!(code(&files().entry_point(path("none.py"))), "code_execution.no_entry_point");
    assert_eq!(code(&files().entry_point(path("data.txt"))), "code_execution.entry_point_language");
    assert_eq!(code(&request("python").file(path("a.js"), "")), "code_execution.no_source");
    assert_eq!(code(&request("python")), "code_execution.no_source");
    assert_eq!(code(&files().source("x").file(path("MAIN.py"), "")), "workspace.path_collision");
}

#[test]
fn limits_are_exact() {
    let python = || request("python").source("x");
    assert!(python().args(vec!["x"; 254]).bundle().is_ok());
    assert_eq!(code(&python().args(vec!["x"; 255])), "code_execution.too_many_args");
    assert!(python().arg("x".repeat(MAX_ARG_BYTES)).bundle().is_ok());
    assert_eq!(code(&python().arg("x".repeat(MAX_ARG_BYTES + 1))), "code_execution.arg_too_long");
    assert_eq!(code(&python().arg("a\0b")), "code_execution.arg_nul");
    assert_eq!(code(&request("python").source("a\0b")), "code_execution.source_nul");
    assert!(python().file(path("data.bin"), [0, 1]).bundle().is_ok(), "data may hold any byte");
    let output = |number: usize| OutputPath::parse(&format!("output/{number}")).unwrap();
    let outputs = |count| (0..count).fold(python(), |request, number| request.output(output(number)));
    assert!(outputs(MAX_OUTPUTS).bundle().is_ok());
    assert_eq!(code(&outputs(MAX_OUTPUTS + 1)), "code_execution.too_many_outputs");
    let declared = |text: &str| OutputPath::parse(text).unwrap();
    let twice = python().output(declared("output/a")).output(declared("output/A/"));
    assert_eq!(code(&twice), "code_execution.output_twice");
    assert_eq!(code(&python().stdin(vec![0; MAX_STDIN_BYTES + 1])), "code_execution.stdin_too_large");
}

#[test]
fn variables_are_checked_and_win_over_the_adapter() {
    let python = || request("python").source("x");
    let bundle = python().env("MPLBACKEND", "svg").env("CACHE", "workspace://build/cache").bundle().unwrap();
    assert_eq!(bundle.run().env()["MPLBACKEND"], "svg");
    assert_eq!(bundle.run().env()["PYTHONUNBUFFERED"], "1");
    for (name, value, expected) in [
        ("", "x", "code_execution.variable_name"),
        ("a=b", "x", "code_execution.variable_name"),
        ("a\0", "x", "code_execution.variable_name"),
        ("a", "x\0", "code_execution.variable_value"),
        ("a", "workspace://logs/x", "code_execution.unknown_root"),
        ("a", "workspace://build/../x", "workspace.path_invalid"),
    ] {
        assert_eq!(code(&python().env(name, value)), expected, "{name:?}={value:?}");
    }
    assert_eq!(code(&python().env("a", "1").env("a", "2")), "code_execution.variable_twice");
    let many = |count: usize| (0..count).fold(python(), |request, number| request.env(format!("V{number}"), ""));
    assert!(many(MAX_ENV).bundle().is_ok());
    assert_eq!(code(&many(MAX_ENV + 1)), "code_execution.too_many_variables");
}

#[test]
fn a_manifest_is_a_dependency_and_installing_it_is_not_pretended() {
    let with = |policy| request("python").source("x").file(path("requirements.txt"), "numpy").dependencies(policy);
    let bundle = with(DependencyPolicy::Deny).bundle().unwrap();
    let manifest = bundle.files().files().iter().find(|file| file.path().as_str() == "requirements.txt").unwrap();
    assert_eq!(manifest.role(), FileRole::Dependency);
    assert_eq!(code(&with(DependencyPolicy::Request)), "code_execution.install_unavailable");
    assert_eq!(code(&with(DependencyPolicy::Install)), "code_execution.install_unavailable");
    let without = request("python").source("x").dependencies(DependencyPolicy::Request);
    assert!(without.bundle().is_ok(), "where there is nothing to install, any policy does");
}

#[test]
fn nothing_of_the_program_lies_where_outputs_go() {
    assert_eq!(code(&request("python").source("x").file(path("output/a"), "")), "workspace.path_hidden");
    assert_eq!(RelativePath::parse(".execres/a").unwrap_err().fault, PathFault::Private);
}

/// A digest is a promise: the same request has the same one on every machine and in every version.
#[test]
fn the_digest_is_pinned_and_does_not_depend_on_order() {
    let program = || {
        request("cpp")
            .entry_point(path("main.cpp"))
            .args(["1", ""])
            .env("B", "2")
            .env("A", "workspace://build/x")
            .output(OutputPath::parse("output/b").unwrap())
            .output(OutputPath::parse("output/a/").unwrap())
            .provenance("by", "test")
    };
    let one = program().file(path("main.cpp"), "int main(){}").file(path("part.c"), "").bundle().unwrap();
    let other = program().file(path("part.c"), "").file(path("main.cpp"), "int main(){}").bundle().unwrap();
    assert_eq!(one.digest(), other.digest());
    insta::assert_snapshot!(format!("{}\n{}", one.id(), one.digest()));
}

#[test]
fn whatever_counts_changes_the_digest() {
    let base = || request("python").source("x");
    let digests = [
        base(),
        request("python").source("y"),
        base().arg(""),
        base().env("A", ""),
        base().output(OutputPath::ALL),
        base().provenance("a", ""),
        base().file(path("other"), ""),
        request("python").source("x").entry_point(path("x.py")),
    ]
    .map(|request| request.bundle().unwrap().digest());
    let mut distinct = digests.to_vec();
    distinct.sort();
    distinct.dedup();
    assert_eq!(distinct.len(), digests.len());
    assert_eq!(base().stdin("data").bundle().unwrap().digest(), digests[0], "standard input is no part of it");
}

#[test]
fn what_may_be_secret_is_not_printed() {
    let request = request("python").source("hunter2").env("TOKEN", "hunter2").stdin("hunter2");
    let printed = format!("{request:?} {:?}", request.bundle().unwrap());
    assert!(printed.contains("TOKEN"), "control: the name is there");
    assert!(!printed.contains("hunter2") && !printed.contains("104, 117"), "{printed}");
}
