//! The contract of whatever runs bundles.

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use execres_core::{IsolationReport, Limits, NetworkMode, Stream};
use execres_workspace::{AccessGrant, CollectCaps, Manifest};
use tokio_util::sync::CancellationToken;

use crate::bundle::{Bundle, StepRole};
use crate::execution::CodeExecution;

/// The kind of resource that runs bundles.
pub const KIND: &str = "code_execution";

/// The live resource of that kind, as every provider of it hands it over.
pub type SharedRunner = Arc<dyn CodeRunner>;

/// Runs bundles: the live resource of the kind `code_execution`.
#[async_trait]
pub trait CodeRunner: Send + Sync + fmt::Debug {
    /// How well what it runs is isolated, with the evidence.
    fn isolation(&self) -> &IsolationReport;

    /// Runs a job to its end and says how it went. Whatever happens is in the result: a program that fails, a limit, a
    /// cancelled token and a runner that lost its program are outcomes, not errors.
    ///
    /// When it returns, nothing of the program lives any more, and its outputs are in [`Role::Kept`](execres_workspace::Role::Kept) of
    /// the grant, under their paths below `output/`.
    ///
    /// # Cancel safety
    /// Cancel by the job's token to get a result with what the program had written. Dropping the future ends the program as
    /// well; the result, and outputs that were not collected, are lost then.
    async fn run(&self, job: CodeJob) -> CodeExecution;
}

/// Whether a program can write into its working directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum WorkingDirectory {
    /// It cannot, except under `output/`.
    #[default]
    ReadOnly,
    /// It has a copy that is thrown away. The result names what was written there and not kept.
    Scratch,
}

/// Which step of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct StepAt {
    /// Its place among all steps, from 0.
    pub index: usize,
    /// What it does.
    pub role: StepRole,
}

/// Takes output while it is written.
pub trait OutputSink: Send + Sync {
    /// Takes the next bytes of a stream. Called in the order of each stream; must not block for long, since the program waits
    /// meanwhile.
    fn write(&self, step: StepAt, stream: Stream, bytes: &[u8]);
}

/// One run of a materialised bundle.
#[non_exhaustive]
pub struct CodeJob {
    /// The bundle.
    pub bundle: Arc<Bundle>,
    /// What was materialised of it.
    pub manifest: Arc<Manifest>,
    /// The grant that it was materialised under.
    pub grant: Arc<AccessGrant>,
    /// What the program reads from its standard input; build steps read nothing.
    pub stdin: Vec<u8>,
    /// Variables from the host, for the run step, over those of the bundle. They are in no digest and in no result.
    pub env: Vec<(String, String)>,
    /// The limits of all steps together.
    pub limits: Limits,
    /// The network of the program.
    pub network: NetworkMode,
    /// Whether the program can write into its working directory.
    pub working_directory: WorkingDirectory,
    /// How much output is collected.
    pub caps: CollectCaps,
    /// Takes output while it is written.
    pub sink: Option<Arc<dyn OutputSink>>,
    /// Ends the run.
    pub cancel: CancellationToken,
}

impl CodeJob {
    /// A job with the standard limits, no network, nothing on its standard input, and a read-only working directory.
    pub fn new(bundle: Arc<Bundle>, manifest: Arc<Manifest>, grant: Arc<AccessGrant>) -> Self {
        CodeJob {
            bundle,
            manifest,
            grant,
            stdin: Vec::new(),
            env: Vec::new(),
            limits: Limits::STANDARD,
            network: NetworkMode::None,
            working_directory: WorkingDirectory::ReadOnly,
            caps: CollectCaps::default(),
            sink: None,
            cancel: CancellationToken::new(),
        }
    }
}

impl fmt::Debug for CodeJob {
    /// Without the values of variables and without the standard input, which may hold secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeJob")
            .field("bundle", self.bundle.id())
            .field("grant", self.grant.id())
            .field("stdin_bytes", &self.stdin.len())
            .field("env", &self.env.iter().map(|(name, _)| name).collect::<Vec<_>>())
            .field("limits", &self.limits)
            .field("network", &self.network)
            .field("working_directory", &self.working_directory)
            .finish_non_exhaustive()
    }
}
