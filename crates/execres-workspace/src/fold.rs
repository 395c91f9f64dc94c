//! Case folding of names, for "would these two be one file somewhere?".

use unicode_normalization::UnicodeNormalization;

/// `text` with everything removed that some file system does not tell apart: case, composition, invisible characters.
///
/// Upper-casing before lower-casing folds what has several lower-case forms (`ß` and `ss`, `ſ` and `s`). It folds a little
/// more than Unicode's own table (dotless `ı` too), which is on the safe side: it refuses a pair, it never lets one through.
pub(crate) fn fold(text: &str) -> String {
    let visible = text.chars().filter(|character| !is_ignorable(*character));
    visible.flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect()
}

/// Characters that a case-insensitive file system may skip, and that nobody sees.
const fn is_ignorable(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::fold;

    #[test]
    fn what_some_file_system_takes_for_one_name_folds_to_one() {
        for (one, other) in [
            ("README", "readme"),
            ("straße", "STRASSE"),
            ("é", "e\u{301}"),
            (".execres", ".ExecReſ"),
            (".execres", ".exec\u{200c}res"),
            ("\u{212a}elvin", "kelvin"),
        ] {
            assert_eq!(fold(one), fold(other), "{one:?} {other:?}");
        }
        assert_ne!(fold("a"), fold("b"));
    }
}
