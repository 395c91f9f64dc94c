//! The host's own provider: it makes private temporary directories.

use std::io;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use execres_core::{
    Capabilities, EnsureRequest, ErrorCode, Health, HeldResource, InvalidName, Kind, Probe, ProbeRequest,
    ProvidedResource, Provider, ProviderError, ProviderId,
};

/// The provider's own error code.
const NO_DIRECTORY: ErrorCode = ErrorCode::of_provider("temp_dir_missing");

/// What the provider reads from a requirement's configuration. An unknown field is an error that names it.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct TempDirConfig {
    prefix: String,
}

/// The live resource.
pub(crate) struct TempDir(PathBuf);

impl TempDir {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

/// The provider.
pub(crate) struct TempDirs {
    id: ProviderId,
    kinds: [Kind; 1],
}

impl TempDirs {
    pub(crate) fn new() -> Result<Self, InvalidName> {
        Ok(TempDirs { id: ProviderId::new("temp-dirs")?, kinds: [Kind::new("temp_dir")?] })
    }
}

#[async_trait]
impl Provider for TempDirs {
    fn id(&self) -> &ProviderId {
        &self.id
    }

    fn kinds(&self) -> &[Kind] {
        &self.kinds
    }

    async fn probe(&self, request: &ProbeRequest) -> Result<Probe, ProviderError> {
        request.parse_config::<TempDirConfig>()?;
        Ok(match std::env::temp_dir().is_dir() {
            true => Probe::available(Capabilities::new().with_feature("private")),
            false => Probe::unavailable(
                NO_DIRECTORY,
                "the system has no temporary directory",
                Some("set TMPDIR to a directory".to_owned()),
            ),
        })
    }

    async fn ensure(&self, request: &EnsureRequest) -> Result<ProvidedResource, ProviderError> {
        let config: TempDirConfig = request.parse_config()?;
        // The handle's id is unique, so the name is; making a directory that is there already fails.
        let name: String = format!("{}-{}", config.prefix, request.handle_id()).replace([':', '/'], "-");
        let path = std::env::temp_dir().join(name);
        make_private(&path).map_err(|error| ProviderError::new(ErrorCode::ENSURE_FAILED, error.to_string()))?;
        Ok(ProvidedResource::new(TempDir(path)))
    }

    async fn health_check(&self, resource: &HeldResource) -> Health {
        match resource.resource::<TempDir>() {
            Ok(directory) if directory.path().is_dir() => Health::Healthy,
            _ => Health::unhealthy(NO_DIRECTORY, "somebody removed the directory"),
        }
    }

    async fn release(&self, resource: &HeldResource) -> Result<(), ProviderError> {
        let directory = resource.resource::<TempDir>()?;
        match std::fs::remove_dir_all(directory.path()) {
            // Releasing is idempotent: what is gone already is released.
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(ProviderError::new(ErrorCode::RELEASE_FAILED, error.to_string()))
            }
            _ => Ok(()),
        }
    }
}

fn make_private(path: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}
