//! The provider.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use execres::code::{KIND, SharedRunner};
use execres::core::{
    Capabilities, EnsureRequest, Health, HeldResource, IsolationReport, Kind, NetworkMode, Probe, ProbeRequest,
    ProvidedResource, Provider, ProviderError, ProviderId, WorkspaceAccess,
};
use execres::isolation::Sandbox;
use tokio::sync::Mutex;

use crate::bubblewrap::Bubblewrap;
use crate::config::BubblewrapConfig;
use crate::error::{PROBE_FAILED, UNAVAILABLE};
use crate::evidence;
use crate::runner::BubblewrapRunner;
use crate::tools;

/// The provider's id.
pub(crate) const ID: &str = "bubblewrap";

/// Runs programs in bubblewrap.
#[derive(Debug)]
pub struct BubblewrapProvider {
    id: ProviderId,
    kinds: [Kind; 1],
    place: PathBuf,
    /// Starts and supervises bubblewrap; it isolates nothing here.
    sandbox: Arc<Sandbox>,
    /// The profile is always the same, so its evidence is gathered once.
    evidence: Mutex<Option<Arc<IsolationReport>>>,
}

impl BubblewrapProvider {
    /// A provider with this supervisor.
    pub fn new(sandbox: Arc<Sandbox>) -> Self {
        BubblewrapProvider::at(Bubblewrap::USUAL_PLACE, sandbox)
    }

    /// The same, with the bubblewrap at this place.
    pub fn at(place: impl Into<PathBuf>, sandbox: Arc<Sandbox>) -> Self {
        BubblewrapProvider {
            place: place.into(),
            id: ProviderId::from_static(ID),
            kinds: [Kind::from_static(KIND)],
            sandbox,
            evidence: Mutex::new(None),
        }
    }

    /// Whether bubblewrap is installed at its usual place.
    pub fn is_installed() -> bool {
        Bubblewrap::at(Bubblewrap::USUAL_PLACE.as_ref()).is_some()
    }

    async fn evidence(&self, bubblewrap: &Bubblewrap) -> Result<Arc<IsolationReport>, String> {
        let mut known = self.evidence.lock().await;
        if let Some(report) = &*known {
            return Ok(Arc::clone(report));
        }
        let report = Arc::new(evidence::gather(bubblewrap, &self.sandbox).await?);
        *known = Some(Arc::clone(&report));
        Ok(report)
    }
}

fn not_installed() -> (String, Option<String>) {
    ("bubblewrap is not installed".to_owned(), Some("install it, as by apt-get install bubblewrap".to_owned()))
}

#[async_trait]
impl Provider for BubblewrapProvider {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        request.parse_config::<BubblewrapConfig>()?;
        let Some(bubblewrap) = Bubblewrap::at(&self.place) else {
            let (reason, suggestion) = not_installed();
            return Ok(Probe::unavailable(UNAVAILABLE, reason, suggestion));
        };
        let report = match self.evidence(&bubblewrap).await {
            Ok(report) => report,
            Err(why) => {
                let suggestion = "let ordinary users make user namespaces, or use another provider".to_owned();
                let reason = format!("programs do not start in bubblewrap here: {why}");
                return Ok(Probe::unavailable(UNAVAILABLE, reason, Some(suggestion)));
            }
        };
        let offered =
            Capabilities::new().with_network(NetworkMode::None).with_workspace_access(WorkspaceAccess::Snapshot);
        let required = request.requirement().required();
        let offered = tools::offer(offered, required, &bubblewrap, &self.sandbox).await;
        Ok(Probe::available(offered).with_isolation((*report).clone()))
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let config: BubblewrapConfig = request.parse_config()?;
        let bubblewrap =
            Bubblewrap::at(&self.place).ok_or_else(|| ProviderError::new(UNAVAILABLE, not_installed().0))?;
        let report = request.probe().isolation().cloned();
        let report = report.ok_or_else(|| ProviderError::new(PROBE_FAILED, "the probe brought no evidence"))?;
        let runner: SharedRunner = Arc::new(BubblewrapRunner {
            bubblewrap,
            sandbox: Arc::clone(&self.sandbox),
            report: report.clone(),
            policy: Arc::clone(request.policy()),
            hostname: config.hostname.unwrap_or_else(|| ID.to_owned()),
        });
        Ok(ProvidedResource::new(runner).with_isolation(report))
    }

    async fn health_check(&self, _resource: &HeldResource) -> Health {
        // A runner holds nothing between jobs. That bubblewrap is still there is asked all the same, since it is cheap.
        match Bubblewrap::at(&self.place) {
            Some(_) => Health::Healthy,
            None => Health::unhealthy(UNAVAILABLE, not_installed().0),
        }
    }

    async fn release(&self, _resource: &HeldResource) -> Result<(), ProviderError> {
        Ok(())
    }
}
