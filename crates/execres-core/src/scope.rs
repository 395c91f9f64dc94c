//! Scopes: with an owner, a scope says who lets go of a resource when.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// How far a resource is shared, and when it is let go.
///
/// Scopes do not nest: releasing a session does not touch the requests made in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Until the host lets go.
    Global,
    /// As long as an agent.
    Agent,
    /// As long as a session.
    Session,
    /// As long as a request.
    Request,
    /// As long as one execution of a flow.
    Execution,
    /// As long as one action call; never shared with another call.
    ActionCall,
}

impl Scope {
    /// All scopes, the widest first.
    pub const ALL: [Scope; 6] =
        [Scope::Global, Scope::Agent, Scope::Session, Scope::Request, Scope::Execution, Scope::ActionCall];

    /// The stable name, as in JSON and in requirements.
    pub const fn name(self) -> &'static str {
        match self {
            Scope::Global => "global",
            Scope::Agent => "agent",
            Scope::Session => "session",
            Scope::Request => "request",
            Scope::Execution => "execution",
            Scope::ActionCall => "action_call",
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Scope {
    type Err = UnknownScope;

    fn from_str(text: &str) -> Result<Self, UnknownScope> {
        Scope::ALL.into_iter().find(|scope| scope.name() == text).ok_or(UnknownScope)
    }
}

/// A text that names no scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("unknown scope: write one of global, agent, session, request, execution, action_call")]
pub struct UnknownScope;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_others_do_not() {
        for scope in Scope::ALL {
            assert_eq!(scope.name().parse(), Ok(scope));
            assert_eq!(serde_json::to_value(scope).unwrap(), scope.name());
        }
        assert_eq!("bogus".parse::<Scope>(), Err(UnknownScope));
    }
}
