//! Configuration of a requirement of the provider `trusted_local`.

use serde::Deserialize;

/// There is nothing to configure. Authorisation in particular is not configuration: only the host gives it, where it makes the
/// provider.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TrustedLocalConfig {}
