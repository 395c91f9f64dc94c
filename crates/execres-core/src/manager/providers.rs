//! The registered providers, and who is a candidate for what.

use std::ops::Deref;
use std::sync::{Arc, PoisonError};

use super::call::call_now;
use super::error::{EnsureError, RegisterError};
use super::inner::Inner;
use super::order::Order;
use crate::config::Config;
use crate::identity::{Kind, ProviderId};
use crate::provider::{Deadlines, OptIn, Provider};
use crate::requirement::{Candidate, Requirement};

/// A provider with what it said of itself when it was registered.
///
/// It is not asked again: those calls have no deadline, and one that panics or lies later changes nothing for anybody.
pub(super) struct Registered {
    provider: Arc<dyn Provider>,
    id: ProviderId,
    kinds: Vec<Kind>,
    opt_in: OptIn,
    deadlines: Deadlines,
}

impl Registered {
    /// Asks a provider who it is.
    fn new(provider: Arc<dyn Provider>, defaults: Deadlines) -> Result<Self, RegisterError> {
        let asked = call_now(|| {
            (provider.id().clone(), provider.kinds().to_vec(), provider.opt_in(), provider.deadlines(defaults))
        });
        let (id, kinds, opt_in, deadlines) = asked.map_err(|_panicked| RegisterError::Panicked)?;
        if kinds.is_empty() {
            return Err(RegisterError::NoKind { id });
        }
        Ok(Registered { provider, id, kinds, opt_in, deadlines })
    }

    /// The id that it had when it was registered.
    pub(super) const fn known_id(&self) -> &ProviderId {
        &self.id
    }

    pub(super) const fn deadlines(&self) -> Deadlines {
        self.deadlines
    }

    fn offers(&self, kind: &Kind) -> bool {
        self.kinds.contains(kind)
    }
}

impl Deref for Registered {
    type Target = dyn Provider;

    fn deref(&self) -> &Self::Target {
        &*self.provider
    }
}

/// One candidate, with its configuration merged over the requirement's.
pub(super) struct Choice {
    pub(super) index: usize,
    pub(super) provider_id: ProviderId,
    pub(super) config: Config,
    /// `None` when no such provider is registered, or it does not offer the kind.
    pub(super) provider: Option<Arc<Registered>>,
}

impl Inner {
    pub(super) fn register(&self, provider: Arc<dyn Provider>) -> Result<(), RegisterError> {
        let registered = Registered::new(provider, self.deadlines)?;
        let mut providers = self.providers.write().unwrap_or_else(PoisonError::into_inner);
        if providers.iter().any(|other| other.id == registered.id) {
            return Err(RegisterError::Duplicate { id: registered.id });
        }
        providers.push(Arc::new(registered));
        Ok(())
    }

    pub(super) fn provider_ids(&self) -> Vec<ProviderId> {
        let providers = self.providers.read().unwrap_or_else(PoisonError::into_inner);
        providers.iter().map(|provider| provider.id.clone()).collect()
    }

    /// Whether this is a provider that is chosen only where it is named.
    pub(super) fn is_opt_in(&self, id: &ProviderId) -> bool {
        let providers = self.providers.read().unwrap_or_else(PoisonError::into_inner);
        providers.iter().any(|provider| provider.id == *id && provider.opt_in == OptIn::OnlyWhenNamed)
    }

    /// Whether the requirement names a provider that is chosen only where it is named, which isolates nothing.
    pub(super) fn names_opt_in(&self, requirement: &Requirement) -> bool {
        match requirement.provider_id() {
            Some(id) => self.is_opt_in(id),
            None => requirement.candidates().iter().any(|candidate| self.is_opt_in(candidate.provider_id())),
        }
    }

    /// The candidates of a requirement in the order of preference, at least one.
    pub(super) fn choices(&self, order: &Order) -> Result<Vec<Choice>, EnsureError> {
        let requirement = &order.requirement;
        let registered = self.providers.read().unwrap_or_else(PoisonError::into_inner);
        let kind = requirement.kind();
        let bare = |id: &ProviderId, config: &Config, index: usize| Choice {
            index,
            provider: registered.iter().find(|one| one.id == *id && one.offers(kind)).cloned(),
            config: if config.is_empty() {
                requirement.config().clone()
            } else {
                config.merged_over(requirement.config())
            },
            provider_id: id.clone(),
        };
        let nothing = Config::new();
        let choices: Vec<Choice> = match requirement.provider_id() {
            Some(id) => vec![bare(id, &nothing, 0)],
            None if !requirement.candidates().is_empty() => {
                let candidates = requirement.candidates().iter().enumerate();
                candidates
                    .map(|(index, one): (usize, &Candidate)| bare(one.provider_id(), one.config(), index))
                    .collect()
            }
            None => {
                let by_kind = registered.iter().filter(|one| one.offers(kind) && one.opt_in == OptIn::NotNeeded);
                by_kind.enumerate().map(|(index, one)| bare(&one.id, &nothing, index)).collect()
            }
        };
        if choices.is_empty() {
            return Err(EnsureError::ProviderMissing { kind: kind.clone() });
        }
        Ok(choices)
    }
}
