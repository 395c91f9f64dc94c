//! Setting by name, from a file or a command line.

use std::time::Duration;

use serde_json::Value;

use super::{SettingKey, Settings, SettingsError};
use crate::approval::AutoAllow;
use crate::identity::{HandlerName, InvalidName, OwnerId};
use crate::requirement::Candidate;

impl Settings {
    /// Sets a setting by its name. The value has to be of the setting's own form: the text `"false"` is no boolean.
    ///
    /// ```
    /// # use execres_core::{AutoAllow, Manager};
    /// let manager = Manager::builder().build();
    /// manager.settings().set("access_control_policy.auto_allow", true.into())?;
    /// assert_eq!(manager.settings().auto_allow(), AutoAllow::On);
    /// assert!(manager.settings().set("access_control_policy.auto_allow", "false".into()).is_err());
    /// # Ok::<(), execres_core::SettingsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When no setting has the name, the value has another form, or the layer may not set it so.
    pub fn set(&self, key: &str, value: Value) -> Result<(), SettingsError> {
        let key: SettingKey = key.parse()?;
        let form = |expected| SettingsError::Form { key, expected };
        let name = |source: InvalidName| SettingsError::Name { key, source };
        match (key, value) {
            (SettingKey::CodeExecutionProviders, value) => {
                self.set_code_execution_providers(Candidate::list_from_json(value)?)
            }
            (SettingKey::AutoAllow, Value::Bool(true)) => self.set_auto_allow(AutoAllow::On),
            (SettingKey::AutoAllow, Value::Bool(false)) => self.set_auto_allow(AutoAllow::Off),
            (SettingKey::AutoAllow, _) => Err(form("true or false")),
            (SettingKey::ApprovalHandler, Value::String(text)) => {
                self.set_approval_handler(&HandlerName::new(text).map_err(name)?)
            }
            (SettingKey::ApprovalHandler, _) => Err(form("the name of a handler")),
            (SettingKey::InputTimeout, value) => {
                let seconds = value.as_f64().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                self.set_input_timeout(seconds.ok_or_else(|| form("a number of seconds, 0 or more"))?)
            }
            (SettingKey::OwnerId, Value::String(text)) => {
                self.set_owner(OwnerId::new(text).map_err(name)?);
                Ok(())
            }
            (SettingKey::OwnerId, _) => Err(form("the id of an owner")),
        }
    }
}
