//! Codes of what this provider refuses.

use execres::core::ErrorCode;

/// Bubblewrap is missing, or does not work here.
pub(crate) const UNAVAILABLE: ErrorCode = ErrorCode::of_provider("bubblewrap_unavailable");
/// The probe could not be made.
pub(crate) const PROBE_FAILED: ErrorCode = ErrorCode::of_provider("bubblewrap_probe_failed");
