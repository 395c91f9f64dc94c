//! One layer of settings over those above it.

use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use super::{SettingKey, SettingsError};
use crate::approval::{AutoAllow, HandlerTable};
use crate::identity::{HandlerName, OwnerId, ProviderId};
use crate::requirement::Candidate;

/// How long a person has to answer where nobody sets anything else.
const INPUT_TIMEOUT: Duration = Duration::from_secs(30);
/// Whose a requirement is where nobody sets anything else.
const OWNER: &str = "execres";

/// One layer of a manager's settings. Clones are the same layer.
///
/// The host's layer is the manager's own. [`Manager::layer`](crate::Manager::layer) puts another one below it, for an agent, a session or a
/// request: what is not set there is as above, and what is set there can be stricter and never looser. Below the host
///
/// - auto-allow can be switched off and not on;
/// - the approval handler can be `fail_closed` and no other;
/// - the time to answer can be shortened;
/// - the providers for code execution can be fewer and in another order; where the layers above list none, those that are chosen only by
///   name are left out. The configuration that the host gave a provider stays over the one of the layer;
/// - the owner can be another one: it is a label and allows nothing.
#[derive(Clone)]
pub struct Settings(Arc<Layer>);

struct Layer {
    above: Option<Settings>,
    handlers: Arc<HandlerTable>,
    values: RwLock<Values>,
}

#[derive(Default)]
struct Values {
    providers: Option<Vec<Candidate>>,
    auto_allow: Option<AutoAllow>,
    handler: Option<HandlerName>,
    input_timeout: Option<Duration>,
    owner: Option<OwnerId>,
}

/// Who is tried for code execution.
#[derive(Debug, Clone)]
pub(crate) enum Preferred {
    /// These, as the host listed them.
    ByHost(Vec<Candidate>),
    /// These, as somebody below the host listed them who cannot name a provider that isolates nothing.
    ByLayer(Vec<Candidate>),
}

impl Settings {
    pub(crate) fn of_host(handlers: HandlerTable) -> Self {
        Settings(Arc::new(Layer { above: None, handlers: Arc::new(handlers), values: RwLock::default() }))
    }

    /// A layer below this one.
    pub(crate) fn below(&self) -> Self {
        let handlers = Arc::clone(&self.0.handlers);
        Settings(Arc::new(Layer { above: Some(self.clone()), handlers, values: RwLock::default() }))
    }

    pub(crate) fn handlers(&self) -> &HandlerTable {
        &self.0.handlers
    }

    /// Whether this is the host's own layer.
    pub fn is_host(&self) -> bool {
        self.0.above.is_none()
    }

    fn get<T>(&self, read: impl Fn(&Values) -> Option<T>) -> Option<T> {
        read(&self.0.values.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, write: impl FnOnce(&mut Values)) {
        write(&mut self.0.values.write().unwrap_or_else(PoisonError::into_inner));
    }

    /// The value of the lowest layer that has one.
    fn nearest<T>(&self, read: impl Fn(&Values) -> Option<T> + Copy) -> Option<T> {
        let mut layer = self;
        loop {
            match (layer.get(read), &layer.0.above) {
                (None, Some(above)) => layer = above,
                (value, _) => return value,
            }
        }
    }

    fn loosens(&self, key: SettingKey, looser: bool) -> Result<(), SettingsError> {
        if looser && !self.is_host() { Err(SettingsError::Loosens { key }) } else { Ok(()) }
    }

    /// Whether approval is given without asking: on where the host says so and no layer down to this one switches it off.
    pub fn auto_allow(&self) -> AutoAllow {
        let own = self.get(|values| values.auto_allow);
        match (&self.0.above, own) {
            (_, Some(AutoAllow::Off)) => AutoAllow::Off,
            (Some(above), _) => above.auto_allow(),
            (None, own) => own.unwrap_or_default(),
        }
    }

    /// Sets whether approval is given without asking.
    ///
    /// # Errors
    ///
    /// When a layer below the host's switches it on.
    pub fn set_auto_allow(&self, auto_allow: AutoAllow) -> Result<(), SettingsError> {
        self.loosens(SettingKey::AutoAllow, auto_allow == AutoAllow::On)?;
        self.change(|values| values.auto_allow = Some(auto_allow));
        Ok(())
    }

    /// Who decides on approval.
    pub fn approval_handler(&self) -> HandlerName {
        let name = self.nearest(|values| values.handler.clone());
        name.unwrap_or_else(|| HandlerName::from_static(crate::approval::INPUT_TIMEOUT_FAIL))
    }

    /// Sets who decides on approval.
    ///
    /// # Errors
    ///
    /// When no handler has the name, or a layer below the host's sets any but `fail_closed`.
    pub fn set_approval_handler(&self, name: &HandlerName) -> Result<(), SettingsError> {
        self.loosens(SettingKey::ApprovalHandler, name.as_str() != crate::approval::FAIL_CLOSED)?;
        if self.handlers().get(name).is_none() {
            return Err(SettingsError::NoSuchHandler { name: name.clone() });
        }
        self.change(|values| values.handler = Some(name.clone()));
        Ok(())
    }

    /// How long a person has to answer. 30 s by default.
    pub fn input_timeout(&self) -> Duration {
        let own = self.get(|values| values.input_timeout);
        match &self.0.above {
            Some(above) => own.map_or(above.input_timeout(), |own| own.min(above.input_timeout())),
            None => own.unwrap_or(INPUT_TIMEOUT),
        }
    }

    /// Sets how long a person has to answer.
    ///
    /// # Errors
    ///
    /// When a layer below the host's gives more time than the layers above.
    pub fn set_input_timeout(&self, timeout: Duration) -> Result<(), SettingsError> {
        let longer = self.0.above.as_ref().is_some_and(|above| timeout > above.input_timeout());
        self.loosens(SettingKey::InputTimeout, longer)?;
        self.change(|values| values.input_timeout = Some(timeout));
        Ok(())
    }

    /// Whose a requirement is that names no owner. `execres` by default.
    pub fn owner(&self) -> OwnerId {
        self.nearest(|values| values.owner.clone()).unwrap_or_else(|| OwnerId::from_static(OWNER))
    }

    /// Sets whose a requirement is that names no owner.
    pub fn set_owner(&self, owner: OwnerId) {
        self.change(|values| values.owner = Some(owner));
    }

    /// Sets who is tried for code execution, in order, where a requirement names nobody.
    ///
    /// # Errors
    ///
    /// When a layer below the host's names a provider that is not among those above it.
    pub fn set_code_execution_providers(&self, providers: Vec<Candidate>) -> Result<(), SettingsError> {
        if let Some(above) = self.0.above.as_ref().and_then(Settings::preferred) {
            let unlisted = providers.iter().find(|one| above.find(one.provider_id()).is_none());
            if let Some(candidate) = unlisted {
                return Err(SettingsError::ProviderNotAbove { provider_id: candidate.provider_id().clone() });
            }
        }
        self.change(|values| values.providers = Some(providers));
        Ok(())
    }

    /// Who is tried for code execution, in order. `None` where no layer lists anybody: all that offer it then.
    pub fn code_execution_providers(&self) -> Option<Vec<Candidate>> {
        self.preferred().map(Preferred::into_candidates)
    }

    pub(crate) fn preferred(&self) -> Option<Preferred> {
        let own = self.get(|values| values.providers.clone());
        let Some(above) = &self.0.above else { return own.map(Preferred::ByHost) };
        match (own, above.preferred()) {
            (None, above) => above,
            (Some(own), None) => Some(Preferred::ByLayer(own)),
            // What was set when the layers above listed more is cut down to what they list now.
            (Some(own), Some(above)) => Some(above.narrowed_to(&own)),
        }
    }
}

impl Preferred {
    fn candidates(&self) -> &[Candidate] {
        let (Preferred::ByHost(candidates) | Preferred::ByLayer(candidates)) = self;
        candidates
    }

    fn into_candidates(self) -> Vec<Candidate> {
        let (Preferred::ByHost(candidates) | Preferred::ByLayer(candidates)) = self;
        candidates
    }

    fn find(&self, id: &ProviderId) -> Option<&Candidate> {
        self.candidates().iter().find(|candidate| candidate.provider_id() == id)
    }

    /// Those of these that a layer below lists, in its order, with the configuration from here over its own.
    fn narrowed_to(&self, below: &[Candidate]) -> Preferred {
        let narrowed = |one: &Candidate| {
            let above = self.find(one.provider_id())?;
            Some(Candidate::new(one.provider_id().clone()).with_config(above.config().merged_over(one.config())))
        };
        let candidates = below.iter().filter_map(narrowed).collect();
        match self {
            Preferred::ByHost(_) => Preferred::ByHost(candidates),
            Preferred::ByLayer(_) => Preferred::ByLayer(candidates),
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("host", &self.is_host())
            .field("auto_allow", &self.auto_allow())
            .field("approval_handler", &self.approval_handler())
            .field("owner", &self.owner())
            .finish_non_exhaustive()
    }
}
