//! Ids of workspaces, grants and calls.

use std::fmt;
use std::path::Path;

use serde::Serialize;
use uuid::Uuid;

use crate::digest::Sha256;

/// Identifies a workspace: the same for the same directory.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct WorkspaceId(String);

impl WorkspaceId {
    pub(crate) fn of(path: &Path) -> Self {
        let digest = Sha256::of(path.as_os_str().as_encoded_bytes()).hex();
        WorkspaceId(format!("workspace-{}", &digest[..24]))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Identifies a grant. Never used twice.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct GrantId(String);

impl GrantId {
    pub(crate) fn random() -> Self {
        GrantId(format!("grant-{}", Uuid::new_v4()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The id that a caller gives an action call: 1 to 256 bytes without control characters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct CallId(String);

impl CallId {
    /// Parses an id.
    ///
    /// # Errors
    /// [`CallIdError`] when it is empty, too long or holds a control character.
    pub fn parse(text: &str) -> Result<Self, CallIdError> {
        if text.is_empty() || text.len() > 256 || text.chars().any(char::is_control) {
            return Err(CallIdError { id: text.chars().take(100).collect() });
        }
        Ok(CallId(text.to_owned()))
    }

    /// A new random id.
    pub fn random() -> Self {
        CallId(format!("call-{}", Uuid::new_v4()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A text that is no call id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{id:?} is no call id: write 1 to 256 bytes without control characters")]
pub struct CallIdError {
    /// The text; a long one is cut.
    pub id: String,
}

impl CallIdError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "workspace.call_id_invalid"
    }
}

impl fmt::Display for WorkspaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for GrantId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
