//! The registered providers, and who is a candidate for what.

use std::sync::{Arc, PoisonError};

use super::error::{EnsureError, RegisterError};
use super::inner::Inner;
use super::order::Order;
use crate::config::Config;
use crate::identity::ProviderId;
use crate::provider::{OptIn, Provider};
use crate::requirement::Candidate;

/// One candidate, with its configuration merged over the requirement's.
pub(super) struct Choice {
    pub(super) index: usize,
    pub(super) provider_id: ProviderId,
    pub(super) config: Config,
    /// `None` when no such provider is registered, or it does not offer the kind.
    pub(super) provider: Option<Arc<dyn Provider>>,
}

impl Inner {
    pub(super) fn register(&self, provider: Arc<dyn Provider>) -> Result<(), RegisterError> {
        let id = provider.id().clone();
        if provider.kinds().is_empty() {
            return Err(RegisterError::NoKind { id });
        }
        let mut providers = self.providers.write().unwrap_or_else(PoisonError::into_inner);
        if providers.iter().any(|other| *other.id() == id) {
            return Err(RegisterError::Duplicate { id });
        }
        providers.push(provider);
        Ok(())
    }

    pub(super) fn all_providers(&self) -> Vec<Arc<dyn Provider>> {
        self.providers.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The candidates of a requirement in the order of preference, at least one.
    pub(super) fn choices(&self, order: &Order) -> Result<Vec<Choice>, EnsureError> {
        let requirement = &order.requirement;
        let registered = self.all_providers();
        let offers = |provider: &Arc<dyn Provider>| provider.kinds().contains(requirement.kind());
        let named = match requirement.provider_id() {
            Some(id) => vec![Candidate::new(id.clone())],
            None => requirement.candidates().to_vec(),
        };
        let candidates = if named.is_empty() {
            let by_kind = registered.iter().filter(|one| offers(one) && one.opt_in() == OptIn::NotNeeded);
            by_kind.map(|provider| Candidate::new(provider.id().clone())).collect()
        } else {
            named
        };
        if candidates.is_empty() {
            return Err(EnsureError::ProviderMissing { kind: requirement.kind().clone() });
        }
        let choice = |(index, candidate): (usize, Candidate)| Choice {
            index,
            provider: registered.iter().find(|one| one.id() == candidate.provider_id() && offers(one)).cloned(),
            config: candidate.config().merged_over(requirement.config()),
            provider_id: candidate.provider_id().clone(),
        };
        Ok(candidates.into_iter().enumerate().map(choice).collect())
    }
}
