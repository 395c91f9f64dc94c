//! The corpus: every attack, and what they share.

use std::collections::BTreeSet;

use crate::attack::Attack;
use crate::header::{self, HeaderError};

/// Every file of the corpus with its text, put here by the build script.
static FILES: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/corpus.rs"));

/// Files that belong to no attack alone.
const SUPPORT: &str = "support/";

/// All attacks, in the order of their classes and names.
#[derive(Debug, Clone)]
pub struct Corpus {
    attacks: Vec<Attack>,
}

/// The corpus cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CorpusError {
    /// A header.
    #[error(transparent)]
    Header(#[from] HeaderError),
    /// Two attacks of one name.
    #[error("there are two attacks `{id}`")]
    Twice {
        /// The name.
        id: String,
    },
}

impl Corpus {
    /// Reads every header.
    ///
    /// # Errors
    /// When a header cannot be read, or a name is there twice.
    pub fn load() -> Result<Self, CorpusError> {
        let mut attacks = Vec::new();
        let mut names = BTreeSet::new();
        for (file, text) in FILES.iter().filter(|(file, _)| !file.starts_with(SUPPORT)) {
            let attack = header::parse(file, text)?;
            if !names.insert(attack.id.clone()) {
                return Err(CorpusError::Twice { id: attack.id });
            }
            attacks.push(attack);
        }
        attacks.sort_by(|a, b| (a.class, &a.id).cmp(&(b.class, &b.id)));
        Ok(Corpus { attacks })
    }

    /// The attacks.
    pub fn attacks(&self) -> &[Attack] {
        &self.attacks
    }

    /// The corpus with those attacks only that are wanted.
    #[must_use]
    pub fn only(mut self, wanted: impl Fn(&Attack) -> bool) -> Self {
        self.attacks.retain(wanted);
        self
    }

    /// Every file of the corpus, by its path in it.
    pub(crate) fn files() -> impl Iterator<Item = (&'static str, &'static str)> {
        FILES.iter().copied()
    }
}
