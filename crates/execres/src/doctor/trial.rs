//! Whether a program really runs, by the very way that every call takes.

use std::path::Path;

use execres_code::{CodeRequest, Language};
use execres_isolation::Rung;

use super::report::{Check, Group, Importance, Remedy, Status};
use crate::{CodeCall, Execres, Isolation};

const WHY: &str = "the probe tries what must not work; this tries what must";

/// A program of one line that writes an output and a file that is not kept, for the languages that need no compiler.
const PROGRAMS: [(&str, &str); 3] = [
    ("bash", "mktemp > output/file && echo fine"),
    ("python", "import tempfile; open('output/file', 'w').write(tempfile.mkdtemp()); print('fine')"),
    (
        "nodejs",
        "const { mkdtempSync, writeFileSync } = require('fs'); writeFileSync('output/file', mkdtempSync(require('os').tmpdir() + '/')); console.log('fine')",
    ),
];

/// Runs a program of one line in the first language that this host has, on its rung.
pub(super) async fn check(state_dir: Option<&Path>, rung: Option<Rung>, languages: &[Check]) -> Check {
    let check = |found: String| Check::ok("sandbox.run", Group::Host, WHY, found);
    let Some(rung) = rung else { return check("not tried: there is no sandbox".into()).with_status(Status::Unknown) };
    let is_there = |language: &str| {
        languages.iter().any(|check| check.id == format!("language.{language}") && check.status == Status::Ok)
    };
    let Some((language, source)) = PROGRAMS.into_iter().find(|(language, _)| is_there(language)) else {
        return check("there is no interpreter of a program's language".into())
            .with_status(Status::Missing)
            .of_importance(Importance::Required)
            .with_remedy(Remedy::commands("Install one of them:", ["sudo apt-get install bash python3 nodejs"]));
    };
    match attempt(state_dir, rung, language, source).await {
        Ok(()) => check("a program ran, wrote a file, and had it collected".into()),
        Err(why) => check(format!("a program of one line did not run: {why}"))
            .with_status(Status::Missing)
            .of_importance(Importance::Required)
            .with_remedy(Remedy::commands(
                "See it fail by itself:",
                ["echo 'echo fine' | execres run --language bash -"],
            )),
    }
}

async fn attempt(state_dir: Option<&Path>, rung: Rung, language: &str, source: &str) -> Result<(), String> {
    let mut builder = Execres::builder();
    if let Some(path) = state_dir {
        builder = builder.state_dir(path);
    }
    let execres = builder.build().map_err(|error| error.to_string())?;
    let language = Language::parse(language).map_err(|error| error.to_string())?;
    let mut call = CodeCall::new(CodeRequest::new(language).source(source));
    if rung == Rung::NoNamespaces {
        // The axes check says what is missing there.
        call.isolation = Isolation::PreferredDangerously;
    }
    let result = execres.run(call).await.map_err(|error| error.to_string())?;
    if result.is_success() && result.stdout.text() == "fine\n" {
        return Ok(());
    }
    // What a program prints is escaped where a page is printed.
    let said = result.stderr.text();
    Err(format!("{}: {}", result.outcome, said.lines().next().unwrap_or("it said nothing")))
}
