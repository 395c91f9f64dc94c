//! Asking candidates what they could do now.

use std::sync::Arc;

use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use tokio::time::Instant;

use super::super::call::{NoAnswer, call};
use super::super::inner::Inner;
use super::super::order::{Order, log_cause};
use super::super::providers::Choice;
use super::super::selection::{ProbeRecord, ProbeVerdict};
use crate::error_code::ErrorCode;
use crate::provider::{Availability, Probe, ProbeRequest};

/// A candidate with what its probe found.
pub(super) struct Probed {
    pub(super) record: ProbeRecord,
    pub(super) asked: ProbeRequest,
    pub(super) probe: Option<Probe>,
}

impl Inner {
    /// Probes those candidates at once whose answers are not there yet, until one of them is a full match and all before it have
    /// answered, or all have answered. What is not waited for is dropped.
    pub(super) async fn probe_until_full_match(
        &self,
        order: &Arc<Order>,
        choices: &[Choice],
        records: &mut [Option<ProbeRecord>],
    ) {
        if let ([choice], [record]) = (choices, &mut *records) {
            if record.is_none() {
                *record = Some(self.probe(order, choice).await.record);
            }
            return;
        }
        let open = choices.iter().filter(|choice| records[choice.index].is_none());
        // In order of the candidates, whichever answers first.
        let mut answers: FuturesOrdered<_> =
            open.map(|choice| async move { self.probe(order, choice).await.record }).collect();
        while let Some(record) = answers.next().await {
            let (index, decided) = (record.candidate, record.is_full_match());
            records[index] = Some(record);
            if decided {
                break;
            }
        }
    }

    pub(super) async fn probe(&self, order: &Arc<Order>, choice: &Choice) -> Probed {
        let started = Instant::now();
        let asked = ProbeRequest::new(Arc::clone(&order.requirement), choice.config.clone(), Arc::clone(&order.policy));
        let answer = match &choice.provider {
            None => Err(unavailable(None, "no such provider is registered for this kind")),
            Some(provider) => {
                let deadline = provider.deadlines().probe;
                match call(deadline, async { provider.probe(&asked).await }).await {
                    Ok(Ok(probe)) => Ok(probe),
                    Ok(Err(error)) => {
                        log_cause("probe", &choice.provider_id, order, &error);
                        let suggestion = error.suggestion().map(str::to_owned);
                        let reason = format!("the probe failed: {}", error.message());
                        Err(ProbeVerdict::Unavailable { code: Some(error.code()), reason, suggestion })
                    }
                    Err(NoAnswer::Panicked) => Err(unavailable(Some(ErrorCode::ENSURE_FAILED), "the probe panicked")),
                    Err(NoAnswer::TooLate(after)) => Err(unavailable(
                        Some(ErrorCode::ENSURE_TIMEOUT),
                        &format!("no answer to the probe in {after:?}"),
                    )),
                }
            }
        };
        let (verdict, probe) = match answer {
            Ok(probe) => (judge(order, &probe), Some(probe)),
            Err(verdict) => (verdict, None),
        };
        let record = ProbeRecord {
            candidate: choice.index,
            provider_id: choice.provider_id.clone(),
            verdict: scrubbed(order, verdict),
            isolation: probe
                .as_ref()
                .and_then(|probe| probe.isolation().cloned())
                .map(|report| Box::new(report.with_texts(|text| order.scrub(text)))),
            took: started.elapsed(),
        };
        Probed { record, asked, probe }
    }
}

fn judge(order: &Order, probe: &Probe) -> ProbeVerdict {
    if let Availability::Unavailable { code, reason, suggestion } = probe.availability() {
        let (reason, suggestion) = (reason.clone(), suggestion.clone());
        return ProbeVerdict::Unavailable { code: Some(*code), reason, suggestion };
    }
    let requirement = &order.requirement;
    let unmet = requirement.required().unmet_by(probe.capabilities(), probe.axes());
    if unmet.is_empty() {
        let preferred_unmet = requirement.preferred().unmet_by(probe.capabilities(), probe.axes());
        ProbeVerdict::Suitable { preferred_unmet }
    } else {
        ProbeVerdict::Unsuitable { unmet }
    }
}

fn unavailable(code: Option<ErrorCode>, reason: &str) -> ProbeVerdict {
    ProbeVerdict::Unavailable { code, reason: reason.to_owned(), suggestion: None }
}

fn scrubbed(order: &Order, verdict: ProbeVerdict) -> ProbeVerdict {
    match verdict {
        ProbeVerdict::Unavailable { code, reason, suggestion } => ProbeVerdict::Unavailable {
            code,
            reason: order.scrub(&reason),
            suggestion: suggestion.map(|suggestion| order.scrub(&suggestion)),
        },
        other => other,
    }
}
