//! Limits: of the job, of the policy, and those that are reported as enforced.

use std::time::Duration;

use execres_core::{Clock, Enforcement, LimitKind, Limits, Outcome, Policy};

use super::super::case::{Case, built, policy_of};
use super::super::fault::{Fault, holds};
use super::bench::{Bench, told};
use super::programs;

/// Short, and long enough for a program to begin on a busy machine.
const SHORT: Duration = Duration::from_secs(2);

pub(in super::super) async fn kept_output_is_bounded(case: &Case<'_>) -> Result<(), Fault> {
    const KEPT: u64 = 4096;
    let bench = Bench::set_up(case).await?;
    let (mut job, _grant) = bench.job(programs::LONG, |request| request)?;
    job.limits.output_retained = KEPT;
    let result = bench.runner.run(job).await;
    let (stdout, head, tail) = (&result.stdout, result.stdout.head(), result.stdout.tail());
    holds(result.outcome == Outcome::Exited { code: 0 }, || told(&result))?;
    holds(stdout.total_bytes() == 200_008, || format!("{} bytes are counted of 200008", stdout.total_bytes()))?;
    holds((head.len() + tail.len()) as u64 <= KEPT, || format!("{} bytes are kept", head.len() + tail.len()))?;
    holds(head.starts_with(b"HEADx") && tail.ends_with(b"xTAIL"), || "head and tail are not those written".to_owned())?;
    bench.tear_down().await
}

pub(in super::super) async fn too_much_output_ends_the_run(case: &Case<'_>) -> Result<(), Fault> {
    let bench = Bench::set_up(case).await?;
    let (mut job, _grant) = bench.job(programs::ENDLESS, |request| request)?;
    job.limits.output_hard = 1 << 20;
    let result = bench.runner.run(job).await;
    holds(result.outcome == Outcome::LimitExceeded { limit: LimitKind::Output }, || {
        format!("a program that writes without end: {}", result.outcome)
    })?;
    bench.tear_down().await
}

pub(in super::super) async fn the_limits_of_a_policy_hold(case: &Case<'_>) -> Result<(), Fault> {
    under(case, |policy| policy.with_limits(Limits { wall_time: SHORT, ..Limits::STANDARD })).await
}

pub(in super::super) async fn the_timeout_of_a_policy_holds(case: &Case<'_>) -> Result<(), Fault> {
    under(case, |policy| policy.with_timeout(SHORT)).await
}

pub(in super::super) async fn the_output_cap_of_a_policy_holds(case: &Case<'_>) -> Result<(), Fault> {
    const KEPT: u64 = 4096;
    let requirement = built(case.requirement())?;
    let policy = policy_of(&requirement, |policy| policy.with_max_output_bytes(KEPT));
    let bench = Bench::for_requirement(case, case.requirement().policy(policy)).await?;
    let result = bench.run(programs::LONG, &[]).await?;
    let kept = [&result.stdout, &result.stderr].map(|stream| stream.head().len() + stream.tail().len());
    let kept: usize = kept.iter().sum();
    holds(result.outcome == Outcome::Exited { code: 0 }, || told(&result))?;
    holds(kept as u64 <= KEPT, || format!("{kept} bytes are kept where the policy allows {KEPT}"))?;
    bench.tear_down().await
}

/// A policy that is stricter than the job ends the program.
async fn under(case: &Case<'_>, change: impl FnOnce(Policy) -> Policy) -> Result<(), Fault> {
    let requirement = built(case.requirement())?;
    let policy = policy_of(&requirement, change);
    let bench = Bench::for_requirement(case, case.requirement().policy(policy)).await?;
    let (mut job, _grant) = bench.job(programs::SLEEP, |request| request)?;
    // The job's own limit is far away, and near enough for a provider that does not look at policies to fail and not to hang.
    job.limits.wall_time = SHORT * 8;
    let result = bench.runner.run(job).await;
    holds(result.outcome == Outcome::TimedOut { clock: Clock::Wall }, || told(&result))?;
    holds(result.usage.wall < SHORT * 6, || {
        format!("it was ended by the job's limit, after {:?}, and not by the policy's", result.usage.wall)
    })?;
    bench.tear_down().await
}

pub(in super::super) async fn memory_is_limited_where_that_is_reported(
    case: &Case<'_>,
) -> Result<Option<String>, Fault> {
    let bench = Bench::set_up(case).await?;
    let reported = bench.runner.isolation().limits.iter().find(|limit| limit.limit == "memory");
    if reported.is_none_or(|limit| limit.enforcement != Enforcement::Enforced) {
        bench.tear_down().await?;
        return Ok(Some("optional: no memory limit is reported as enforced here".to_owned()));
    }
    let (mut job, _grant) = bench.job(programs::MEMORY, |request| request)?;
    job.limits.memory = 128 << 20;
    let result = bench.runner.run(job).await;
    holds(!result.outcome.is_success(), || format!("it had four times what it may have: {}", told(&result)))?;
    bench.tear_down().await?;
    Ok(None)
}
