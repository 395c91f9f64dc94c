//! What a requirement can configure.

use serde::Deserialize;

/// The configuration. An unknown key is an error that names it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct BubblewrapConfig {
    /// The host name that programs see. Default `bubblewrap`.
    pub(crate) hostname: Option<String>,
}
