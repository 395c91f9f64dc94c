//! Cutting secrets out of a text.

/// The text with every occurrence of the secrets replaced, in the forms in which programs write them: as they are, without blanks around
/// them, and escaped. The original text is searched, never what was put in, and occurrences that overlap are cut as one.
pub(super) fn cut<'a>(text: &str, secrets: impl Iterator<Item = &'a str>) -> String {
    let mut forms: Vec<String> = secrets.flat_map(forms).filter(|form| !form.is_empty()).collect();
    forms.sort_unstable();
    forms.dedup();
    let mut found: Vec<(usize, usize)> = Vec::new();
    for form in &forms {
        let mut from = 0;
        while let Some(at) = text.get(from..).and_then(|rest| rest.find(form.as_str())) {
            let start = from + at;
            found.push((start, start + form.len()));
            // From the next character on: occurrences of one secret can overlap too.
            from = start + text[start..].chars().next().map_or(1, char::len_utf8);
        }
    }
    found.sort_unstable();
    let mut kept = String::with_capacity(text.len());
    let mut done = 0;
    let mut ranges = found.into_iter().peekable();
    while let Some((start, mut end)) = ranges.next() {
        while let Some((_, further)) = ranges.next_if(|next| next.0 < end) {
            end = end.max(further);
        }
        kept.push_str(text.get(done..start).unwrap_or_default());
        kept.push_str("[secret]");
        done = end;
    }
    kept.push_str(text.get(done..).unwrap_or_default());
    kept
}

fn forms(secret: &str) -> [String; 4] {
    let trimmed = secret.trim();
    let json = serde_json::to_string(trimmed).unwrap_or_default();
    let json = json.get(1..json.len().saturating_sub(1)).unwrap_or_default().to_owned();
    [secret.to_owned(), trimmed.to_owned(), trimmed.escape_debug().to_string(), json]
}

#[cfg(test)]
mod tests {
    use super::cut;

    #[test]
    fn every_form_is_cut_once_and_what_was_put_in_is_left_alone() {
        for (text, secrets, wanted) in [
            ("a b", &["x"][..], "a b"),
            ("see", &["e"; 40][..], "s[secret][secret]"),
            ("abcd", &["abc", "bcd"][..], "[secret]"),
            ("aaa.", &["aa"][..], "[secret]."),
            ("token tok", &["tok", "token"][..], "[secret] [secret]"),
            ("is abc, or", &["abc\n"][..], "is [secret], or"),
            (r#"said "a\"b\nc""#, &["a\"b\nc\n"][..], "said \"[secret]\""),
            ("ünü", &["ü"][..], "[secret]n[secret]"),
            ("text", &["", " "][..], "text"),
        ] {
            assert_eq!(cut(text, secrets.iter().copied()), wanted, "{text} without {secrets:?}");
        }
    }
}
