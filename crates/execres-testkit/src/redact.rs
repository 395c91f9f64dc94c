//! Replaces what differs from run to run by stable placeholders.

use std::collections::HashMap;
use std::sync::LazyLock;

use regex::{Captures, Regex};
use serde_json::Value;

/// What is replaced in texts, the more special first: the name of the placeholder and what it stands for. The group `v` is what is
/// replaced; what is around it stays.
const PATTERNS: &[(&str, &str)] = &[
    ("digest", r"\b(?<v>[0-9a-f]{64})\b"),
    ("uuid", r"\b(?<v>[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|[0-9a-f]{32})\b"),
    // Handles are `kind:manager-number`; other ids are a word, a dash and digits that nobody chose.
    ("id", r"\b[a-z_]+:(?<v>[0-9a-f]{6,31}-[0-9]+)\b"),
    ("id", r"\b(?:bundle|grant|call|ws|workspace|evidence|approval|lease)-(?<v>[0-9a-f]{6,31}|[0-9]+)\b"),
    (
        "time",
        r"\b(?<v>[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:Z|[+-][0-9]{2}:?[0-9]{2})?)",
    ),
    ("path", r#"(?:^|[\s"'`(\[=,<])(?<v>(?:/[A-Za-z0-9._@+~-]+){2,}/?)"#),
    ("pid", r"\b(?:pid|process)[ =:]{1,2}(?<v>[0-9]+)\b"),
    ("duration", r"\b(?<v>[0-9]+(?:\.[0-9]+)? ?(?:ns|µs|us|ms|s|min|h))\b"),
    ("size", r"\b(?<v>[0-9]+(?:\.[0-9]+)? ?(?:[kKMGT]i?B|bytes|B))\b"),
];

/// Numbers in JSON that are replaced, by the name of their field.
const NUMBERS: &[(&str, &str)] = &[
    ("at", "time"),
    ("took", "duration"),
    ("wall", "duration"),
    ("cpu_user", "duration"),
    ("cpu_system", "duration"),
    ("secs", "duration"),
    ("nanos", "duration"),
    ("pid", "pid"),
    ("bytes", "size"),
    ("peak_memory", "size"),
];

/// What is measured: equal values are a coincidence.
const UNNUMBERED: &[&str] = &["time", "duration"];

/// What is compiled from [`PATTERNS`], once.
static COMPILED: LazyLock<Vec<(&str, Regex)>> = LazyLock::new(|| {
    // A pattern that does not compile is left out here and found by a test.
    PATTERNS.iter().filter_map(|(name, pattern)| Some((*name, Regex::new(pattern).ok()?))).collect()
});

/// Replaces ids, digests, paths, times, durations, sizes and process ids by placeholders such as `<path-1>`, for snapshots.
///
/// One value has one number as long as the redactor lives, so a snapshot still shows which are the same. Times and durations have
/// none: two of them are the same by chance, in one run and not in the next.
///
/// ```
/// use execres_testkit::Redactor;
///
/// let mut redactor = Redactor::new().naming("key-77", "key");
/// assert_eq!(
///     redactor.text("made /tmp/a1/x and /tmp/b2/y, then /tmp/a1/x again, with key-77, in 12.5 ms"),
///     "made <path-1> and <path-2>, then <path-1> again, with <key>, in <duration>"
/// );
/// ```
#[derive(Debug, Default)]
pub struct Redactor {
    named: Vec<(String, String)>,
    numbers: HashMap<(&'static str, String), usize>,
    counts: HashMap<&'static str, usize>,
}

impl Redactor {
    /// A redactor that has seen nothing.
    pub fn new() -> Self {
        Redactor::default()
    }

    /// Replaces this very text by a name of its own.
    #[must_use]
    pub fn naming(mut self, text: impl Into<String>, name: impl AsRef<str>) -> Self {
        let text = text.into();
        if !text.is_empty() {
            self.named.push((text, format!("<{}>", name.as_ref())));
            // Longest first, so that a text that is part of another does not leave the rest of that one behind.
            self.named.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
        }
        self
    }

    /// A text with placeholders.
    pub fn text(&mut self, text: &str) -> String {
        let named = std::mem::take(&mut self.named);
        let text = named.iter().fold(text.to_owned(), |text, (from, to)| text.replace(from, to));
        self.named = named;
        COMPILED.iter().fold(text, |text, (name, pattern)| {
            let replaced = pattern.replace_all(&text, |captures: &Captures<'_>| self.replace(name, captures));
            replaced.into_owned()
        })
    }

    /// A JSON value with placeholders in its texts, and in the numbers of fields that are known to be times, sizes or process ids.
    pub fn json(&mut self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.text(text)),
            Value::Array(items) => items.iter().map(|item| self.json(item)).collect(),
            Value::Object(fields) => {
                Value::Object(fields.iter().map(|(key, value)| (key.clone(), self.field(key, value))).collect())
            }
            other => other.clone(),
        }
    }

    fn field(&mut self, key: &str, value: &Value) -> Value {
        let name = NUMBERS.iter().find(|(field, _)| *field == key).map(|(_, name)| *name);
        match (name, value) {
            (Some(name), Value::Number(number)) => Value::String(self.placeholder(name, &number.to_string())),
            _ => self.json(value),
        }
    }

    fn replace(&mut self, name: &'static str, captures: &Captures<'_>) -> String {
        let whole = &captures[0];
        match (captures.get(0), captures.name("v")) {
            (Some(all), Some(value)) => {
                let (from, to) = (value.start() - all.start(), value.end() - all.start());
                format!("{}{}{}", &whole[..from], self.placeholder(name, value.as_str()), &whole[to..])
            }
            _ => whole.to_owned(),
        }
    }

    fn placeholder(&mut self, name: &'static str, value: &str) -> String {
        if UNNUMBERED.contains(&name) {
            return format!("<{name}>");
        }
        let count = self.counts.entry(name).or_default();
        let number = self.numbers.entry((name, value.to_owned())).or_insert_with(|| {
            *count += 1;
            *count
        });
        format!("<{name}-{number}>")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_pattern_compiles() {
        assert_eq!(COMPILED.len(), PATTERNS.len());
    }

    #[test]
    fn what_differs_is_replaced_and_the_rest_stays() {
        let digest = "a".repeat(64);
        for (text, wanted) in [
            ("thing:0123456789ab-4 is ready", "thing:<id-1> is ready"),
            ("thing:0123456789abcdef0123456789abcdef", "thing:<uuid-1>"),
            ("id 01234567-89ab-cdef-0123-456789abcdef", "id <uuid-1>"),
            (digest.as_str(), "<digest-1>"),
            ("bundle-0123456789ab0123456789ab", "bundle-<id-1>"),
            ("at 2026-01-02T03:04:05.678Z", "at <time>"),
            ("pid 4711, pid 4712, pid=4711", "pid <pid-1>, pid <pid-2>, pid=<pid-1>"),
            ("used 12 MiB and 5 bytes in 1.5s", "used <size-1> and <size-2> in <duration>"),
            ("\"/usr/bin/env\" failed", "\"<path-1>\" failed"),
            (
                "see https://example.org/a/b, or 3/4 of python 3.11",
                "see https://example.org/a/b, or 3/4 of python 3.11",
            ),
            ("exit code 3", "exit code 3"),
        ] {
            assert_eq!(Redactor::new().text(text), wanted);
        }
    }

    #[test]
    fn one_value_has_one_number_across_texts_and_json() {
        let mut redactor = Redactor::new();
        assert_eq!(redactor.text("/tmp/one/x"), "<path-1>");
        let value =
            json!({"at": 1790000000000_u64, "path": "/tmp/two/x", "again": ["/tmp/one/x"], "leases": 2, "took": 0.25});
        assert_eq!(
            redactor.json(&value),
            json!({"at": "<time>", "path": "<path-2>", "again": ["<path-1>"], "leases": 2, "took": "<duration>"})
        );
    }
}
