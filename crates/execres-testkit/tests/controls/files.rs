//! A provider of private files, good or with one defect.

use std::fs;
use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::Duration;

use async_trait::async_trait;
use execres_core::{
    Attempt, Axis, AxisEvidence, AxisSet, Capabilities, ConfigValue, Deadlines, EnsureRequest, ErrorCode, Health,
    HeldResource, IsolationReport, Kind, NetworkMode, Probe, ProbeRequest, ProvidedResource, Provider, ProviderError,
    ProviderId, Requirement, Verdict,
};
use execres_testkit::contract::{Subject, files_below};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Defect {
    ChangesItsId,
    ProbeLeavesAFile,
    FirstProbeIsSlow,
    OffersWhatIsAsked,
    TakesAnyKey,
    RefusesWithoutNaming,
    TellsItsSecret,
    MakesAnotherType,
    SharesOneFile,
    OneAtATime,
    SaysUnhealthy,
    SaysHealthy,
    ReleaseLeavesTheFile,
    ReleaseLeavesADescriptor,
    SecondReleaseFails,
    DroppedEnsureLeaves,
    BoundToItsThread,
    ClaimsWhatItDoesNotCarry,
    ForgesAnAxis,
    TellsNoEvidence,
}

const BROKEN: ErrorCode = ErrorCode::of_provider("file_gone");

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct FilesConfig {
    #[serde(default, rename = "token")]
    _token: Option<String>,
}

/// The live resource.
pub(crate) struct PrivateFile {
    path: PathBuf,
    thread: Option<ThreadId>,
}

impl PrivateFile {
    fn works(&self) -> Result<(), String> {
        if self.thread.is_some_and(|thread| thread != std::thread::current().id()) {
            return Err("it is another thread's".to_owned());
        }
        match fs::read_to_string(&self.path) {
            Ok(text) if text == "content" => Ok(()),
            Ok(text) => Err(format!("it holds {text:?}")),
            Err(error) => Err(error.to_string()),
        }
    }
}

struct Files {
    ids: [ProviderId; 2],
    kinds: [Kind; 1],
    place: PathBuf,
    defect: Option<Defect>,
    live: AtomicUsize,
    ensuring: AtomicUsize,
    was_probed: AtomicBool,
    kept: Mutex<Vec<fs::File>>,
}

/// The description of the provider, good or with a defect.
pub(crate) fn subject(defect: Option<Defect>) -> Subject {
    let place = tempfile::tempdir().unwrap().keep();
    let made = place.clone();
    let remover = Arc::new(Remover(place.clone()));
    let axes = match defect {
        Some(Defect::ClaimsWhatItDoesNotCarry | Defect::TellsNoEvidence) | None => {
            AxisSet::EMPTY.with(Axis::ProcessContained)
        }
        _ => AxisSet::EMPTY,
    };
    Subject::new("files", ["private_file"], move || {
        let _place = &remover;
        Arc::new(Files {
            ids: [ProviderId::from_static("files"), ProviderId::from_static("others")],
            kinds: [Kind::from_static("private_file")],
            place: made.clone(),
            defect,
            live: AtomicUsize::new(0),
            ensuring: AtomicUsize::new(0),
            was_probed: AtomicBool::new(false),
            kept: Mutex::new(Vec::new()),
        })
    })
    .requirement(|| Requirement::builder(Kind::from_static("private_file")))
    .used_by(|file: Arc<PrivateFile>| async move { file.works() })
    .broken_by(|file: Arc<PrivateFile>| async move { fs::remove_file(&file.path).unwrap() })
    .proves(axes)
    .takes_secret("token")
    .leaves(move || files_below(&place))
    .patience(Duration::from_millis(100))
}

/// Removes the directory when the description goes.
struct Remover(PathBuf);

impl Drop for Remover {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// An ensure that goes on. Removes the file when it is dropped half way.
struct Begun<'a> {
    made: Option<PathBuf>,
    going_on: &'a AtomicUsize,
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        self.going_on.fetch_sub(1, Ordering::SeqCst);
        if let Some(path) = self.made.take() {
            fs::remove_file(path).unwrap();
        }
    }
}

impl Files {
    fn has(&self, defect: Defect) -> bool {
        self.defect == Some(defect)
    }

    fn report(&self) -> Option<IsolationReport> {
        let observed = if self.has(Defect::TellsNoEvidence) { "" } else { "nobody came" };
        let attempts = vec![Attempt::new("try", Verdict::Verified, observed)];
        let evidence = vec![AxisEvidence { axis: Axis::ProcessContained, attempts }];
        let claims = match self.defect {
            None => true,
            Some(defect) => {
                [Defect::ClaimsWhatItDoesNotCarry, Defect::ForgesAnAxis, Defect::TellsNoEvidence].contains(&defect)
            }
        };
        claims.then(|| IsolationReport::new("evidence", NetworkMode::None, evidence))
    }
}

#[async_trait]
impl Provider for Files {
    fn id(&self) -> &ProviderId {
        let changed = self.has(Defect::ChangesItsId) && self.live.load(Ordering::SeqCst) > 0;
        &self.ids[usize::from(changed)]
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    fn deadlines(&self, defaults: Deadlines) -> Deadlines {
        match self.has(Defect::FirstProbeIsSlow) {
            true => defaults.with_probe(Duration::from_millis(20)),
            false => defaults,
        }
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        if self.has(Defect::FirstProbeIsSlow) && !self.was_probed.swap(true, Ordering::SeqCst) {
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
        if self.has(Defect::ProbeLeavesAFile) {
            fs::write(self.place.join(request.requirement().id().as_str().replace(':', "-")), "left").unwrap();
        }
        match request.parse_config::<FilesConfig>() {
            Err(_) if self.has(Defect::TakesAnyKey) => {}
            Err(_) if self.has(Defect::RefusesWithoutNaming) => {
                return Err(ProviderError::new(BROKEN, "the config is wrong"));
            }
            parsed => drop(parsed?),
        }
        let mut offered = Capabilities::new();
        if self.has(Defect::OffersWhatIsAsked) {
            offered.features.clone_from(&request.requirement().required().features);
        }
        let probe = Probe::available(offered);
        Ok(match self.report() {
            Some(report) => probe.with_isolation(report),
            None => probe,
        })
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        if self.has(Defect::OneAtATime) && self.ensuring.load(Ordering::SeqCst) > 0 {
            return Err(ProviderError::new(BROKEN, "another ensure goes on"));
        }
        let name = match self.has(Defect::SharesOneFile) {
            true => "one".to_owned(),
            false => request.handle_id().as_str().replace(':', "-"),
        };
        let path = self.place.join(name);
        fs::File::create(&path).unwrap().write_all(b"content").unwrap();
        self.ensuring.fetch_add(1, Ordering::SeqCst);
        let made = (!self.has(Defect::DroppedEnsureLeaves)).then(|| path.clone());
        let mut begun = Begun { made, going_on: &self.ensuring };
        tokio::task::yield_now().await;
        begun.made = None;
        self.live.fetch_add(1, Ordering::SeqCst);
        let thread = self.has(Defect::BoundToItsThread).then(|| std::thread::current().id());
        let mut made = match self.has(Defect::MakesAnotherType) {
            true => ProvidedResource::new(path),
            false => ProvidedResource::new(PrivateFile { path, thread }),
        };
        if let (true, Some(ConfigValue::Secret(_))) = (self.has(Defect::TellsItsSecret), request.config().get("token"))
        {
            #[derive(serde::Deserialize)]
            struct Token {
                token: String,
            }
            made = made.with_metadata("token", request.parse_config::<Token>()?.token);
        }
        Ok(match self.has(Defect::ClaimsWhatItDoesNotCarry) {
            true => made.with_isolation(IsolationReport::none(NetworkMode::None)),
            false => made,
        })
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        let works = resource.resource::<PrivateFile>().map_err(|error| error.to_string()).and_then(|file| file.works());
        match works {
            _ if self.has(Defect::SaysHealthy) => Health::Healthy,
            _ if self.has(Defect::SaysUnhealthy) => Health::unhealthy(BROKEN, "it does not look well"),
            Ok(()) => Health::Healthy,
            Err(reason) => Health::unhealthy(BROKEN, reason),
        }
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        let path = match resource.resource::<PrivateFile>() {
            Ok(file) => file.path.clone(),
            Err(_) => (*resource.resource::<PathBuf>()?).clone(),
        };
        if self.has(Defect::ReleaseLeavesADescriptor) {
            self.kept.lock().unwrap().extend(fs::File::open(&path).ok());
        }
        self.live.store(0, Ordering::SeqCst);
        if self.has(Defect::ReleaseLeavesTheFile) {
            return Ok(());
        }
        match fs::remove_file(path) {
            Err(error) if self.has(Defect::SecondReleaseFails) => Err(ProviderError::new(BROKEN, error.to_string())),
            _ => Ok(()),
        }
    }
}
