//! The desk: where questions lie until somebody answers them.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use execres_core::{ApprovalHandler, ApprovalRequest, ApprovalRequestId, Decision, QuestionDigest};

/// An answer to one question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// Go ahead, once.
    Approve,
}

#[derive(Default)]
struct Lying {
    open: HashMap<ApprovalRequestId, ApprovalRequest>,
    /// By digest: a question that is asked again has a new id, and one that differs in anything has another digest.
    answered: HashMap<QuestionDigest, Answer>,
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
        lying.answered.insert(question.digest, answer);
        Ok(())
    }
}

/// The handler, which shares the desk with whoever answers.
#[async_trait]
impl ApprovalHandler for Desk {
    async fn decide(&self, request: &ApprovalRequest) -> Decision {
        let mut lying = self.lying();
        match lying.answered.remove(&request.digest) {
            Some(Answer::Approve) => Decision::Approved,
            None => {
                lying.open.insert(request.id.clone(), request.clone());
                Decision::Pending
            }
        }
    }
}
