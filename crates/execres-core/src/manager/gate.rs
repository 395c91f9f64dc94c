//! The approval gate: passed before anything is probed or started.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::WeakShared;

use super::call::call;
use super::error::EnsureError;
use super::inner::Inner;
use super::order::subject;
use super::reuse_key::{Purpose, ReuseKey};
use crate::approval::{ApprovalRequest, AutoAllow, Decision};
use crate::event::{ApprovalGiver, Occurrence};
use crate::flight::{Boxed, Inside, Work, work};
use crate::identity::{ApprovalRequestId, OwnerId};
use crate::policy::{ApprovalMode, Policy};
use crate::requirement::{Approval, Requirement};
use crate::scope::Scope;

/// How many approvals are remembered. Of those forgotten somebody is asked again.
const REMEMBERED: usize = 4096;

type Decided = Result<Policy, EnsureError>;

/// What was approved, and what is being asked.
pub(super) struct Gate(Mutex<Approvals>);

#[derive(Default)]
struct Approvals {
    given: HashMap<ReuseKey, Given>,
    in_order: VecDeque<ReuseKey>,
    asking: HashMap<ReuseKey, WeakShared<Boxed<Decided>>>,
}

struct Given {
    scope: Scope,
    owner: OwnerId,
    policy: Policy,
}

enum Asked {
    Before(Box<Policy>),
    Now(Work<Decided>),
}

impl Gate {
    pub(super) fn new() -> Self {
        Gate(Mutex::default())
    }

    fn with<R>(&self, change: impl FnOnce(&mut Approvals) -> R) -> R {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether nobody is being asked.
    #[cfg(test)]
    pub(super) fn is_idle(&self) -> bool {
        self.with(|approvals| approvals.asking.is_empty())
    }

    /// Forgets what was approved for an owner in a scope.
    pub(super) fn forget(&self, scope: Scope, owner: &OwnerId) {
        self.with(|approvals| {
            approvals.given.retain(|_, given| given.scope != scope || given.owner != *owner);
            let Approvals { given, in_order, .. } = approvals;
            in_order.retain(|digest| given.contains_key(digest));
        });
    }

    fn remember(&self, digest: ReuseKey, given: Given) {
        self.with(|approvals| {
            if approvals.given.insert(digest.clone(), given).is_none() {
                approvals.in_order.push_back(digest);
            }
            if approvals.in_order.len() > REMEMBERED
                && let Some(oldest) = approvals.in_order.pop_front()
            {
                approvals.given.remove(&oldest);
            }
        });
    }
}

impl Inner {
    /// The policy under which the requirement may be fulfilled.
    pub(super) async fn pass_gate(self: &Arc<Self>, requirement: &Arc<Requirement>, owner: &OwnerId) -> Decided {
        let policy = self.policy.tightened_by(requirement.policy());
        let once = match (policy.approval_mode, requirement.approval()) {
            (ApprovalMode::Auto | ApprovalMode::Never, Approval::ByPolicy) => return Ok(policy),
            (ApprovalMode::Never, Approval::Needed) => {
                self.tell(requirement, owner, Occurrence::Denied { request_id: None });
                let reason = "the approval mode of the policy is `never`".to_owned();
                return Err(EnsureError::ApprovalDenied { kind: requirement.kind().clone(), reason });
            }
            (ApprovalMode::Auto, Approval::Needed) => true,
            (ApprovalMode::Always, _) => false,
        };
        if self.auto_allow == AutoAllow::On {
            let request_id = ApprovalRequestId::generate();
            self.tell(requirement, owner, Occurrence::Approved { request_id, by: ApprovalGiver::AutoAllow });
            return Ok(policy);
        }
        let digest = self.keyer.key(Purpose::Approval, requirement, owner, &policy);
        let asking = {
            let (inner, requirement, owner) = (Arc::clone(self), Arc::clone(requirement), owner.clone());
            let remember = once.then(|| digest.clone());
            async move { inner.ask(requirement, owner, policy, remember).await }
        };
        let asked = match once {
            false => Asked::Now(work(asking)),
            true => self.gate.with(|approvals| {
                if let Some(given) = approvals.given.get(&digest) {
                    return Asked::Before(Box::new(given.policy.clone()));
                }
                let shared = match approvals.asking.get(&digest).and_then(WeakShared::upgrade) {
                    Some(shared) => shared,
                    None => {
                        let shared = work(asking);
                        if let Some(weak) = shared.downgrade() {
                            approvals.asking.insert(digest.clone(), weak);
                        }
                        shared
                    }
                };
                Asked::Now(shared)
            }),
        };
        match asked {
            Asked::Before(policy) => Ok(*policy),
            Asked::Now(shared) => {
                let _entry = Asking { inner: self, digest: &digest };
                Inside::new(shared, self.owner_runtime()?).await
            }
        }
    }

    async fn ask(
        self: Arc<Self>,
        requirement: Arc<Requirement>,
        owner: OwnerId,
        policy: Policy,
        remember: Option<ReuseKey>,
    ) -> Decided {
        let (name, handler) = self.handlers.default_handler();
        let request_id = ApprovalRequestId::generate();
        let request = ApprovalRequest {
            id: request_id.clone(),
            kind: requirement.kind().clone(),
            subject: requirement.resource_key().clone(),
            requirement_id: requirement.id().clone(),
            policy: Arc::new(policy.clone()),
            scope: requirement.scope(),
            owner: owner.clone(),
            action_call_id: requirement.action_call_id().cloned(),
        };
        let tell = |occurrence| self.tell(&requirement, &owner, occurrence);
        tell(Occurrence::ApprovalRequired { request_id: request_id.clone() });
        tell(Occurrence::ApprovalAsked { request_id: request_id.clone(), handler: name.clone() });
        let kind = requirement.kind().clone();
        let denied = |reason: &str| {
            tell(Occurrence::Denied { request_id: Some(request_id.clone()) });
            Err(EnsureError::ApprovalDenied { kind: kind.clone(), reason: reason.to_owned() })
        };
        let approved = match call(self.deadlines.approval, async { handler.decide(&request).await }).await {
            Ok(Decision::Approved) => policy,
            Ok(Decision::ApprovedUnder(narrower)) => policy.tightened_by(&narrower),
            Ok(Decision::Denied { reason }) => return denied(&requirement.config().redact(&reason)),
            Ok(Decision::Pending) => {
                tell(Occurrence::Pending { request_id: request_id.clone() });
                return Err(EnsureError::ApprovalRequired { kind, request_id });
            }
            Err(_no_answer) => return denied("the approval handler failed or did not answer in time"),
        };
        if let Some(digest) = remember {
            let scope = requirement.scope();
            self.gate.remember(digest, Given { scope, owner: owner.clone(), policy: approved.clone() });
        }
        tell(Occurrence::Approved { request_id, by: ApprovalGiver::Handler(name) });
        Ok(approved)
    }

    fn tell(&self, requirement: &Requirement, owner: &OwnerId, occurrence: Occurrence) {
        self.bus.emit(|| subject(requirement, owner, None, None), occurrence);
    }
}

/// Takes the entry of a request that nobody waits for any more out of the table.
struct Asking<'a> {
    inner: &'a Arc<Inner>,
    digest: &'a ReuseKey,
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        // Others that still wait lose nothing but that a newcomer would ask once more, so the entry stays while they do.
        let _weak = self.inner.gate.with(|approvals| match approvals.asking.get(self.digest) {
            Some(weak) if weak.upgrade().is_none() => approvals.asking.remove(self.digest),
            _ => None,
        });
    }
}
