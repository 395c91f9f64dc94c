//! Ensure, health check, release, and what is left after each.

use execres_core::Health;
use futures_util::future::join_all;

use super::case::{Case, Made, built, polled};
use super::census::Census;
use super::fault::{Fault, failed, holds};
use super::subject::Breaking;

/// How many polls an ensure is followed for. It is dropped at each of them in turn.
const POLLS: usize = 64;

/// How many resources are made at once.
const AT_ONCE: usize = 8;

pub(super) async fn ensure_makes_a_usable_resource(case: &Case<'_>) -> Result<(), Fault> {
    let made = case.made().await?;
    let used = case.works(&made).await;
    case.release(&made).await?;
    used
}

pub(super) async fn two_ensures_are_independent(case: &Case<'_>) -> Result<(), Fault> {
    let (one, other) = (case.made().await?, case.made().await?);
    case.works(&one).await?;
    case.release(&one).await?;
    let used = case.works(&other).await.map_err(|fault| fault.when("after another resource was released"));
    case.release(&other).await?;
    used
}

pub(super) async fn concurrent_ensures_all_work(case: &Case<'_>) -> Result<(), Fault> {
    let all = join_all((0..AT_ONCE).map(|_| case.made())).await;
    let all: Vec<Made> = all.into_iter().collect::<Result<_, _>>()?;
    for used in join_all(all.iter().map(|made| case.works(made))).await {
        used?;
    }
    for released in join_all(all.iter().map(|made| case.release(made))).await {
        released?;
    }
    Ok(())
}

pub(super) async fn health_check_says_healthy(case: &Case<'_>) -> Result<(), Fault> {
    let made = case.made().await?;
    let health = case.provider.health_check(&made.held).await;
    case.release(&made).await?;
    holds(health == Health::Healthy, || format!("a fresh resource is said to be {health:?}"))
}

pub(super) async fn health_check_notices_a_broken_resource(case: &Case<'_>) -> Result<Option<String>, Fault> {
    let breaking = match &case.subject.breaking {
        Breaking::By(breaking) => breaking,
        Breaking::Impossible(why) => return Ok(Some(format!("optional: nothing to break: {why}"))),
        Breaking::Unsaid => {
            return Err(Fault::new("the description says neither Subject::broken_by nor Subject::cannot_be_broken"));
        }
    };
    let made = case.made().await?;
    (breaking.held)(&made.held).await.map_err(failed("breaking the resource"))?;
    let health = case.provider.health_check(&made.held).await;
    let released = case.release(&made).await.map_err(|fault| fault.when("for a broken resource"));
    holds(health != Health::Healthy, || "a broken resource is said to be healthy".to_owned())?;
    released.map(|()| None)
}

pub(super) async fn release_leaves_nothing(case: &Case<'_>) -> Result<(), Fault> {
    case.warm_up().await?;
    // Probes come first: what they leave is another check's.
    let mut requests = Vec::new();
    for _ in 0..3 {
        let asked = case.good()?;
        let probe = case.probe(&asked).await?;
        requests.push(case.to_ensure(asked, probe)?);
    }
    let before = Census::take(case.subject);
    for request in requests {
        let provided = case.provider.ensure(&request).await.map_err(failed("the ensure"))?;
        let made = Made::new(request, &provided);
        drop(provided);
        let _used = case.works(&made).await;
        case.release(&made).await?;
    }
    before.settle(case.subject).await
}

pub(super) async fn release_is_idempotent(case: &Case<'_>) -> Result<(), Fault> {
    let (one, other) = (case.made().await?, case.made().await?);
    case.release(&one).await?;
    case.release(&one).await.map_err(|fault| fault.when("the second time"))?;
    let used = case.works(&other).await.map_err(|fault| fault.when("after another one's second release"));
    case.release(&other).await?;
    used
}

pub(super) async fn a_dropped_ensure_leaves_nothing(case: &Case<'_>) -> Result<(), Fault> {
    case.warm_up().await?;
    for polls in 0..POLLS {
        let asked = case.good()?;
        let probe = case.probe(&asked).await?;
        let request = case.to_ensure(asked, probe)?;
        let before = Census::take(case.subject);
        let ended = polled(case.provider.ensure(&request), polls).await;
        let is_whole = ended.is_some();
        if let Some(provided) = ended {
            let made = Made::new(request, &provided.map_err(failed("the ensure"))?);
            case.release(&made).await?;
        }
        before.settle(case.subject).await.map_err(|fault| fault.when(&format!("dropped after {polls} polls")))?;
        if is_whole {
            break;
        }
    }
    Ok(())
}

pub(super) async fn a_resource_outlives_the_runtime_that_made_it(case: &Case<'_>) -> Result<(), Fault> {
    let (manager, requirement) = (case.manager()?, built(case.requirement())?);
    let made = std::thread::scope(|threads| {
        let ensuring = threads.spawn(|| {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.map_err(failed("a runtime"))?.block_on(manager.ensure(&requirement)).map_err(failed("the ensure"))
        });
        ensuring.join().unwrap_or_else(|_| Err(Fault::new("the ensure panicked")))
    });
    let handle = made.map_err(|fault| fault.when("on a runtime of one thread"))?;
    let used = (case.usage()?.handle)(&handle).await;
    manager.release(&handle).await.map_err(failed("the release after that runtime was gone"))?;
    used.map_err(failed("using the resource after the runtime that made it was gone"))
}
