//! One provider under one check: the calls as a manager would make them.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use execres_core::{
    Availability, EnsureRequest, HandleId, HeldResource, IsolationReport, Manager, Policy, Probe, ProbeRequest,
    ProgressReporter, ProvidedResource, Provider, ProviderError, Requirement, RequirementBuilder,
};

use super::fault::{Fault, failed};
use super::subject::{Subject, Use};

/// One provider under one check.
pub(super) struct Case<'a> {
    pub(super) subject: &'a Subject,
    pub(super) provider: Arc<dyn Provider>,
    handles: AtomicUsize,
}

/// A resource, as the provider gets it back. The share that the provider handed over goes with it.
pub(super) struct Made {
    pub(super) held: HeldResource,
    pub(super) shown: String,
}

impl<'a> Case<'a> {
    pub(super) fn new(subject: &'a Subject) -> Self {
        Case { subject, provider: (subject.make)(), handles: AtomicUsize::new(0) }
    }

    /// The requirement that it satisfies, to be changed. It names the provider, so that one that has to be named can be chosen.
    pub(super) fn requirement(&self) -> RequirementBuilder {
        (self.subject.ask)().provider_id(self.provider.id().clone())
    }

    pub(super) fn good(&self) -> Result<ProbeRequest, Fault> {
        self.asked(self.requirement())
    }

    pub(super) fn asked(&self, requirement: RequirementBuilder) -> Result<ProbeRequest, Fault> {
        let requirement = built(requirement)?;
        let (config, policy) = (requirement.config().clone(), Arc::new(requirement.policy().clone()));
        Ok(ProbeRequest::new(Arc::new(requirement), config, policy))
    }

    /// A probe that has to say that a resource can be made.
    pub(super) async fn probe(&self, asked: &ProbeRequest) -> Result<Probe, Fault> {
        let probe = self.provider.probe(asked).await.map_err(failed("the probe"))?;
        match probe.availability() {
            Availability::Available => Ok(probe),
            Availability::Unavailable { reason, .. } => {
                Err(Fault::new(format!("the requirement that it satisfies is refused: {reason}")))
            }
        }
    }

    pub(super) fn to_ensure(&self, asked: ProbeRequest, probe: Probe) -> Result<EnsureRequest, Fault> {
        let number = self.handles.fetch_add(1, Ordering::SeqCst);
        let id =
            HandleId::new(format!("contract:{}-{number}", uuid::Uuid::new_v4().simple())).map_err(failed("an id"))?;
        Ok(EnsureRequest::new(asked, probe, id, ProgressReporter::none()))
    }

    pub(super) async fn made(&self) -> Result<Made, Fault> {
        self.made_for(self.good()?).await
    }

    pub(super) async fn made_for(&self, asked: ProbeRequest) -> Result<Made, Fault> {
        let probe = self.probe(&asked).await?;
        let request = self.to_ensure(asked, probe)?;
        let provided = self.provider.ensure(&request).await.map_err(failed("the ensure"))?;
        Ok(Made::new(request, &provided))
    }

    pub(super) async fn release(&self, made: &Made) -> Result<(), Fault> {
        self.provider.release(&made.held).await.map_err(failed("the release"))
    }

    /// Makes a resource, uses it and releases it: what is made once and kept is made then, and is no leftover later. Whether the use
    /// works is another check's.
    pub(super) async fn warm_up(&self) -> Result<(), Fault> {
        let made = self.made().await?;
        let _used = self.works(&made).await;
        self.release(&made).await
    }

    pub(super) fn usage(&self) -> Result<&Use, Fault> {
        self.subject.usage.as_ref().ok_or_else(|| Fault::new("the description says no use: add Subject::used_by"))
    }

    pub(super) async fn works(&self, made: &Made) -> Result<(), Fault> {
        (self.usage()?.held)(&made.held).await.map_err(failed("using the resource"))
    }

    /// A manager with the provider and nobody else.
    pub(super) fn manager(&self) -> Result<Manager, Fault> {
        let manager = Manager::builder().build();
        manager.register_shared_provider(Arc::clone(&self.provider)).map_err(failed("registering"))?;
        Ok(manager)
    }
}

impl Made {
    pub(super) fn new(request: EnsureRequest, provided: &ProvidedResource) -> Self {
        Made { shown: format!("{provided:?}"), held: HeldResource::new(request, provided) }
    }

    pub(super) fn probed(&self) -> Option<&IsolationReport> {
        self.held.request().probe().isolation()
    }
}

pub(super) fn built(requirement: RequirementBuilder) -> Result<Requirement, Fault> {
    requirement.build().map_err(failed("the requirement of the description"))
}

/// What a policy says, changed.
pub(super) fn policy_of(requirement: &Requirement, change: impl FnOnce(Policy) -> Policy) -> Policy {
    change(requirement.policy().clone())
}

/// The outcome of an ensure that is dropped when it was polled so often and has not come to its end.
pub(super) async fn polled(
    ensuring: impl Future<Output = Result<ProvidedResource, ProviderError>>,
    polls: usize,
) -> Option<Result<ProvidedResource, ProviderError>> {
    let mut ensuring = pin!(ensuring);
    let mut polled = 0;
    std::future::poll_fn(|context| {
        if polled == polls {
            return Poll::Ready(None);
        }
        polled += 1;
        match ensuring.as_mut().poll(context) {
            Poll::Ready(done) => Poll::Ready(Some(done)),
            Poll::Pending if polled == polls => Poll::Ready(None),
            Poll::Pending => Poll::Pending,
        }
    })
    .await
}
