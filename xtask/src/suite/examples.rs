//! The suite `examples`: the programs of `examples/programs` in the sandbox, and the programs that embed the workspace's crates.

mod programs;

use std::path::Path;

use crate::checkout::find_program;
use crate::libtest::{Skip, SkipKind, Tally};
use crate::process::{End, Finished, Task};
use crate::report::Report;
use crate::suite::Context;
use crate::suite::test_binaries::{keep_log, show};
use programs::{PROGRAMS, Program};

/// Programs that embed what the workspace offers: packages below `examples/` of the same name.
pub(super) const EMBEDDING: &[&str] = &[
    "embed-manager",
    "embed-execres",
    "external-provider",
    "approval-service",
    "events-log",
    "scopes-and-shutdown",
    "own-sandbox",
];

pub(super) fn run(context: &Context) -> Report {
    let root = &context.checkout.root;
    let packages = EMBEDDING.iter().flat_map(|package| ["-p", package]);
    let build = Task::cargo().args(["build", "--color", "never", "-p", "execres-cli"]).args(packages).dir(root);
    match build.capture() {
        Ok(finished) if finished.succeeded() => {}
        Ok(finished) => {
            show(&finished, &keep_log(&context.checkout, "examples", &finished));
            return Report::broken(format!("`{}`", build.shown()));
        }
        Err(error) => return Report::broken(error.to_string()),
    }
    let mut tally = Tally::default();
    for program in PROGRAMS {
        tally.add(one(context, program));
    }
    tally.add(control(context));
    for package in EMBEDDING {
        let embedded = Task::new(context.checkout.target.join("debug").join(package)).dir(root);
        tally.add(verdict(context, package, &embedded, |finished| {
            (!finished.succeeded()).then(|| format!("ended with {:?}", finished.end))
        }));
    }
    Report::Ran(tally)
}

/// Runs one program in the sandbox, from an empty directory of its own.
fn one(context: &Context, program: &Program) -> Tally {
    if find_program(program.needs).is_none() {
        let reason = format!("{} is not installed", program.needs);
        return Tally {
            skips: vec![Skip { test: program.file.into(), reason, kind: SkipKind::Unmet }],
            ..Tally::default()
        };
    }
    let dir = match tempfile::Builder::new().prefix("execres-example-").tempdir() {
        Ok(dir) => dir,
        Err(error) => return failure(program.file, format!("no temporary directory: {error}")),
    };
    let examples = context.checkout.root.join("examples");
    let mut task = Task::new(context.checkout.target.join("debug/execres"))
        .arg("run")
        .arg(examples.join("programs").join(program.file))
        .dir(dir.path())
        .env("EXECRES_STATE_DIR", dir.path().join("state"));
    for input in program.inputs {
        task = task.arg("--input").arg(examples.join("data").join(input));
    }
    for output in program.outputs {
        task = task.arg("--output").arg(output);
    }
    verdict(context, program.file, &task, |finished| complaint(program, finished, dir.path()))
}

/// What is wrong with a finished program, if anything.
fn complaint(program: &Program, finished: &Finished, dir: &Path) -> Option<String> {
    if finished.lingering {
        return Some("left a process that holds its output open".into());
    }
    if !finished.succeeded() {
        return Some(format!("ended with {:?}", finished.end));
    }
    if !finished.stdout.contains(program.says) {
        return Some(format!("did not print `{}`", program.says));
    }
    let missing =
        program.outputs.iter().find(|output| dir.join(output).metadata().map_or(0, |meta| meta.len()) == 0)?;
    Some(format!("left no {missing}"))
}

/// The control of `refused.py`: outside the sandbox it must find that something got through.
fn control(context: &Context) -> Tally {
    let name = "refused.py outside the sandbox";
    let task = Task::new("python3").arg(context.checkout.root.join("examples/programs/refused.py"));
    verdict(context, name, &task, |finished| {
        (finished.end != End::Code(1)).then(|| format!("should have exited with 1, ended with {:?}", finished.end))
    })
}

fn verdict(context: &Context, name: &str, task: &Task, complain: impl Fn(&Finished) -> Option<String>) -> Tally {
    match task.capture() {
        Err(error) => failure(name, error.to_string()),
        Ok(finished) => match complain(&finished) {
            None => Tally { passed: 1, ..Tally::default() },
            Some(complaint) => {
                show(
                    &finished,
                    &keep_log(&context.checkout, &format!("examples-{}", name.replace(' ', "-")), &finished),
                );
                failure(name, complaint)
            }
        },
    }
}

fn failure(name: &str, what: String) -> Tally {
    Tally { failed: 1, failures: vec![format!("{name}: {what}")], ..Tally::default() }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROGRAM: Program =
        Program { file: "p.py", needs: "python3", inputs: &[], outputs: &["output/a.csv"], says: "done" };

    fn complain(code: i32, stdout: &str, output: Option<&str>) -> Option<String> {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("output")).unwrap();
        if let Some(text) = output {
            std::fs::write(dir.path().join("output/a.csv"), text).unwrap();
        }
        let finished =
            Finished { end: End::Code(code), stdout: stdout.into(), stderr: String::new(), lingering: false };
        complaint(&PROGRAM, &finished, dir.path())
    }

    #[test]
    fn a_program_has_to_end_well_say_its_line_and_leave_its_file() {
        assert_eq!(complain(0, "all done\n", Some("a,b\n")), None);
        assert!(complain(1, "all done\n", Some("a,b\n")).is_some());
        assert!(complain(0, "", Some("a,b\n")).is_some());
        assert!(complain(0, "all done\n", Some("")).is_some());
        assert!(complain(0, "all done\n", None).is_some());
    }
}
