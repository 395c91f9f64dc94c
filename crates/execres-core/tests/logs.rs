//! M8: no secret is logged.
//!
//! A binary of its own, because the subscriber is the whole process's: with one for a thread, another test that logs for the first
//! time at the same moment can switch a place in the code off for all.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io;
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use execres_core::{
    Capabilities, Config, EnsureRequest, ErrorCode, Health, HeldResource, Kind, Manager, Probe, ProbeRequest,
    ProvidedResource, Provider, ProviderError, ProviderId, Requirement, Scope,
};

const SECRET: &str = "canary-secret";
const CODE: ErrorCode = ErrorCode::of_provider("indiscreet");

/// Tells the secret wherever it can.
struct Indiscreet(ProviderId, [Kind; 1], Mutex<Vec<&'static str>>);

impl Indiscreet {
    /// Fails the first time that it is called for this step.
    fn once(&self, step: &'static str) -> Result<(), ProviderError> {
        let mut failed = self.2.lock().unwrap();
        if failed.contains(&step) {
            return Ok(());
        }
        failed.push(step);
        let text = format!("{step} with {SECRET}");
        Err(ProviderError::new(CODE, text.clone()).with_suggestion(text.clone()).with_source(text))
    }
}

#[async_trait]
impl Provider for Indiscreet {
    fn id(&self) -> &ProviderId {
        &self.0
    }

    fn kinds(&self) -> &[Kind] {
        &self.1
    }

    async fn probe(&self, _request: &ProbeRequest) -> Result<Probe, ProviderError> {
        self.once("probe")?;
        Ok(Probe::available(Capabilities::new()))
    }

    async fn ensure(&self, _request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        self.once("ensure")?;
        Ok(ProvidedResource::new(SECRET.to_owned()))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        match self.once("health") {
            Ok(()) => Health::Healthy,
            Err(error) => Health::unhealthy(CODE, error.message()),
        }
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        self.once("release")
    }
}

/// Takes what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn m8_no_secret_is_logged() {
    let log = Log::default();
    let writer = log.clone();
    let all = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).with_ansi(false);
    tracing::subscriber::set_global_default(all.with_writer(move || writer.clone()).finish()).unwrap();

    let kind = Kind::new("thing").unwrap();
    let manager = Manager::builder().build();
    let provider = Indiscreet(ProviderId::new("indiscreet").unwrap(), [kind.clone()], Mutex::default());
    manager.register_provider(provider).unwrap();
    let config = Config::new().with_secret("token", SECRET).with("plain", "canary-plain");
    let requirement = Requirement::builder(kind).scope(Scope::Session).config(config).build().unwrap();
    manager.ensure(&requirement).await.unwrap_err();
    manager.ensure(&requirement).await.unwrap_err();
    let first = manager.ensure(&requirement).await.unwrap();
    // Its health check fails, and so does its release: it is quarantined and replaced.
    let second = manager.ensure(&requirement).await.unwrap();
    assert_ne!(first.id(), second.id());
    manager.release(&second).await.unwrap();

    let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    for control in [
        "INFO execution_resource: execution_resource.ready",
        "WARN execution_resource: execution_resource.unhealthy",
        "cause=\"probe with [secret]",
        "cause=\"ensure with [secret]",
        "reason=\"health with [secret]",
        "cause=\"release with [secret]",
    ] {
        assert!(logged.contains(control), "the control {control:?} is not in: {logged}");
    }
    for canary in [SECRET, "canary-plain"] {
        assert!(!logged.contains(canary), "{canary} is logged in: {logged}");
    }
}
