//! Secrets that are planted, and must be found nowhere.

use std::collections::BTreeMap;
use std::fmt::Debug;

/// Secrets that a test plants, each under a name. They are unlike anything else, so finding one anywhere is a leak.
///
/// ```
/// use execres_testkit::Canaries;
///
/// let mut canaries = Canaries::new();
/// let token = canaries.plant("token");
/// assert!(canaries.assert_absent_in("the log", "connected").is_ok());
/// let leak = canaries.assert_absent_in("the log", &format!("connected with {token}"));
/// assert_eq!(leak.unwrap_err().to_string(), "the canary `token` is in the log, as it is");
/// ```
#[derive(Debug, Default)]
pub struct Canaries(BTreeMap<String, String>);

/// A canary was found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the canary `{name}` is in {place}, {form}")]
pub struct CanaryFound {
    /// The name that it was planted under.
    pub name: String,
    /// Where it was found.
    pub place: String,
    /// In which form.
    pub form: &'static str,
}

impl Canaries {
    /// No canary yet.
    pub fn new() -> Self {
        Canaries::default()
    }

    /// A new secret under this name.
    pub fn plant(&mut self, name: impl Into<String>) -> String {
        let secret = format!("canary{}", uuid::Uuid::new_v4().simple());
        self.0.insert(name.into(), secret.clone());
        secret
    }

    /// Looks for every canary in a text: as it is, in hexadecimal digits, in upper case, and in reverse.
    ///
    /// # Errors
    /// [`CanaryFound`] with the name of the first that is there; never with its value.
    pub fn assert_absent_in(&self, place: &str, text: &str) -> Result<(), CanaryFound> {
        for (name, secret) in &self.0 {
            let hex: String = secret.bytes().map(|byte| format!("{byte:02x}")).collect();
            let forms = [
                (secret.clone(), "as it is"),
                (secret.to_uppercase(), "in upper case"),
                (hex, "in hexadecimal digits"),
                (secret.chars().rev().collect(), "in reverse"),
            ];
            if let Some((_, form)) = forms.iter().find(|(form, _)| text.contains(form.as_str())) {
                return Err(CanaryFound { name: name.clone(), place: place.to_owned(), form });
            }
        }
        Ok(())
    }

    /// The same in how a value shows itself.
    ///
    /// # Errors
    /// As [`Canaries::assert_absent_in`].
    pub fn assert_absent_in_debug(&self, place: &str, value: &impl Debug) -> Result<(), CanaryFound> {
        self.assert_absent_in(place, &format!("{value:?}\n{value:#?}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_form_is_found_and_the_secret_is_not_in_the_complaint() {
        let mut canaries = Canaries::new();
        let (one, other) = (canaries.plant("one"), canaries.plant("other"));
        assert_ne!(one, other);
        assert_eq!(canaries.assert_absent_in("a text", "nothing here"), Ok(()));
        for text in [format!("x{other}y"), other.to_uppercase(), other.chars().rev().collect()] {
            let found = canaries.assert_absent_in("a text", &text).unwrap_err();
            assert_eq!(found.name, "other");
            assert!(!found.to_string().contains(&other));
        }
        assert!(canaries.assert_absent_in_debug("a list", &[one]).is_err());
    }
}
