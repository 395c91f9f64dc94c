//! A requirement with everything that is decided before a resource is looked for.

use std::error::Error;
use std::ops::Deref;
use std::sync::Arc;

use super::reuse_key::ReuseKey;
use crate::config::Config;
use crate::event::Subject;
use crate::identity::{HandleId, OwnerId, ProviderId};
use crate::policy::Policy;
use crate::provider::ProviderError;
use crate::requirement::Requirement;

/// The longest text of a provider's that is kept.
const LONGEST_TEXT: usize = 500;

/// A requirement with its owner, the policy in force and the key of the resource.
pub(super) struct Order {
    pub(super) requirement: Arc<Requirement>,
    terms: Arc<Terms>,
}

impl Deref for Order {
    type Target = Terms;

    fn deref(&self) -> &Terms {
        &self.terms
    }
}

/// What is decided for a requirement: its owner, the policy in force and the key. Where it needs no approval, it is the same every time that
/// this manager ensures it.
pub(super) struct Terms {
    /// The manager that they are from.
    pub(super) manager: Arc<str>,
    pub(super) owner: OwnerId,
    pub(super) policy: Arc<Policy>,
    pub(super) key: ReuseKey,
}

impl Order {
    pub(super) fn under(requirement: Requirement, terms: Arc<Terms>) -> Self {
        Order { requirement: Arc::new(requirement), terms }
    }

    pub(super) fn subject(&self, handle: Option<&HandleId>, provider: Option<&ProviderId>) -> Subject {
        subject(&self.requirement, &self.owner, handle, provider)
    }

    pub(super) fn scrub(&self, text: &str) -> String {
        scrub(&self.requirement, text)
    }
}

pub(super) fn subject(
    requirement: &Requirement,
    owner: &OwnerId,
    handle: Option<&HandleId>,
    provider: Option<&ProviderId>,
) -> Subject {
    Subject {
        requirement_id: requirement.id().clone(),
        handle_id: handle.cloned(),
        kind: requirement.kind().clone(),
        scope: requirement.scope(),
        owner: owner.clone(),
        resource_key: requirement.resource_key().clone(),
        provider_id: provider.cloned(),
    }
}

/// A text that a provider wrote, without the requirement's secrets and not too long.
pub(super) fn scrub(requirement: &Requirement, text: &str) -> String {
    let configs = requirement.candidates().iter().map(|candidate| candidate.config());
    let clean = std::iter::once(requirement.config())
        .chain(configs)
        .fold(text.to_owned(), |text, config: &Config| if config.is_empty() { text } else { config.redact(&text) });
    match clean.char_indices().nth(LONGEST_TEXT) {
        Some((end, _)) => format!("{}…", &clean[..end]),
        None => clean,
    }
}

/// Logs the cause of a provider's error. It may say more than callers are shown, though never a secret of the configuration.
pub(super) fn log_cause(call: &'static str, provider: &ProviderId, order: &Order, error: &ProviderError) {
    if let Some(cause) = error.source() {
        tracing::debug!(
            call,
            provider_id = %provider,
            code = %error.code(),
            cause = order.scrub(&cause.to_string()),
            "a provider's call failed"
        );
    }
}
