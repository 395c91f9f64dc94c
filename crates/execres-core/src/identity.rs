//! Names and ids. Each is a type of its own that cannot hold a bad value, so that nobody checks one twice.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A text that is no name of the sort that was asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{what} is not valid: {problem}")]
pub struct InvalidName {
    what: &'static str,
    problem: &'static str,
}

/// The longest name, in bytes.
const LONGEST: usize = 256;

fn identifier(text: &str) -> Result<&str, &'static str> {
    match labelled(text)? {
        text if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_-.:".contains(&byte)) => Ok(text),
        _ => Err("write ASCII letters, digits, and any of _ - . : only"),
    }
}

fn labelled(text: &str) -> Result<&str, &'static str> {
    let text = text.trim();
    if text.is_empty() {
        return Err("it is empty");
    }
    if text.len() > LONGEST {
        return Err("it is longer than 256 bytes");
    }
    if text.chars().any(char::is_control) {
        return Err("it holds a control character");
    }
    Ok(text)
}

macro_rules! names {
    ($($(#[$doc:meta])* $name:ident, $what:literal, $rule:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Arc<str>);

        impl $name {
            /// Parses the text; blanks around it are dropped.
            ///
            /// # Errors
            ///
            /// When the text breaks the rule that the type documents.
            pub fn new(text: impl AsRef<str>) -> Result<Self, InvalidName> {
                match $rule(text.as_ref()) {
                    Ok(text) => Ok($name(Arc::from(text))),
                    Err(problem) => Err(InvalidName { what: $what, problem }),
                }
            }

            /// A name that is written in the program itself.
            ///
            /// # Panics
            ///
            /// When the text breaks the rule that the type documents, which is a mistake in the program and shows on its
            /// first run.
            #[track_caller]
            pub fn from_static(text: &'static str) -> Self {
                match Self::new(text) {
                    Ok(name) => name,
                    Err(error) => panic!("{error}"),
                }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{:?}", &*self.0)
            }
        }

        impl FromStr for $name {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, InvalidName> {
                $name::new(text)
            }
        }

        impl TryFrom<&str> for $name {
            type Error = InvalidName;

            fn try_from(text: &str) -> Result<Self, InvalidName> {
                $name::new(text)
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, InvalidName> {
                $name::new(text)
            }
        }

        impl From<&$name> for $name {
            fn from(name: &$name) -> Self {
                name.clone()
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $name::new(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
            }
        }
    )+};
}

names! {
    /// What sort of resource: `mcp`, `bash`, `docker`, `code_execution`, `browser`, `sqlite`, or a host's own.
    /// 1 to 256 ASCII letters, digits, and `_ - . :`.
    Kind, "the kind", identifier;

    /// The id of a provider, unique in a manager. 1 to 256 ASCII letters, digits, and `_ - . :`.
    ProviderId, "the provider id", identifier;

    /// Whom a resource is made for: with the scope it says who lets go when. 1 to 256 bytes without control characters.
    OwnerId, "the owner id", labelled;

    /// The name under which the resource is handed to its user. 1 to 256 bytes without control characters.
    ResourceKey, "the resource key", labelled;

    /// The id of a requirement. 1 to 256 bytes without control characters.
    RequirementId, "the requirement id", labelled;

    /// The id of one action call. 1 to 256 bytes without control characters.
    ActionCallId, "the action call id", labelled;

    /// The id of a workspace access grant. 1 to 256 bytes without control characters.
    GrantId, "the grant id", labelled;

    /// The id of a handle. Made by the manager, never reused.
    HandleId, "the handle id", labelled;

    /// The id of a request for approval. Made by the manager, never reused.
    ApprovalRequestId, "the approval request id", labelled;

    /// The name of an approval handler. 1 to 256 ASCII letters, digits, and `_ - . :`.
    HandlerName, "the handler name", identifier;
}

impl From<&Kind> for ResourceKey {
    /// Every kind is a good resource key; it is the default one.
    fn from(kind: &Kind) -> Self {
        ResourceKey(kind.0.clone())
    }
}

impl RequirementId {
    pub(crate) fn generate(kind: &Kind) -> Self {
        // The kind is cut so that the whole stays a valid id whatever its length.
        RequirementId(format!("{:.200}:{}", kind.as_str(), uuid::Uuid::new_v4().simple()).into())
    }
}

impl RequirementId {
    /// What stands for a requirement where an action call is what approval is asked for.
    pub(crate) fn of_call(call: &ActionCallId) -> Self {
        RequirementId(format!("action_call:{call}").into())
    }
}

impl HandleId {
    pub(crate) fn numbered(kind: &Kind, manager: &str, number: u64) -> Self {
        HandleId(format!("{:.200}:{manager}-{number}", kind.as_str()).into())
    }
}

impl ApprovalRequestId {
    pub(crate) fn generate() -> Self {
        ApprovalRequestId(format!("approval-{}", uuid::Uuid::new_v4().simple()).into())
    }
}

/// The id of one caller's lease in a handle: unique in its manager, given back once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LeaseId {
    /// The generation of the resource.
    pub(crate) generation: u64,
    /// Counts the leases in that resource.
    pub(crate) number: u64,
}

impl fmt::Display for LeaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "lease-{}.{}", self.generation, self.number)
    }
}

impl Serialize for LeaseId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bad_names_cannot_be_made() {
        assert_eq!(Kind::new("  sqlite ").unwrap().as_str(), "sqlite");
        for bad in ["", "   ", "two words", "naïve", "a/b", "a\nb"] {
            assert!(Kind::new(bad).is_err(), "{bad:?} is no kind");
            assert!(serde_json::from_value::<Kind>(bad.into()).is_err());
        }
        assert!(OwnerId::new("a label with blanks, naïve").is_ok());
        assert!(OwnerId::new("bell\u{7}").is_err());
        assert!(OwnerId::new("x".repeat(LONGEST)).is_ok());
        assert!(OwnerId::new("x".repeat(LONGEST + 1)).is_err());
    }

    #[test]
    fn an_error_says_which_name_is_wrong() {
        assert_eq!(Kind::new(" ").unwrap_err().to_string(), "the kind is not valid: it is empty");
    }
}
