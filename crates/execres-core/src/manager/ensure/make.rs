//! Making a resource: select, ask again, ensure, and go on with the next candidate where that fails.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

use super::super::call::{NoAnswer, call};
use super::super::error::{CandidateFailure, EnsureError, EnsureFailure, Unavailable};
use super::super::inner::Inner;
use super::super::managed::{Managed, Particulars, State};
use super::super::order::{Order, log_cause};
use super::super::pinned::{Origin, Pinned};
use super::super::providers::{Choice, Registered};
use super::super::selection::{ProbeRecord, ProbeVerdict, Selection};
use super::Ensured;
use super::probe::Probed;
use crate::error_code::ErrorCode;
use crate::event::Occurrence;
use crate::identity::HandleId;
use crate::provider::{EnsureRequest, ProgressReporter, ProvidedResource};

/// One making of a resource: the handle that it will have, and what is known so far.
struct Making<'a> {
    order: &'a Arc<Order>,
    choices: &'a [Choice],
    id: HandleId,
    generation: u64,
    started: Instant,
    /// What the last probe of each candidate found; `None` where no answer was waited for yet.
    probes: Vec<Option<ProbeRecord>>,
    /// What became of each candidate.
    trials: Vec<Trial>,
    failures: Vec<CandidateFailure>,
}

/// What became of a candidate.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trial {
    /// It is to be considered by what its probe found.
    Open,
    /// It was a full match at first and no longer when it was asked again: it comes after the fallbacks.
    Demoted,
    /// It was tried, or is no candidate any more.
    Over,
}

/// How good a candidate has to be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    /// It has everything that is preferred.
    FullMatch,
    /// It has everything that is required.
    Fallback,
}

impl Making<'_> {
    /// The best candidate that is left, if what is known is enough to tell.
    fn best(&self, least: Standing) -> Option<(usize, Standing)> {
        let with = |trial| move |index: &usize| self.trials[*index] == trial;
        let full = |index: &usize| self.probes[*index].as_ref().is_some_and(ProbeRecord::is_full_match);
        let suits = |index: &usize| self.probes[*index].as_ref().is_some_and(ProbeRecord::is_suitable);
        let indices = || 0..self.probes.len();
        if let Some(index) = indices().filter(with(Trial::Open)).find(full) {
            return Some((index, Standing::FullMatch));
        }
        if least == Standing::FullMatch || self.probes.iter().any(Option::is_none) {
            return None;
        }
        let fallback = |trial| indices().filter(with(trial)).find(suits);
        fallback(Trial::Open).or_else(|| fallback(Trial::Demoted)).map(|index| (index, Standing::Fallback))
    }

    /// Every candidate's probe as it is told to others.
    fn records(&self) -> Vec<ProbeRecord> {
        let record = |choice: &Choice| {
            self.probes[choice.index].clone().unwrap_or_else(|| ProbeRecord {
                candidate: choice.index,
                provider_id: choice.provider_id.clone(),
                verdict: ProbeVerdict::NotWaitedFor,
                isolation: None,
                took: Duration::ZERO,
            })
        };
        self.choices.iter().map(record).collect()
    }
}

impl Inner {
    /// A fresh resource from the best candidate that can make one.
    pub(super) async fn make(self: &Arc<Self>, order: &Arc<Order>) -> Ensured {
        let choices = match self.choices(order) {
            Ok(choices) => choices,
            Err(error) => {
                self.emit(order, None, None, Occurrence::Failed { code: error.code() });
                return Err(error);
            }
        };
        let mut making = self.making(order, &choices);
        self.emit(order, Some(&making.id), None, Occurrence::Ensuring);
        let made = self.make_one_of(&mut making, Standing::Fallback).await;
        if let Err(error) = &made {
            let provider = making.failures.first().map(|failure| &failure.provider_id);
            self.emit(order, Some(&making.id), provider, Occurrence::Failed { code: error.code() });
        }
        made
    }

    /// A fresh resource from a full match, where the one that is there is a fallback. Says nothing when there is none.
    pub(super) async fn make_full_match(self: &Arc<Self>, order: &Arc<Order>) -> Option<Arc<Pinned>> {
        let choices = self.choices(order).ok()?;
        let mut making = self.making(order, &choices);
        self.probe_until_full_match(order, &choices, &mut making.probes).await;
        making.best(Standing::FullMatch)?;
        self.emit(order, Some(&making.id), None, Occurrence::Ensuring);
        let made = self.make_one_of(&mut making, Standing::FullMatch).await;
        if let Err(error) = &made {
            self.emit(order, Some(&making.id), None, Occurrence::Failed { code: error.code() });
        }
        made.ok()
    }

    fn making<'a>(&self, order: &'a Arc<Order>, choices: &'a [Choice]) -> Making<'a> {
        let generation = self.next_generation();
        let id = self.handle_id(order.requirement.kind(), generation);
        let (probes, trials) = (vec![None; choices.len()], vec![Trial::Open; choices.len()]);
        Making { order, choices, id, generation, started: Instant::now(), probes, trials, failures: Vec::new() }
    }

    async fn make_one_of(self: &Arc<Self>, making: &mut Making<'_>, least: Standing) -> Ensured {
        let mut announced = making.id.clone();
        while !self.is_closed() {
            let Some((index, standing)) = making.best(least) else {
                if making.probes.iter().all(Option::is_some) {
                    break;
                }
                self.probe_until_full_match(making.order, making.choices, &mut making.probes).await;
                continue;
            };
            let choices = making.choices;
            let choice = &choices[index];
            // The world may have changed since the first probe, most of all while an earlier candidate was tried.
            let Probed { record, asked, probe } = self.probe(making.order, choice).await;
            let stands = match standing {
                Standing::FullMatch => record.is_full_match(),
                Standing::Fallback => record.is_suitable(),
            };
            making.trials[index] = if record.is_suitable() && !stands { Trial::Demoted } else { Trial::Over };
            making.probes[index] = Some(record);
            let (true, Some(provider), Some(probe)) = (stands, &choice.provider, probe) else { continue };
            if announced != making.id {
                announced = making.id.clone();
                self.emit(making.order, Some(&announced), None, Occurrence::Ensuring);
            }
            self.tell_selected(making, choice);
            let progress = self.progress(making, choice);
            let request = EnsureRequest::new(asked, probe, making.id.clone(), progress);
            match self.provide(making, choice, provider, request).await {
                Ok(pinned) => return Ok(pinned),
                Err(failure) => making.failures.push(failure),
            }
        }
        if self.is_closed() {
            return Err(EnsureError::Shutdown);
        }
        let (kind, probes) = (making.order.requirement.kind().clone(), making.records());
        Err(match making.failures.is_empty() {
            true => EnsureError::ProviderUnavailable(Arc::new(Unavailable { kind, probes })),
            false => {
                let failures = making.failures.clone();
                EnsureError::Failed(Arc::new(EnsureFailure { kind, failures, probes }))
            }
        })
    }

    fn tell_selected(&self, making: &Making<'_>, choice: &Choice) {
        let occurrence = Occurrence::Probed {
            candidates: making.probes.len(),
            suitable: making.probes.iter().flatten().filter(|record| record.is_suitable()).count(),
            fallback: !making.probes[choice.index].as_ref().is_some_and(ProbeRecord::is_full_match),
        };
        self.emit(making.order, Some(&making.id), Some(&choice.provider_id), occurrence);
    }

    fn progress(self: &Arc<Self>, making: &Making<'_>, choice: &Choice) -> ProgressReporter {
        // A provider may keep the reporter for as long as it likes, so it does not keep the manager.
        let inner = Arc::downgrade(self);
        let (order, id, provider) = (Arc::clone(making.order), making.id.clone(), choice.provider.clone());
        ProgressReporter::new(move |progress| {
            if let Some(inner) = inner.upgrade() {
                let provider = provider.as_ref().map(|provider| provider.known_id());
                inner.emit(&order, Some(&id), provider, Occurrence::Progress { progress });
            }
        })
    }

    /// One candidate's resource, published under the key.
    async fn provide(
        self: &Arc<Self>,
        making: &mut Making<'_>,
        choice: &Choice,
        provider: &Arc<Registered>,
        request: EnsureRequest,
    ) -> Result<Arc<Pinned>, CandidateFailure> {
        let deadline = provider.deadlines().ensure;
        let order = making.order;
        let failure = |code, message: &str, suggestion: Option<&str>| CandidateFailure {
            provider_id: choice.provider_id.clone(),
            code,
            message: order.scrub(message),
            suggestion: suggestion.map(|suggestion| order.scrub(suggestion)),
        };
        let provided = match call(deadline, async { provider.ensure(&request).await }).await {
            Ok(Ok(provided)) => provided,
            Ok(Err(error)) => {
                log_cause("ensure", &choice.provider_id, order, &error);
                return Err(failure(error.code(), error.message(), error.suggestion()));
            }
            Err(NoAnswer::Panicked) => return Err(failure(ErrorCode::ENSURE_FAILED, "the provider panicked", None)),
            Err(NoAnswer::TooLate(after)) => {
                let message = format!("the resource was not there in {after:?}");
                return Err(failure(ErrorCode::ENSURE_TIMEOUT, &message, None));
            }
        };
        let lacking = lacking(order, &request, &provided);
        let managed = self.take_over(making, choice, provider, request, provided);
        let pinned = Pinned::new(Arc::clone(self), Arc::clone(&managed), Origin::Made);
        // Before it is told of, so that whoever hears of it finds it; and before the look at `closed`, so that a shutdown either finds it too
        // or is seen here.
        self.handles.insert(managed.id().clone(), Arc::clone(&managed));
        if lacking.is_some() || self.is_closed() {
            // The pin is the only thing that keeps the resource: the release runs here, before anybody is told of the failure.
            if let Some(release) = managed.force(|| self.release_work(&managed)) {
                drop(release.await);
            }
            // That handle's life is over, and it may be quarantined: the next candidate's resource is another one.
            making.generation = self.next_generation();
            making.id = self.handle_id(order.requirement.kind(), making.generation);
            return Err(match lacking {
                Some(axes) => failure(ErrorCode::ENSURE_FAILED, &axes, None),
                None => failure(ErrorCode::SHUTDOWN, "the manager is shutting down", None),
            });
        }
        self.emit_about(&managed, Occurrence::Ready { took: making.started.elapsed() });
        // What was there before is a fallback that was improved on; its leases keep it.
        let _improved_on = self.slots.with(&order.key, |slot| slot.live.replace(managed));
        Ok(pinned)
    }

    fn take_over(
        &self,
        making: &Making<'_>,
        choice: &Choice,
        provider: &Arc<Registered>,
        request: EnsureRequest,
        provided: ProvidedResource,
    ) -> Arc<Managed> {
        let preferred_unmet = match making.probes[choice.index].as_ref().map(|record| &record.verdict) {
            Some(ProbeVerdict::Suitable { preferred_unmet }) => preferred_unmet.clone(),
            _ => Vec::new(),
        };
        let selection = Selection {
            candidate: choice.index,
            provider_id: choice.provider_id.clone(),
            preferred_unmet,
            probes: making.records(),
            failures: making.failures.clone(),
        };
        let ProvidedResource { live, metadata, isolation } = provided;
        Arc::new(Managed {
            generation: making.generation,
            order: Arc::clone(making.order),
            provider: Arc::clone(provider),
            request: Arc::new(request),
            selection,
            particulars: Particulars::of(
                isolation.map(|report| report.with_texts(|text| making.order.scrub(text))),
                metadata.into_iter().map(|(key, text)| (key, making.order.scrub(&text))).collect(),
            ),
            made_at: since_1970(),
            state: State::made(live),
        })
    }
}

/// Which required axes the resource itself turned out to lack, in words.
fn lacking(order: &Order, request: &EnsureRequest, provided: &ProvidedResource) -> Option<String> {
    let proven = provided.isolation.as_ref().map_or_else(|| request.probe().axes(), |report| report.axes());
    let missing = order.requirement.required().isolation.missing_from(proven);
    (!missing.is_empty()).then(|| format!("the resource that was made does not have the required isolation: {missing}"))
}

/// Now, in nanoseconds. They last until the year 2554.
fn since_1970() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
