//! A service whose approvals are given later: the handler stores the question and leaves it pending, the ensure ends with
//! `approval_required`, and when somebody has answered, the same ensure goes through.
//!
//! Run it with `cargo run -p approval-service`.
#![forbid(unsafe_code)]
#![allow(clippy::print_stdout, reason = "an example shows what it does")]

mod desk;

use std::error::Error;
use std::sync::Arc;

use execres_core::{
    ActionCall, ActionCallId, CallDigest, EnsureError, HandlerName, Kind, Manager, OwnerId, Requirement, ResourceKey,
    Scope,
};

use counting_provider::Counters;
use desk::{Answer, Desk};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let manager = Manager::builder().build();
    manager.register_provider(Counters::new()?)?;
    let desk = Arc::new(Desk::default());
    let name = HandlerName::new("desk")?;
    manager.approval().register_handler(name.clone(), Arc::clone(&desk))?;
    manager.approval().set_default_handler(&name)?;

    let requirement = Requirement::builder(Kind::new("counter")?)
        .scope(Scope::Session)
        .owner(OwnerId::new("session-1")?)
        .needs_approval()
        .build()?;

    println!("The first ensure ends at once; nothing is started, and the question is on the desk:");
    let error = manager.ensure(&requirement).await.err().ok_or("nobody has approved yet")?;
    println!("  {}: {error}", error.code());
    let EnsureError::ApprovalRequired { request_id, .. } = error else { return Err(error.into()) };
    for question in desk.open_questions() {
        println!("  {} for {} in the scope {}", question.subject, question.owner, question.scope);
    }

    println!("Somebody approves it later, and the same ensure goes through:");
    desk.answer(&request_id, Answer::Approve)?;
    let handle = manager.ensure(&requirement).await?;
    println!("  {} is {}", handle.kind(), handle.status());
    manager.release(&handle).await?;

    println!("One approval of an action call covers the resources of that call:");
    let digest = CallDigest::of([b"count to three".as_slice()]);
    let id = ActionCallId::new("call-1")?;
    let call = || -> Result<ActionCall, Box<dyn Error>> {
        let subject = ResourceKey::new("count to three")?;
        Ok(ActionCall::new(id.clone(), Kind::new("count")?, subject, digest)
            .reason("the user asked for it")
            .needs_approval())
    };
    let pending = manager.approve_call(call()?).await.err().ok_or("nobody has approved yet")?;
    let EnsureError::ApprovalRequired { request_id, .. } = pending else { return Err(pending.into()) };
    desk.answer(&request_id, Answer::Approve)?;
    let approval = manager.approve_call(call()?).await?;
    let needed = Requirement::builder(Kind::new("counter")?).action_call_id(id).call(digest).needs_approval();
    let handle = manager.ensure(needed.covered_by(&approval).build()?).await?;
    println!(
        "  {} is {}, and the desk has {} open questions",
        handle.kind(),
        handle.status(),
        desk.open_questions().len()
    );
    manager.release(&handle).await?;
    Ok(())
}
