//! The main job: one program from request to collected outputs.

use std::sync::Arc;

use cap_std::ambient_authority;
use execres_code::{Bundle, CodeExecution, CodeJob, Diagnostic, Fallback, KIND, SharedRunner, Status, VersionNeed};
use execres_core::{
    ActionCallId, AxisSet, CapabilityRequirements, Handle, Kind, Policy, Requirement, ResourceKey, Scope, VersionRule,
    WorkspaceAccess,
};
use execres_workspace::{AccessGrant, CallId, Manifest, TaskWorkspace};

use crate::builder::Execres;
use crate::call::{CodeCall, Isolation};
use crate::deliver::{check_target, deliver};
use crate::error::RunError;

impl Execres {
    /// Runs a program and says how it went.
    ///
    /// The steps are those of every call: bundle, grant, ensure, materialise, run, collect, release, close. Each has its inverse,
    /// and the inverse runs whatever happens.
    ///
    /// # Errors
    /// [`RunError`] when the program was not run, or what it needed could not be given back. A program that fails is no error
    /// but a result.
    ///
    /// # Cancel safety
    /// Dropping the future ends the program, releases what was ensured and removes the workspace. Cancel by the call's token to
    /// get a result.
    pub async fn run(&self, call: CodeCall) -> Result<CodeExecution, RunError> {
        // 1. The bundle: what is wrong with the request is said before anything is made.
        let bundle = Arc::new(call.request.bundle()?);
        if let Some(target) = &call.deliver_to {
            check_target(target)?;
        }
        let stdin = call.request.stdin_content().to_vec();
        let call_id = CallId::random();

        // 2. A workspace of this call's own, and a grant with copies of the inputs.
        let CodeCall { inputs, limits, network, isolation, provider, candidates, working_directory, caps, .. } = call;
        let owners = Arc::clone(&self.owners);
        let id = call_id.clone();
        let (workspace, grant) = blocking(move || {
            let workspace = TaskWorkspace::temporary(owners, ambient_authority())?;
            let grant = workspace.issue(id, CodeCall::access(inputs))?;
            Ok::<_, RunError>((workspace, Arc::new(grant)))
        })
        .await?;

        // 3. Somebody to run it, selected by what the bundle needs and the call asks for.
        let mut policy = Policy::new().with_network(network).with_limits(limits.clone());
        policy.timeout = Some(limits.wall_time);
        let (required, preferred) = capabilities(&bundle, isolation);
        let mut requirement = Requirement::builder(Kind::from_static(KIND))
            .scope(Scope::ActionCall)
            .resource_key(ResourceKey::from_static("runner"))
            .action_call_id(ActionCallId::new(call_id.as_str())?)
            .required(required)
            .preferred(preferred)
            .policy(policy);
        requirement = match provider {
            Some(provider) => requirement.provider_id(provider),
            None => candidates.into_iter().fold(requirement, |requirement, one| requirement.candidate(one)),
        };
        let handle = self.manager.ensure(requirement.build()?).await?;

        // 4. to 6. Materialise, run, collect.
        let ran = async {
            let manifest = materialise(&grant, &bundle).await?;
            let runner = handle.resource::<SharedRunner>()?;
            let mut job = CodeJob::new(Arc::clone(&bundle), manifest, Arc::clone(&grant));
            job.stdin = stdin;
            job.env = call.env;
            job.limits = limits;
            job.network = network;
            job.working_directory = working_directory;
            job.caps = caps;
            job.sink = call.sink;
            job.cancel = call.cancel;
            let mut result = runner.run(job).await;
            result.fallback = fallback(&handle);
            if let Some(target) = call.deliver_to {
                let (grant, outputs) = (Arc::clone(&grant), result.outputs.clone());
                let delivered = blocking(move || deliver(&grant, &outputs, &target)).await;
                // What the program did and said is worth keeping when its files cannot be put where they belong.
                if let Err(error) = delivered {
                    result.status = Status::Error;
                    result.diagnostics.push(Diagnostic::new(error.code(), error.to_string()));
                }
            }
            Ok::<_, RunError>(result)
        }
        .await;

        // 7. and 8. Release and close, also when something failed; what fails here turns a success into an error.
        let released = self.manager.release(&handle).await;
        let closed = blocking(move || {
            grant.close()?;
            drop(grant);
            Ok::<_, RunError>(workspace.close()?)
        })
        .await;
        let result = ran?;
        released?;
        closed?;
        Ok(result)
    }
}

/// What the one that runs it must be able to, and what would be better.
fn capabilities(bundle: &Bundle, isolation: Isolation) -> (CapabilityRequirements, CapabilityRequirements) {
    let mut required = CapabilityRequirements::new()
        .with_language(bundle.language().id())
        .with_workspace_access(WorkspaceAccess::Snapshot);
    for need in bundle.toolchains() {
        // Versions are compared by the runner as well; asking here makes the refusal name the tool before anything starts.
        let rule = match &need.version {
            VersionNeed::AtLeast(version) => Some(VersionRule::AtLeast(version.clone())),
            VersionNeed::Exactly(version) => Some(VersionRule::Exactly(version.clone())),
            _ => None,
        };
        if let Some(rule) = rule {
            required = required.with_toolchain(need.tool.as_str(), rule);
        }
    }
    let mut preferred = CapabilityRequirements::new();
    match isolation {
        Isolation::Required => required = required.with_isolation(AxisSet::ALL),
        Isolation::PreferredDangerously => preferred = preferred.with_isolation(AxisSet::ALL),
        Isolation::NoneDangerously => {}
    }
    (required, preferred)
}

async fn materialise(grant: &Arc<AccessGrant>, bundle: &Arc<Bundle>) -> Result<Arc<Manifest>, RunError> {
    let (grant, bundle) = (Arc::clone(grant), Arc::clone(bundle));
    blocking(move || Ok(Arc::new(grant.materialize(bundle.files())?))).await
}

/// The preferred provider, where another one ran it.
fn fallback(handle: &Handle) -> Option<Fallback> {
    let selection = handle.selection();
    if !selection.is_fallback() {
        return None;
    }
    let unmet: Vec<String> = selection.preferred_unmet.iter().map(ToString::to_string).collect();
    let preferred = selection.probes.iter().find(|probe| probe.provider_id != *handle.provider_id());
    Some(Fallback {
        preferred: preferred.map_or_else(|| "full isolation".to_owned(), |probe| probe.provider_id.to_string()),
        why: unmet.join("; "),
    })
}

/// Work that waits for the disk, off the async threads.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
) -> Result<T, RunError> {
    tokio::task::spawn_blocking(work).await.unwrap_or(Err(RunError::Interrupted))
}
