//! Settings in layers: the host's, and below it those of whoever it lets make some. Nothing below loosens what is above.

mod error;
mod json;
mod key;
mod layer;
#[cfg(test)]
#[cfg(not(feature = "shuttle"))]
mod tests;

pub use error::SettingsError;
pub use key::{SettingKey, UnknownSetting};
pub(crate) use layer::Preferred;
pub use layer::Settings;
