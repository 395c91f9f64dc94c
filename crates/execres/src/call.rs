//! What a call asks for.

use std::path::PathBuf;
use std::sync::Arc;

use execres_code::{CodeRequest, OutputSink, WorkingDirectory};
use execres_core::{Limits, NetworkMode, ProviderId};
use execres_workspace::{AccessRequest, CollectCaps, InputFile};
use tokio_util::sync::CancellationToken;

/// How well the program has to be isolated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Isolation {
    /// All four axes, proven; otherwise nothing runs.
    Required,
    /// All four axes where a provider proves them, and otherwise the next one. The result says so.
    PreferredDangerously,
    /// None is asked for.
    NoneDangerously,
}

/// One program to run. Starts with everything denied: isolation required, no network, no input, standard limits.
#[non_exhaustive]
pub struct CodeCall {
    /// The program.
    pub request: CodeRequest,
    /// Files that are copied into its working directory.
    pub inputs: Vec<InputFile>,
    /// The limits.
    pub limits: Limits,
    /// The network.
    pub network: NetworkMode,
    /// How well it has to be isolated.
    pub isolation: Isolation,
    /// The provider that is to run it; where it is `None`, the first that will do.
    pub provider: Option<ProviderId>,
    /// Whether it can write into its working directory.
    pub working_directory: WorkingDirectory,
    /// How much output is collected.
    pub caps: CollectCaps,
    /// Where collected outputs are copied to, under their paths below `output/`.
    pub deliver_to: Option<PathBuf>,
    /// Variables for the program, which are in no digest and no result.
    pub env: Vec<(String, String)>,
    /// Takes output while it is written.
    pub sink: Option<Arc<dyn OutputSink>>,
    /// Ends the run.
    pub cancel: CancellationToken,
}

impl CodeCall {
    /// A call with everything denied.
    pub fn new(request: CodeRequest) -> Self {
        CodeCall {
            request,
            inputs: Vec::new(),
            limits: Limits::STANDARD,
            network: NetworkMode::None,
            isolation: Isolation::Required,
            provider: None,
            working_directory: WorkingDirectory::ReadOnly,
            caps: CollectCaps::default(),
            deliver_to: None,
            env: Vec::new(),
            sink: None,
            cancel: CancellationToken::new(),
        }
    }

    /// The grant that the call needs: copies of its inputs and nothing else.
    pub(crate) fn access(inputs: Vec<InputFile>) -> AccessRequest {
        inputs.into_iter().fold(AccessRequest::snapshot(), |access, input| access.input_file(input.name, input.file))
    }
}

impl std::fmt::Debug for CodeCall {
    /// Without the program's text, its inputs and the values of variables, which may hold secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CodeCall")
            .field("inputs", &self.inputs.len())
            .field("limits", &self.limits)
            .field("network", &self.network)
            .field("isolation", &self.isolation)
            .field("provider", &self.provider)
            .field("working_directory", &self.working_directory)
            .finish_non_exhaustive()
    }
}
