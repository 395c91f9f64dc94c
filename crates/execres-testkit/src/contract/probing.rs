//! Who it is, and what it says that it can do.

use execres_core::{Deadlines, EnsureError};

use super::case::{Case, built};
use super::census::Census;
use super::fault::{Fault, failed, holds};

pub(super) async fn id_and_kinds_are_stable(case: &Case<'_>) -> Result<(), Fault> {
    let (id, kinds) = (case.subject.id, &case.subject.kinds);
    let look = |when: &str| {
        holds(case.provider.id().as_str() == id, || format!("{when} its id is {}, not {id}", case.provider.id()))?;
        holds(!kinds.is_empty() && case.provider.kinds() == kinds, || {
            format!("{when} its kinds are {:?}, not {kinds:?}", case.provider.kinds())
        })
    };
    look("at first")?;
    let made = case.made().await?;
    look("while a resource is there")?;
    case.release(&made).await?;
    look("after a release")?;
    let another = (case.subject.make)();
    holds(another.id().as_str() == id && another.kinds() == kinds, || "a second one has another id or kinds".to_owned())
}

pub(super) async fn probe_starts_nothing_that_stays(case: &Case<'_>) -> Result<(), Fault> {
    // What is kept between probes, such as evidence and the tools that gathered it, is there after the first.
    case.warm_up().await?;
    let before = Census::take(case.subject);
    for _ in 0..3 {
        case.probe(&case.good()?).await?;
    }
    before.settle(case.subject).await
}

pub(super) async fn probe_answers_within_its_deadline(case: &Case<'_>) -> Result<(), Fault> {
    let deadline = case.provider.deadlines(Deadlines::STANDARD).probe;
    let asked = case.good()?;
    let answer = tokio::time::timeout(deadline, case.provider.probe(&asked)).await;
    holds(answer.is_ok(), || format!("the first probe took more than its {deadline:?}"))
}

pub(super) async fn what_it_cannot_do_is_refused(case: &Case<'_>) -> Result<(), Fault> {
    let requirement = built(case.requirement().required(case.subject.beyond.clone()))?;
    let manager = case.manager()?;
    match manager.ensure(requirement).await {
        Ok(handle) => {
            manager.release(&handle).await.map_err(failed("the release"))?;
            Err(Fault::new("it made a resource for a requirement that it cannot satisfy"))
        }
        Err(EnsureError::ProviderUnavailable(_)) => Ok(()),
        Err(error) => Err(Fault::new(format!("it fails in another way than by being unavailable: {error}"))),
    }
}
