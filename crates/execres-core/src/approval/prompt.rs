//! The text of a question, which nothing in the request can forge.

use std::time::Duration;

use super::{ApprovalRequest, ApprovalSource, Risk};
use crate::policy::Policy;

/// How many characters of one text of the request are shown.
const LONGEST: usize = 120;

/// How many items of a list are shown.
const MOST_ITEMS: usize = 5;

/// A text of the request as one line of visible characters: what moves the cursor, turns the direction of writing or cannot be seen is
/// escaped, quotes are, and too much of it is cut.
pub(super) fn shown(text: &str) -> String {
    let mut shown = String::new();
    let mut after_blank = false;
    for one in text.chars().take(LONGEST) {
        // Blanks in a row could push what follows to where a line of the question begins; and these are letters and signs that nobody sees.
        let unseen = matches!(one, '\u{115f}' | '\u{1160}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}');
        match one {
            ' ' if after_blank => shown.extend(one.escape_unicode()),
            _ if unseen => shown.extend(one.escape_unicode()),
            _ => shown.extend(one.escape_debug()),
        }
        after_blank = one == ' ';
    }
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
    let policy = match (policy(&request.policy), *request.policy == Policy::default()) {
        (said, true) if said.is_empty() => "those of the provider".to_owned(),
        (said, false) if said.is_empty() => "of the policy, none of which is shown here".to_owned(),
        (said, _) => said,
    };
    line("limits", &policy);
    // Next to the question, where nothing that came before can have moved it out of sight.
    if request.risk == Risk::IsolationOff {
        line("risk", "WITHOUT ISOLATION: it can do whatever this process can");
    }
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
    let mut items: Vec<String> = items.into_iter().map(|item| format!("'{}'", shown(&item.to_string()))).collect();
    let more = items.len().saturating_sub(MOST_ITEMS);
    items.truncate(MOST_ITEMS);
    match more {
        0 => items.join(", "),
        _ => format!("{} and {more} more", items.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_moves_a_text_to_where_a_line_begins_or_hides_in_it() {
        assert_eq!(shown("ls -l"), "ls -l", "the control");
        assert_eq!(shown("ls  x"), "ls \\u{20}x");
        for unseen in ['\u{3164}', '\u{2800}', '\u{115f}', '\u{202e}', '\u{200b}', '\n'] {
            assert!(shown(&format!("a{unseen}b")).is_ascii(), "{unseen:?}");
            assert!(shown(&format!("a{unseen}b")).contains('\\'), "{unseen:?}");
        }
    }

    #[test]
    fn a_long_list_is_cut_and_says_so() {
        assert_eq!(list(["a"; 2]), "'a', 'a'");
        assert_eq!(list(["a"; 60]), "'a', 'a', 'a', 'a', 'a' and 55 more");
    }
}
