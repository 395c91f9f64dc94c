//! What goes into a program and what comes out of it.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use execres_code::{OutputSink, Status, StepAt, StepRole};
use execres_core::Stream;
use execres_workspace::{OutputPath, Role};

use super::super::case::Case;
use super::super::fault::{Fault, failed, holds};
use super::bench::{Bench, told};
use super::programs;

/// Variables that a provider may set to what the host has too.
const USUAL: &[&str] = &[
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TERM", "TMPDIR", "USER", "LOGNAME", "SHELL", "PWD", "SHLVL", "_",
    "TZ",
];

pub(in super::super) async fn standard_input_arrives(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, _grant) = bench.job(programs::READ, |request| request.stdin("some text"))?;
    let result = bench.runner.run(job).await;
    holds(result.stdout.text() == "9 some text\n", || told(&result))?;
    let result = bench.run(programs::READ, &[]).await?;
    holds(result.stdout.text() == "0 \n", || format!("without standard input: {}", told(&result)))?;
    bench.tear_down().await
}

pub(in super::super) async fn variables_arrive(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (mut job, grant) = bench.job(programs::WRITE_TO, |request| {
        let request = request.env("WORD", "from the bundle").env("OVER", "hidden").env("PLACE", "workspace://output/");
        OutputPath::parse("output/placed.txt").map_or(request.clone(), |path| request.output(path))
    })?;
    job.env = vec![("OVER".to_owned(), ", and the job".to_owned())];
    let result = bench.runner.run(job).await;
    holds(result.status == Status::Success, || told(&result))?;
    let text = grant.dir(Role::Kept).read_to_string("placed.txt").map_err(failed("a kept output"))?;
    holds(text == "from the bundle, and the job", || format!("the variables were {text:?}"))?;
    bench.tear_down().await
}

pub(in super::super) async fn the_host_s_environment_stays_outside(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, _grant) = bench.job(programs::ENVIRONMENT, |request| request)?;
    // What the bundle sets is the program's by right, even where the host has the same.
    let set: Vec<&str> = job.bundle.steps().flat_map(|step| step.env()).map(|(name, _)| name.as_str()).collect();
    let is_own = |name: &str| !USUAL.contains(&name) && !set.contains(&name);
    let own: Vec<(String, String)> = std::env::vars().filter(|(name, _)| is_own(name)).collect();
    holds(!own.is_empty(), || "the control: this process has no variable that could leak: set one".to_owned())?;
    let result = bench.runner.run(job).await;
    let seen: BTreeMap<String, String> =
        serde_json::from_str(&result.stdout.text()).map_err(|_| Fault::new(told(&result)))?;
    let leaked: Vec<&str> =
        own.iter().filter(|(name, value)| seen.get(name) == Some(value)).map(|(name, _)| name.as_str()).collect();
    holds(leaked.is_empty(), || format!("the program has the host's {}", leaked.join(", ")))?;
    bench.tear_down().await
}

/// Keeps what is streamed.
#[derive(Debug, Default)]
struct Streamed(Mutex<BTreeMap<&'static str, Vec<u8>>>);

impl OutputSink for Streamed {
    fn write(&self, step: StepAt, stream: Stream, bytes: &[u8]) {
        let name = match (step.role, stream) {
            (StepRole::Run, Stream::Stdout) => "stdout",
            (StepRole::Run, Stream::Stderr) => "stderr",
            _ => "another step",
        };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).entry(name).or_default().extend(bytes);
    }
}

pub(in super::super) async fn output_is_streamed(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (mut job, _grant) = bench.job(programs::LINES, |request| request)?;
    let streamed = Arc::new(Streamed::default());
    job.sink = Some(Arc::clone(&streamed) as Arc<dyn OutputSink>);
    let result = bench.runner.run(job).await;
    let streamed = streamed.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let wanted =
        BTreeMap::from([("stdout", result.stdout.text().into_bytes()), ("stderr", result.stderr.text().into_bytes())]);
    holds(result.stdout.text().lines().count() == 5, || told(&result))?;
    holds(streamed == wanted, || "what was streamed is not what was kept".to_owned())?;
    bench.tear_down().await
}
