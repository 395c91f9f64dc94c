//! The key that tells resources apart, as a keyed digest that says nothing to anybody without the key.

use std::fmt;
use std::io;

use hmac::{Hmac, KeyInit, Mac};
use serde::Serialize;
use sha2::Sha256;

use crate::approval::{ActionCall, QuestionDigest, Risk};
use crate::identity::{HandlerName, OwnerId};
use crate::policy::Policy;
use crate::requirement::{Approval, Requirement};
use crate::scope::Scope;

/// A keyed digest. Equal for equal inputs in one manager; it shows nothing of them.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct ReuseKey([u8; 32]);

impl fmt::Debug for ReuseKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ReuseKey")
    }
}

/// What a digest is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Telling resources apart: an explicit reuse key stands for resource key and config.
    Reuse,
    /// Telling apart what was approved: the config is always looked at.
    Approval,
}

/// Makes keys. Its own key is random and never leaves it.
pub(super) struct Keyer(Hmac<Sha256>);

impl Keyer {
    pub(super) fn new() -> Self {
        let mut key = [0; 32];
        key[..16].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        key[16..].copy_from_slice(uuid::Uuid::new_v4().as_bytes());
        // HMAC takes keys of any length, and this one has the length of the digest.
        Keyer(Hmac::new_from_slice(&key).unwrap_or_else(|_| unreachable!()))
    }

    pub(super) fn key(
        &self,
        purpose: Purpose,
        requirement: &Requirement,
        owner: &OwnerId,
        policy: &Policy,
    ) -> ReuseKey {
        let mut canonical = Canonical(self.0.clone());
        canonical.text(requirement.kind().as_str());
        canonical.text(requirement.scope().name());
        canonical.text(owner.as_str());
        canonical.optional(match requirement.scope() {
            Scope::ActionCall => requirement.action_call_id().map(|id| id.as_str()),
            _ => None,
        });
        // Two calls without an id are still two calls: only the id of the requirement tells them apart.
        canonical.optional(match (requirement.scope(), requirement.action_call_id()) {
            (Scope::ActionCall, None) => Some(requirement.id().as_str()),
            _ => None,
        });
        // A resource that somebody approved is not handed to a requirement that needs no approval.
        canonical.text(match requirement.approval() {
            Approval::ByPolicy => "by policy",
            Approval::Needed => "needed",
        });
        canonical.json(policy);
        canonical.json(requirement.required());
        canonical.json(requirement.preferred());
        canonical.optional(requirement.provider_id().map(|id| id.as_str()));
        canonical.number(requirement.candidates().len());
        for candidate in requirement.candidates() {
            canonical.text(candidate.provider_id().as_str());
            canonical.config(candidate.config());
        }
        canonical.optional(requirement.grant().map(|grant| grant.id().as_str()));
        canonical.optional(requirement.reuse_key());
        if purpose == Purpose::Approval || requirement.reuse_key().is_none() {
            canonical.text(requirement.resource_key().as_str());
            canonical.config(requirement.config());
        }
        canonical.finish()
    }

    /// The key of a question: what is asked, and who would answer.
    ///
    /// An approval that one handler gave is no answer for a layer of settings that has a stricter one.
    pub(super) fn question(&self, what: &ReuseKey, handler: &HandlerName, risk: Risk) -> ReuseKey {
        let mut canonical = Canonical(self.0.clone());
        canonical.0.update(&what.0);
        // A provider that is registered later can make more of the same requirement.
        canonical.number(risk as usize);
        canonical.text(handler.as_str());
        canonical.finish()
    }

    /// What a handler sees of a question.
    pub(super) fn shown(&self, what: &ReuseKey, risk: Risk) -> QuestionDigest {
        let mut canonical = Canonical(self.0.clone());
        canonical.text(" shown to handlers");
        canonical.0.update(&what.0);
        canonical.number(risk as usize);
        QuestionDigest::of(canonical.finish().0)
    }

    /// The key of an action call for approval.
    pub(super) fn call(&self, call: &ActionCall, owner: &OwnerId, policy: &Policy) -> ReuseKey {
        let mut canonical = Canonical(self.0.clone());
        // No kind of a resource starts with a blank, so no requirement has such a key.
        canonical.text(" action call");
        canonical.text(call.kind.as_str());
        canonical.text(call.subject.as_str());
        canonical.text(call.scope.name());
        canonical.text(owner.as_str());
        canonical.optional((call.scope == Scope::ActionCall).then(|| call.id.as_str()));
        canonical.number(call.risk as usize);
        canonical.0.update(call.digest.as_bytes());
        canonical.json(policy);
        canonical.finish()
    }
}

/// Writes parts so that different sequences of parts are different bytes: each is preceded by its length.
struct Canonical(Hmac<Sha256>);

impl Canonical {
    fn finish(self) -> ReuseKey {
        ReuseKey(self.0.finalize().into_bytes().into())
    }

    fn number(&mut self, number: usize) {
        self.0.update(&(number as u64).to_le_bytes());
    }

    fn text(&mut self, text: &str) {
        self.number(text.len());
        self.0.update(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.0.update(if text.is_some() { b"1" } else { b"0" });
        self.text(text.unwrap_or_default());
    }

    fn config(&mut self, config: &crate::config::Config) {
        self.number(config.iter().count());
        for (key, value) in config.iter() {
            self.text(key);
            value.write_canonical(&mut |part| self.0.update(part));
        }
    }

    /// JSON of the core's own types, which ends where it ends: their fields have a fixed order and their sets and maps are sorted.
    /// What says nothing, as most do, is not spelled out.
    #[allow(clippy::expect_used, reason = "the types have text keys only, and the writer never fails")]
    fn json<T: Serialize + Default + PartialEq>(&mut self, value: &T) {
        let says_nothing = *value == T::default();
        self.0.update(if says_nothing { b"0" } else { b"1" });
        if !says_nothing {
            serde_json::to_writer(&mut *self, value).expect("a policy or capabilities as JSON");
        }
    }
}

impl io::Write for Canonical {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capabilities::CapabilityRequirements;
    use crate::config::Config;
    use crate::identity::{ActionCallId, GrantId, Kind, ProviderId, RequirementId, ResourceKey};
    use crate::requirement::{Candidate, RequirementBuilder};

    fn base() -> RequirementBuilder {
        Requirement::builder(Kind::new("k").unwrap()).scope(Scope::Session).config(Config::new().with("a", 1))
    }

    fn key(keyer: &Keyer, builder: RequirementBuilder) -> ReuseKey {
        let requirement = builder.build().unwrap();
        keyer.key(Purpose::Reuse, &requirement, &OwnerId::new("o").unwrap(), requirement.policy())
    }

    #[test]
    fn everything_that_matters_is_in_the_key_and_nothing_else() {
        let keyer = Keyer::new();
        let reference = key(&keyer, base());
        assert!(reference == key(&keyer, base()), "the id of a requirement does not matter");
        let provider = || ProviderId::new("p").unwrap();
        let different = [
            base().scope(Scope::Agent),
            base().config(Config::new().with("a", 2)),
            base().config(Config::new().with_secret("a", "1")),
            base().resource_key(ResourceKey::new("other").unwrap()),
            base().policy(Policy::new().read_only()),
            base().needs_approval(),
            base().required(CapabilityRequirements::new().with_language("go")),
            base().preferred(CapabilityRequirements::new().with_language("go")),
            base().provider_id(provider()),
            base().candidate(provider()),
            base().candidate(Candidate::new(provider()).with_config(Config::new().with("a", 1))),
            base().grant(GrantId::new("g").unwrap(), std::sync::Arc::new(())),
            base().reuse_key("mine"),
        ];
        let mut keys: Vec<ReuseKey> = different.into_iter().map(|builder| key(&keyer, builder)).collect();
        keys.push(reference);
        for (index, one) in keys.iter().enumerate() {
            assert!(!keys[..index].contains(one), "number {index} is the same as an earlier one");
        }
        assert!(keys.last() != Some(&key(&Keyer::new(), base())), "another manager has other keys");
    }

    #[test]
    fn an_explicit_reuse_key_replaces_resource_key_and_config_only() {
        let keyer = Keyer::new();
        let mine = || base().reuse_key("mine");
        let other = || mine().config(Config::new().with("a", 2)).resource_key(ResourceKey::new("other").unwrap());
        assert!(key(&keyer, mine()) == key(&keyer, other()));
        assert!(key(&keyer, mine()) != key(&keyer, mine().policy(Policy::new().read_only())));
        let approval = |builder: RequirementBuilder| {
            let requirement = builder.build().unwrap();
            keyer.key(Purpose::Approval, &requirement, &OwnerId::new("o").unwrap(), requirement.policy())
        };
        assert!(approval(mine()) != approval(other()), "an approval covers one config");
    }

    #[test]
    fn two_action_calls_never_share() {
        let keyer = Keyer::new();
        let call = |id: &str| base().scope(Scope::ActionCall).action_call_id(ActionCallId::new(id).unwrap());
        assert!(key(&keyer, call("1")) == key(&keyer, call("1")));
        assert!(key(&keyer, call("1")) != key(&keyer, call("2")));
        let unnamed = |id: &str| base().scope(Scope::ActionCall).id(RequirementId::new(id).unwrap());
        assert!(key(&keyer, unnamed("1")) == key(&keyer, unnamed("1")));
        assert!(key(&keyer, unnamed("1")) != key(&keyer, unnamed("2")));
    }
}
