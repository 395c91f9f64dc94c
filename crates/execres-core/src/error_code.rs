//! The stable error codes.

use std::fmt;

use serde::{Serialize, Serializer};

/// A stable code that names what went wrong, for programs; the text of an error is for people.
///
/// Every code is written `execution_resource.<name>`. A code is a static string, so nothing secret can be put into one.
/// The table of all codes of the core is in `docs/manager.md`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ErrorCode(&'static str);

impl ErrorCode {
    /// What every code starts with.
    pub const PREFIX: &'static str = "execution_resource.";

    /// A requirement that cannot mean anything.
    pub const REQUIREMENT_INVALID: ErrorCode = ErrorCode("requirement_invalid");
    /// An id under which no requirement is declared.
    pub const REQUIREMENT_UNKNOWN: ErrorCode = ErrorCode("requirement_unknown");
    /// A handle that the manager does not hold, or a lease that was given back already.
    pub const HANDLE_UNKNOWN: ErrorCode = ErrorCode("handle_unknown");
    /// Nobody offers the kind.
    pub const PROVIDER_MISSING: ErrorCode = ErrorCode("provider_missing");
    /// No candidate is available and satisfies what is required.
    pub const PROVIDER_UNAVAILABLE: ErrorCode = ErrorCode("provider_unavailable");
    /// A provider's id is taken.
    pub const PROVIDER_DUPLICATE: ErrorCode = ErrorCode("provider_duplicate");
    /// Approval is needed and nobody has decided yet.
    pub const APPROVAL_REQUIRED: ErrorCode = ErrorCode("approval_required");
    /// Approval is needed and was denied.
    pub const APPROVAL_DENIED: ErrorCode = ErrorCode("approval_denied");
    /// A blocking call was made where it would block an async runtime.
    pub const BLOCKING_IN_ASYNC: ErrorCode = ErrorCode("blocking_in_async");
    /// The process is a fork of the one that made the manager.
    pub const FORKED: ErrorCode = ErrorCode("forked");
    /// The provider could not make the resource.
    pub const ENSURE_FAILED: ErrorCode = ErrorCode("ensure_failed");
    /// The provider did not make the resource before its deadline.
    pub const ENSURE_TIMEOUT: ErrorCode = ErrorCode("ensure_timeout");
    /// The provider could not release the resource, which is quarantined.
    pub const RELEASE_FAILED: ErrorCode = ErrorCode("release_failed");
    /// The provider did not release the resource before its deadline; it is quarantined.
    pub const RELEASE_TIMEOUT: ErrorCode = ErrorCode("release_timeout");
    /// The manager is shutting down or has shut down.
    pub const SHUTDOWN: ErrorCode = ErrorCode("shutdown");
    /// The provider works only under a workspace grant, and the requirement carries none.
    pub const WORKSPACE_GRANT_REQUIRED: ErrorCode = ErrorCode("workspace_grant_required");

    /// A provider's own code, given without the prefix: `ErrorCode::of_provider("docker_image_missing")`.
    ///
    /// # Panics
    ///
    /// When `name` is empty or holds anything but lower-case ASCII letters, digits and underscores. Make the code a `const`,
    /// and the compiler finds that out.
    pub const fn of_provider(name: &'static str) -> Self {
        assert!(!name.is_empty(), "an error code is not empty");
        let bytes = name.as_bytes();
        let mut position = 0;
        while position < bytes.len() {
            assert!(
                bytes[position].is_ascii_lowercase() || bytes[position].is_ascii_digit() || bytes[position] == b'_',
                "an error code holds lower-case letters, digits and underscores only"
            );
            position += 1;
        }
        ErrorCode(name)
    }

    /// The code without its prefix.
    pub const fn name(self) -> &'static str {
        self.0
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.0)
    }
}

impl fmt::Debug for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_carry_the_prefix_everywhere() {
        const MISSING: ErrorCode = ErrorCode::of_provider("docker_image_missing");
        assert_eq!(MISSING.to_string(), "execution_resource.docker_image_missing");
        assert_eq!(
            serde_json::to_string(&ErrorCode::PROVIDER_UNAVAILABLE).unwrap(),
            r#""execution_resource.provider_unavailable""#
        );
    }

    #[test]
    #[should_panic(expected = "lower-case")]
    fn a_code_with_a_prefix_of_its_own_is_refused() {
        let _code = ErrorCode::of_provider("docker.image_missing");
    }
}
