//! Configuration of a requirement of the provider `sandbox`.

use serde::Deserialize;

/// There is nothing to configure: what a run may do is policy, and where tools are is the host's word. An empty structure
/// refuses every key by name.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SandboxConfig {}
