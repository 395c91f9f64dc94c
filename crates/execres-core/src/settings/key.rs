//! The names of the settings.

use std::fmt;
use std::str::FromStr;

/// A setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SettingKey {
    /// `code_execution.providers`: who is tried for code execution, in order, where a requirement names nobody.
    CodeExecutionProviders,
    /// `access_control_policy.auto_allow`: whether approval is given without asking.
    AutoAllow,
    /// `policy_approval.handler`: who decides on approval.
    ApprovalHandler,
    /// `policy_approval.input_timeout_seconds`: how long a person has to answer.
    InputTimeout,
    /// `execution_resource.owner_id`: whose a requirement is that names no owner.
    OwnerId,
}

impl SettingKey {
    /// All settings.
    pub const ALL: [SettingKey; 5] = [
        SettingKey::CodeExecutionProviders,
        SettingKey::AutoAllow,
        SettingKey::ApprovalHandler,
        SettingKey::InputTimeout,
        SettingKey::OwnerId,
    ];

    /// The stable name.
    pub const fn name(self) -> &'static str {
        match self {
            SettingKey::CodeExecutionProviders => "code_execution.providers",
            SettingKey::AutoAllow => "access_control_policy.auto_allow",
            SettingKey::ApprovalHandler => "policy_approval.handler",
            SettingKey::InputTimeout => "policy_approval.input_timeout_seconds",
            SettingKey::OwnerId => "execution_resource.owner_id",
        }
    }
}

impl fmt::Display for SettingKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for SettingKey {
    type Err = UnknownSetting;

    fn from_str(text: &str) -> Result<Self, UnknownSetting> {
        SettingKey::ALL.into_iter().find(|key| key.name() == text).ok_or_else(|| UnknownSetting(text.to_owned()))
    }
}

/// A text that names no setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no setting {0:?}")]
pub struct UnknownSetting(pub(super) String);
