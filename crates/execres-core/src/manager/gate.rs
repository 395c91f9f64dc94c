//! The approval gate: passed before anything is probed or started.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, PoisonError};

use super::call::{NoAnswer, call};
use super::error::EnsureError;
use super::inner::Inner;
use super::order::scrub;
use super::reuse_key::{Purpose, ReuseKey};
use crate::approval::{
    ActionCall, ApprovalRequest, ApprovalSource, AutoAllow, CallApproval, Covered, Decision, HandlerTrust,
    QuestionDigest, Risk,
};
use crate::event::{ApprovalGiver, Occurrence, Subject};
use crate::flight::{Inside, WeakWork, Work, work};
use crate::identity::{ActionCallId, ApprovalRequestId, HandlerName, Kind, OwnerId, RequirementId, ResourceKey};
use crate::policy::{ApprovalMode, Policy};
use crate::requirement::{Approval, Requirement};
use crate::scope::Scope;
use crate::settings::Settings;
use crate::sync::Mutex;

/// How many approvals are remembered. Of those forgotten somebody is asked again.
const REMEMBERED: usize = 4096;

type Decided = Result<Policy, EnsureError>;

/// What was approved, and what is being asked.
pub(super) struct Gate(Mutex<Approvals>);

#[derive(Default)]
struct Approvals {
    given: HashMap<ReuseKey, Given>,
    in_order: VecDeque<ReuseKey>,
    asking: HashMap<ReuseKey, WeakWork<Decided>>,
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
        Gate(Mutex::new(Approvals::default()))
    }

    fn with<R>(&self, change: impl FnOnce(&mut Approvals) -> R) -> R {
        change(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whether nobody is being asked.
    #[cfg(all(test, not(feature = "shuttle")))]
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

/// How a requirement came past the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Passage {
    /// Nothing asks for approval, and nothing but the host and the requirement decides that.
    Open,
    /// Somebody was asked, or could have been.
    Guarded,
}

/// What is asked.
struct Question {
    source: ApprovalSource,
    risk: Risk,
    kind: Kind,
    subject: ResourceKey,
    reason: Option<String>,
    requirement_id: RequirementId,
    scope: Scope,
    owner: OwnerId,
    action_call_id: Option<ActionCallId>,
    /// For cutting its secrets out of what a handler writes.
    requirement: Option<Requirement>,
    policy: Policy,
}

impl Question {
    fn about(requirement: &Requirement, owner: &OwnerId, risk: Risk, policy: Policy) -> Self {
        Question {
            source: ApprovalSource::ExecutionResource,
            risk,
            kind: requirement.kind().clone(),
            subject: requirement.resource_key().clone(),
            reason: None,
            requirement_id: requirement.id().clone(),
            scope: requirement.scope(),
            owner: owner.clone(),
            action_call_id: requirement.action_call_id().cloned(),
            requirement: Some(requirement.clone()),
            policy,
        }
    }

    fn request(&self, id: ApprovalRequestId, digest: QuestionDigest, settings: &Settings) -> ApprovalRequest {
        ApprovalRequest {
            id,
            digest,
            source: self.source,
            risk: self.risk,
            kind: self.kind.clone(),
            subject: self.subject.clone(),
            reason: self.reason.clone(),
            requirement_id: self.requirement_id.clone(),
            policy: Arc::new(self.policy.clone()),
            scope: self.scope,
            owner: self.owner.clone(),
            action_call_id: self.action_call_id.clone(),
            input_timeout: settings.input_timeout(),
        }
    }

    fn event_subject(&self) -> Subject {
        Subject {
            requirement_id: self.requirement_id.clone(),
            handle_id: None,
            kind: self.kind.clone(),
            scope: self.scope,
            owner: self.owner.clone(),
            resource_key: self.subject.clone(),
            provider_id: None,
        }
    }
}

impl Inner {
    /// The policy under which the requirement may be fulfilled.
    ///
    /// The host may name what isolates nothing. Who has only a layer of its settings, and does, has to be allowed to.
    pub(super) async fn pass_gate(
        self: &Arc<Self>,
        requirement: &Requirement,
        owner: &OwnerId,
        below_names_opt_in: bool,
        settings: &Settings,
    ) -> Result<(Policy, Passage), EnsureError> {
        let mut policy = self.policy.tightened_by(requirement.policy());
        let risk = if self.names_opt_in(requirement) { Risk::IsolationOff } else { Risk::Resource };
        let needed = requirement.approval() == Approval::Needed || below_names_opt_in;
        let open = !needed && policy.approval_mode != ApprovalMode::Always;
        if open && requirement.covered_by().is_none() {
            return Ok((policy, Passage::Open));
        }
        let cover = self.cover(requirement, owner, risk);
        if let Some(cover) = cover {
            policy = policy.tightened_by(&cover.policy);
        }
        let approval =
            if open || cover.is_some_and(|cover| cover.approved) { Approval::ByPolicy } else { Approval::Needed };
        let question = Question::about(requirement, owner, risk, policy);
        // `never` denies what needs approval, also where the call has it.
        let denied = question.policy.approval_mode == ApprovalMode::Never && needed;
        let what = self.keyer.key(Purpose::Approval, requirement, owner, &question.policy);
        let policy = match approval {
            Approval::ByPolicy if !denied => question.policy,
            _ => self.decide(question, &what, settings).await?,
        };
        Ok((policy, Passage::Guarded))
    }

    /// The approval of the requirement's call, if it is one of this manager's for the very same thing.
    fn cover<'a>(&self, requirement: &'a Requirement, owner: &OwnerId, risk: Risk) -> Option<&'a Covered> {
        let cover = &*requirement.covered_by()?.0;
        let same = Arc::ptr_eq(&cover.manager, &self.name)
            && Some(&cover.call_id) == requirement.action_call_id()
            && Some(&cover.digest) == requirement.call()
            && cover.owner == *owner
            && cover.risk >= risk;
        same.then_some(cover)
    }

    pub(super) async fn approve_call(
        self: &Arc<Self>,
        call: ActionCall,
        settings: &Settings,
    ) -> Result<CallApproval, EnsureError> {
        if self.is_forked() {
            return Err(EnsureError::Forked);
        }
        if self.is_closed() {
            return Err(EnsureError::Shutdown);
        }
        let owner = call.owner.clone().unwrap_or_else(|| settings.owner());
        let policy = self.policy.tightened_by(&call.policy);
        let open = call.approval == Approval::ByPolicy && policy.approval_mode != ApprovalMode::Always;
        let what = self.keyer.call(&call, &owner, &policy);
        let question = Question {
            source: ApprovalSource::Action,
            risk: call.risk,
            kind: call.kind,
            subject: call.subject,
            reason: call.reason,
            requirement_id: RequirementId::of_call(&call.id),
            scope: call.scope,
            owner: owner.clone(),
            action_call_id: Some(call.id.clone()),
            requirement: None,
            policy,
        };
        let policy = if open { question.policy } else { self.decide(question, &what, settings).await? };
        let approved = !open;
        let (manager, call_id) = (Arc::clone(&self.name), call.id);
        Ok(CallApproval(Arc::new(Covered {
            manager,
            call_id,
            digest: call.digest,
            owner,
            risk: call.risk,
            policy,
            approved,
        })))
    }

    /// Decides on something that needs approval.
    async fn decide(self: &Arc<Self>, question: Question, what: &ReuseKey, settings: &Settings) -> Decided {
        let tell = |occurrence| self.bus.emit(|| question.event_subject(), occurrence);
        let once = match question.policy.approval_mode {
            ApprovalMode::Never => {
                tell(Occurrence::Denied { request_id: None });
                let reason = "the approval mode of the policy is `never`".to_owned();
                return Err(EnsureError::ApprovalDenied { kind: question.kind, reason });
            }
            ApprovalMode::Auto => true,
            ApprovalMode::Always => false,
        };
        if settings.auto_allow() == AutoAllow::On && question.risk == Risk::Resource {
            let request_id = ApprovalRequestId::generate();
            tell(Occurrence::Approved { request_id, by: ApprovalGiver::AutoAllow });
            return Ok(question.policy);
        }
        let handler = settings.approval_handler();
        let digest = self.keyer.question(what, &handler, question.risk);
        let shown = self.keyer.shown(what, question.risk);
        let asking = {
            let (inner, settings) = (Arc::clone(self), settings.clone());
            let remember = once.then(|| digest.clone());
            async move { inner.ask(question, shown, handler, settings, remember).await }
        };
        let asked = match once {
            false => Asked::Now(work(asking)),
            true => self.gate.with(|approvals| {
                if let Some(given) = approvals.given.get(&digest) {
                    return Asked::Before(Box::new(given.policy.clone()));
                }
                let shared = match approvals.asking.get(&digest).and_then(WeakWork::upgrade) {
                    Some(shared) => shared,
                    None => {
                        let shared = work(asking);
                        approvals.asking.insert(digest.clone(), shared.downgrade());
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
        question: Question,
        shown: QuestionDigest,
        name: HandlerName,
        settings: Settings,
        remember: Option<ReuseKey>,
    ) -> Decided {
        let request_id = ApprovalRequestId::generate();
        let tell = |occurrence| self.bus.emit(|| question.event_subject(), occurrence);
        tell(Occurrence::ApprovalRequired { request_id: request_id.clone() });
        tell(Occurrence::ApprovalAsked { request_id: request_id.clone(), handler: name.clone() });
        let kind = question.kind.clone();
        let denied = |reason: &str| {
            tell(Occurrence::Denied { request_id: Some(request_id.clone()) });
            let reason = question.requirement.as_ref().map_or_else(|| reason.to_owned(), |one| scrub(one, reason));
            Err(EnsureError::ApprovalDenied { kind: kind.clone(), reason })
        };
        // A name is checked when it is set, and nothing is taken out of the table.
        let Some(entry) = settings.handlers().get(&name) else { return denied("the approval handler is gone") };
        let mut request = question.request(request_id.clone(), shown, &settings);
        // A person is not promised time that the handler does not have.
        request.input_timeout = request.input_timeout.min(self.deadlines.approval);
        let decision = call(self.deadlines.approval, async { entry.handler.decide(&request).await }).await;
        let approved = match (decision, entry.trust) {
            (Ok(Decision::Approved), _) => question.policy.clone(),
            (Ok(Decision::ApprovedUnder(narrower)), HandlerTrust::ToNarrow) => question.policy.tightened_by(&narrower),
            (Ok(Decision::ApprovedUnder(wider)), HandlerTrust::ToWiden) => self.policy.tightened_by(&wider),
            (Ok(Decision::Denied { reason }), _) => return denied(&reason),
            (Ok(Decision::Pending), _) => {
                tell(Occurrence::Pending { request_id: request_id.clone() });
                return Err(EnsureError::ApprovalRequired { kind, request_id });
            }
            (Err(NoAnswer::Panicked), _) => return denied(&format!("the approval handler {name} panicked")),
            (Err(NoAnswer::TooLate(deadline)), _) => {
                return denied(&format!("the approval handler {name} did not answer in {deadline:?}"));
            }
        };
        if let Some(digest) = remember {
            let (scope, owner) = (question.scope, question.owner.clone());
            self.gate.remember(digest, Given { scope, owner, policy: approved.clone() });
        }
        tell(Occurrence::Approved { request_id: request_id.clone(), by: ApprovalGiver::Handler(name) });
        Ok(approved)
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
