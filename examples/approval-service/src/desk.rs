//! The desk: where questions lie until somebody answers them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use execres_core::{
    ActionCallId, ApprovalHandler, ApprovalRequest, ApprovalRequestId, ApprovalSource, Decision, Kind, OwnerId,
    ResourceKey, Scope,
};

/// An answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Go ahead, once.
    Approve,
}

/// What a question is about. A question that is asked again has a new id and is about the same.
#[derive(Clone, PartialEq, Eq, Hash)]
struct About(ApprovalSource, Kind, ResourceKey, Scope, OwnerId, Option<ActionCallId>);

#[derive(Default)]
struct Lying {
    open: HashMap<ApprovalRequestId, ApprovalRequest>,
    answered: HashMap<About, Answer>,
}

/// A service would keep this in its database, and offer it to people on a page.
#[derive(Default)]
pub(crate) struct Desk(Mutex<Lying>);

/// No question with the id is open.
#[derive(Debug)]
pub(crate) struct NoSuchQuestion;

impl std::fmt::Display for NoSuchQuestion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("no such question is open")
    }
}

impl std::error::Error for NoSuchQuestion {}

impl Desk {
    fn lying(&self) -> MutexGuard<'_, Lying> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn open_questions(&self) -> Vec<ApprovalRequest> {
        self.lying().open.values().cloned().collect()
    }

    pub(crate) fn answer(&self, id: &ApprovalRequestId, answer: Answer) -> Result<(), NoSuchQuestion> {
        let mut lying = self.lying();
        let question = lying.open.remove(id).ok_or(NoSuchQuestion)?;
        lying.answered.insert(about(&question), answer);
        Ok(())
    }
}

fn about(request: &ApprovalRequest) -> About {
    let (kind, subject, owner) = (request.kind.clone(), request.subject.clone(), request.owner.clone());
    About(request.source, kind, subject, request.scope, owner, request.action_call_id.clone())
}

/// The handler, which shares the desk with whoever answers.
#[async_trait]
impl ApprovalHandler for Desk {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let mut lying = self.lying();
        match lying.answered.remove(&about(request)) {
            Some(Answer::Approve) => Decision::Approved,
            None => {
                lying.open.insert(request.id.clone(), request.clone());
                Decision::Pending
            }
        }
    }
}
