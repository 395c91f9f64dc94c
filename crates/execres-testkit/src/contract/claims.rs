//! Isolation: what is claimed, on which evidence, and whether the resource has it.

use execres_core::{AxisSet, CapabilityRequirements, EnsureError, IsolationReport};

use super::case::{Case, built};
use super::fault::{Fault, failed, holds};

pub(super) async fn axes_are_those_that_the_resource_carries_and_have_evidence(case: &Case<'_>) -> Result<(), Fault> {
    let described = case.subject.axes;
    let made = case.made().await?;
    let probed = made.probed().cloned();
    case.release(&made).await?;
    let claimed = axes_of(probed.as_ref());
    holds(claimed == described, || format!("the probe claims [{claimed}], and the description says [{described}]"))?;
    if let Some(report) = &probed {
        evidence_is_told(report)?;
    }

    let manager = case.manager()?;
    let handle = manager.ensure(built(case.requirement())?).await.map_err(failed("the ensure"))?;
    let carried = axes_of(handle.isolation());
    manager.release(&handle).await.map_err(failed("the release"))?;
    holds(carried == claimed, || format!("the probe claims [{claimed}], and the resource carries [{carried}]"))
}

pub(super) async fn isolation_that_is_not_proven_is_refused(case: &Case<'_>) -> Result<(), Fault> {
    let described = case.subject.axes;
    let manager = case.manager()?;
    for axis in AxisSet::ALL.iter() {
        let one = AxisSet::EMPTY.with(axis);
        let requirement = built(case.requirement().required(CapabilityRequirements::new().with_isolation(one)))?;
        match (manager.ensure(requirement).await, described.contains(axis)) {
            (Ok(handle), proven) => {
                let carried = axes_of(handle.isolation());
                manager.release(&handle).await.map_err(failed("the release"))?;
                holds(proven, || format!("{axis} is required and not proven here, and a resource was made"))?;
                holds(carried.contains(axis), || format!("{axis} is required, and the resource does not carry it"))?;
            }
            (Err(EnsureError::ProviderUnavailable(_)), false) => {}
            (Err(error), _) => return Err(failed::<EnsureError>(&format!("the ensure that requires {axis}"))(error)),
        }
    }
    Ok(())
}

fn axes_of(report: Option<&IsolationReport>) -> AxisSet {
    report.map_or(AxisSet::EMPTY, IsolationReport::axes)
}

/// Evidence that names nothing can be checked by nobody.
fn evidence_is_told(report: &IsolationReport) -> Result<(), Fault> {
    holds(report.axes().is_empty() || !report.evidence_id.is_empty(), || "the evidence has no id".to_owned())?;
    for evidence in report.evidence.iter().filter(|evidence| evidence.holds()) {
        let told = evidence.attempts.iter().all(|attempt| !attempt.name.is_empty() && !attempt.observed.is_empty());
        holds(told, || format!("an attempt against {} does not say what was tried and observed", evidence.axis))?;
    }
    Ok(())
}
