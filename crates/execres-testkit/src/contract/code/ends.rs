//! How runs are ended from outside: nothing of the program lives on.

use std::sync::Arc;
use std::time::Duration;

use execres_code::{CodeJob, OutputSink, StepAt};
use execres_core::{Clock, Outcome, Stream};
use execres_workspace::AccessGrant;
use tokio::sync::Notify;

use super::super::case::Case;
use super::super::census::{gone, is_running};
use super::super::fault::{Fault, holds};
use super::bench::{Bench, told};
use super::programs;

/// Tells when the program has written something.
#[derive(Debug, Default)]
struct Begun(Notify);

impl OutputSink for Begun {
    fn write(&self, _step: StepAt, stream: Stream, _bytes: &[u8]) {
        if stream == Stream::Stdout {
            self.0.notify_one();
        }
    }
}

/// A job whose processes hide, what tells that it has begun, the word by which they are found, and the job's grant.
type Hiding = (CodeJob, Arc<Begun>, String, Arc<AccessGrant>);

fn hiding(bench: &Bench<'_>) -> Result<Hiding, Fault> {
    let word = uuid::Uuid::new_v4().simple().to_string();
    let (mut job, grant) = bench.job(programs::HIDE, |request| request.arg(word.as_str()))?;
    let begun = Arc::new(Begun::default());
    job.sink = Some(Arc::clone(&begun) as Arc<dyn OutputSink>);
    Ok((job, begun, word, grant))
}

pub(in super::super) async fn a_deadline_ends_every_process(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    // Long enough for an interpreter to start on a busy machine.
    const DEADLINE: Duration = Duration::from_secs(5);
    let (mut job, begun, word, _grant) = hiding(&bench)?;
    job.limits.wall_time = DEADLINE;
    let seen = async {
        begun.0.notified().await;
        is_running(&word)
    };
    let result = bench.runner.run(job);
    let (result, seen) = tokio::join!(result, tokio::time::timeout(DEADLINE, seen));
    holds(seen == Ok(true), || format!("the control: the program's processes are seen from here: {}", told(&result)))?;
    holds(result.outcome == Outcome::TimedOut { clock: Clock::Wall }, || told(&result))?;
    holds(result.stdout.text() == "begun\n", || format!("what it had written is lost: {}", told(&result)))?;
    gone(&word).await?;
    bench.tear_down().await
}

pub(in super::super) async fn cancelling_ends_every_process(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, begun, word, _grant) = hiding(&bench)?;
    let cancel = job.cancel.clone();
    let seen = async {
        begun.0.notified().await;
        let seen = is_running(&word);
        cancel.cancel();
        seen
    };
    let (result, seen) = tokio::join!(bench.runner.run(job), seen);
    holds(seen, || "the control: the program's processes are seen from here".to_owned())?;
    holds(result.outcome == Outcome::Cancelled, || told(&result))?;
    holds(result.stdout.text() == "begun\n", || format!("what it had written is lost: {}", told(&result)))?;
    gone(&word).await?;
    bench.tear_down().await
}

pub(in super::super) async fn dropping_a_run_ends_every_process(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (job, begun, word, _grant) = hiding(&bench)?;
    // The run is dropped when the other branch is done, so that one looks for the processes before.
    let waiting = async {
        begun.0.notified().await;
        is_running(&word)
    };
    let seen = tokio::select! {
        result = bench.runner.run(job) => {
            return Err(Fault::new(format!("the control: the program waits: {}", told(&result))));
        }
        seen = waiting => seen,
    };
    holds(seen, || "the control: the program's processes are seen from here".to_owned())?;
    gone(&word).await?;
    bench.tear_down().await
}
