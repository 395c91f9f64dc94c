//! A workspace to run jobs in.

use std::sync::Arc;

use cap_std::ambient_authority;
use execres_code::{CodeExecution, CodeJob, CodeRequest, Language, SharedRunner};
use execres_core::RequirementBuilder;
use execres_owner::{OwnerRegistry, StateDir};
use execres_workspace::{AccessGrant, AccessRequest, CallId, TaskWorkspace};

use super::super::case::{Case, Made};
use super::super::fault::{Fault, failed};

/// A resource, and a workspace to run jobs in.
pub(in super::super) struct Bench<'a> {
    case: &'a Case<'a>,
    made: Made,
    pub(in super::super) runner: Arc<SharedRunner>,
    workspace: TaskWorkspace,
    /// Keeps the register of what the workspace makes.
    _state: tempfile::TempDir,
}

impl<'a> Bench<'a> {
    pub(in super::super) async fn set_up(case: &'a Case<'a>) -> Result<Self, Fault> {
        Bench::for_requirement(case, case.requirement()).await
    }

    pub(super) async fn for_requirement(case: &'a Case<'a>, requirement: RequirementBuilder) -> Result<Self, Fault> {
        let made = case.made_for(case.asked(requirement)?).await?;
        let runner = made.held.resource::<SharedRunner>().map_err(failed("asking for a SharedRunner"))?;
        let state = tempfile::tempdir().map_err(failed("a temporary directory"))?;
        let registry = StateDir::open_at(&state.path().join("state")).map_err(failed("a state directory"))?;
        let registry = OwnerRegistry::open(registry).map_err(failed("a register"))?;
        let workspace =
            TaskWorkspace::temporary(registry, ambient_authority()).map_err(failed("a temporary workspace"))?;
        Ok(Bench { case, made, runner, workspace, _state: state })
    }

    pub(super) fn made(&self) -> &Made {
        &self.made
    }

    /// A job of a Python program, under a grant of its own.
    pub(in super::super) fn job(
        &self,
        program: &str,
        change: impl FnOnce(CodeRequest) -> CodeRequest,
    ) -> Result<(CodeJob, Arc<AccessGrant>), Fault> {
        let python = Language::parse("python").map_err(failed("python"))?;
        let request = change(CodeRequest::new(python).source(program));
        let bundle = Arc::new(request.bundle().map_err(failed("the bundle"))?);
        let grant = self.workspace.issue(CallId::random(), AccessRequest::snapshot()).map_err(failed("a grant"))?;
        let grant = Arc::new(grant);
        let manifest = Arc::new(grant.materialize(bundle.files()).map_err(failed("materialising"))?);
        let mut job = CodeJob::new(bundle, manifest, Arc::clone(&grant));
        job.stdin = request.stdin_content().to_vec();
        Ok((job, grant))
    }

    /// Runs a Python program with arguments.
    pub(in super::super) async fn run(&self, program: &str, args: &[&str]) -> Result<CodeExecution, Fault> {
        let (job, _grant) = self.job(program, |request| request.args(args.iter().copied()))?;
        Ok(self.runner.run(job).await)
    }

    pub(in super::super) async fn tear_down(self) -> Result<(), Fault> {
        drop(self.runner);
        self.case.release(&self.made).await?;
        self.workspace.close().map_err(failed("closing the workspace"))
    }
}

/// A result in words, for a fault.
pub(in super::super) fn told(result: &CodeExecution) -> String {
    format!(
        "{} ({:?}); stdout {:?}; stderr {:?}; {:?}",
        result.outcome,
        result.status,
        result.stdout.text(),
        result.stderr.text(),
        result.diagnostics
    )
}
