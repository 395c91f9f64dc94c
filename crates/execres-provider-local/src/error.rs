//! Codes of what these providers refuse.

use execres_core::ErrorCode;

/// This host has no sandbox, or not one that can be proven.
pub(crate) const SANDBOX_UNAVAILABLE: ErrorCode = ErrorCode::of_provider("sandbox_unavailable");
/// The configuration is not understood.
pub(crate) const CONFIG_INVALID: ErrorCode = ErrorCode::of_provider("config_invalid");
/// The host did not authorise runs without isolation.
pub(crate) const TRUSTED_LOCAL_NOT_ALLOWED: ErrorCode = ErrorCode::of_provider("trusted_local_not_allowed");
/// Runs without isolation get copies of files, never the workspace itself.
pub(crate) const TRUSTED_LOCAL_SNAPSHOT_REQUIRED: ErrorCode = ErrorCode::of_provider("trusted_local_snapshot_required");
