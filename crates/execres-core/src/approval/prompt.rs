//! The text of a question, which nothing in the request can forge.

use std::time::Duration;

use super::{ApprovalRequest, ApprovalSource, Risk};
use crate::policy::Policy;

/// How many characters of one text of the request are shown.
const LONGEST: usize = 120;

/// A text of the request as one line of visible characters: what moves the cursor, turns the direction of writing or cannot be seen is
/// escaped, quotes are, and too much of it is cut.
pub(super) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(LONGEST).flat_map(char::escape_debug).collect();
    if text.chars().nth(LONGEST).is_some() {
        shown.push('…');
    }
    shown
}

/// Whether the answer approves.
pub(super) fn answer_approves(answer: &str) -> bool {
    matches!(answer.trim(), "y" | "Y" | "yes" | "Yes" | "YES")
}

/// The whole question.
pub(super) fn question(request: &ApprovalRequest, limit: Option<Duration>) -> String {
    let mut lines = vec![match request.source {
        ApprovalSource::Action => "Approval is needed for a call of an action:".to_owned(),
        _ => "Approval is needed for a resource:".to_owned(),
    }];
    let mut line = |name: &str, text: &str| lines.push(format!("  {name:<8} {text}"));
    line("kind", &shown(request.kind.as_str()));
    line("subject", &format!("'{}'", shown(request.subject.as_str())));
    if let Some(reason) = &request.reason {
        line("reason", &format!("'{}'", shown(reason)));
    }
    line("for", &format!("'{}' ({})", shown(request.owner.as_str()), request.scope));
    if request.risk == Risk::IsolationOff {
        line("risk", "WITHOUT ISOLATION: it can do whatever this process can");
    }
    let policy = policy(&request.policy);
    line("limits", if policy.is_empty() { "those of the provider" } else { &policy });
    let mut text = lines.join("\r\n");
    text.push_str("\r\nApprove? ");
    if let Some(limit) = limit {
        text.push_str(&format!("It is denied after {} s. ", limit.as_secs_f64()));
    }
    text.push_str("[y/N] ");
    text
}

/// What the policy says, in short.
fn policy(policy: &Policy) -> String {
    let mut parts = Vec::new();
    if let Some(network) = policy.network {
        parts.push(format!("network {network:?}").to_lowercase());
    }
    if let Some(timeout) = policy.timeout {
        parts.push(format!("{} s a use", timeout.as_secs_f64()));
    }
    if let Some(prefixes) = &policy.command_prefixes {
        parts.push(format!("commands [{}]", list(prefixes)));
    }
    if let Some(paths) = &policy.allowed_paths {
        parts.push(format!("paths [{}]", list(paths)));
    }
    if policy.is_read_only() {
        parts.push("read-only".to_owned());
    }
    parts.join(", ")
}

fn list<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| format!("'{}'", shown(&item.to_string()))).collect();
    items.join(", ")
}
