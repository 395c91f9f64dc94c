//! [`Sha256`]: a digest spelled `sha256:<64 hex digits>`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::Digest as _;

/// A SHA-256 digest. Spelled `sha256:` and 64 lower-case hexadecimal digits, everywhere.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let mut hasher = Sha256Hasher::new();
        hasher.update(bytes);
        hasher.finish()
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The 64 digits, without the prefix.
    pub fn hex(&self) -> String {
        hex::encode(self.0)
    }
}

/// Takes bytes piece by piece.
#[derive(Debug, Clone, Default)]
pub struct Sha256Hasher(sha2::Sha256);

impl Sha256Hasher {
    /// Nothing taken yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> Sha256 {
        Sha256(self.0.finalize().into())
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "sha256:{}", self.hex())
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha256 {
    type Err = DigestError;

    fn from_str(text: &str) -> Result<Self, DigestError> {
        let refuse = || DigestError { text: text.chars().take(100).collect() };
        let digits = text.strip_prefix("sha256:").ok_or_else(refuse)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(digits, &mut bytes).map_err(|_| refuse())?;
        // One digest has one spelling.
        if digits.bytes().any(|digit| digit.is_ascii_uppercase()) { Err(refuse()) } else { Ok(Sha256(bytes)) }
    }
}

impl TryFrom<String> for Sha256 {
    type Error = DigestError;

    fn try_from(text: String) -> Result<Self, DigestError> {
        text.parse()
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> String {
        digest.to_string()
    }
}

/// A text that is not a digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{text:?} is not a digest: write `sha256:` and 64 lower-case hexadecimal digits")]
pub struct DigestError {
    /// The text; a long one is cut.
    pub text: String,
}

impl DigestError {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        "workspace.digest_invalid"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn one_spelling() {
        assert_eq!(Sha256::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse::<Sha256>(), Ok(Sha256::of(b"")));
        let upper = format!("sha256:{}", EMPTY[7..].to_uppercase());
        for bad in ["", &EMPTY[7..], &EMPTY[..70], &upper, "sha512:00", &format!("{EMPTY}0")] {
            assert!(bad.parse::<Sha256>().is_err(), "{bad}");
        }
    }

    #[test]
    fn pieces_are_one_text() {
        let mut hasher = Sha256Hasher::new();
        hasher.update(b"ab");
        hasher.update(b"c");
        assert_eq!(hasher.finish(), Sha256::of(b"abc"));
    }
}
