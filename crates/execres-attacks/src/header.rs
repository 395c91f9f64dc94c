//! Reading the header of an attack: the first comment of its file, one `key: value` a line.

use std::collections::BTreeMap;

use execres_core::Axis;

use crate::attack::{Attack, Canary, Class, Control, Expected, Ground, Language, Place, Repeat, Target, Witness};

/// A header cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HeaderError {
    /// The file is in no known language.
    #[error("{file}: the corpus knows files that end with .c, .py and .sh")]
    Language {
        /// The file.
        file: String,
    },
    /// A line of the header is not `key: value`.
    #[error("{file}: `{line}` is not `key: value`")]
    Line {
        /// The file.
        file: String,
        /// The line.
        line: String,
    },
    /// A key that has to be there is not.
    #[error("{file}: the header has no `{key}`")]
    Missing {
        /// The file.
        file: String,
        /// The key.
        key: &'static str,
    },
    /// A key that nobody knows.
    #[error("{file}: the header has an unknown key `{key}`")]
    Unknown {
        /// The file.
        file: String,
        /// The key.
        key: String,
    },
    /// A value that means nothing.
    #[error("{file}: `{value}` is no `{key}`")]
    Value {
        /// The file.
        file: String,
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
    },
}

/// The values of a header, and the file that they are from.
struct Header<'a> {
    file: &'a str,
    values: BTreeMap<String, String>,
}

/// Reads an attack from its file.
pub(crate) fn parse(file: &str, text: &str) -> Result<Attack, HeaderError> {
    let unknown = || HeaderError::Language { file: file.to_owned() };
    let name = file.rsplit('/').next().unwrap_or(file);
    let (stem, ending) = name.rsplit_once('.').ok_or_else(unknown)?;
    let language = Language::parse(ending).ok_or_else(unknown)?;
    let mut header = Header { file, values: values(file, language, text)? };

    let id = header.required("id")?;
    if id != stem {
        return Err(HeaderError::Value { file: file.to_owned(), key: "id", value: id });
    }
    let attack = Attack {
        file: file.to_owned(),
        language,
        class: header.one("class", Class::parse)?,
        rows: header.list("rows", |text| text.parse().ok())?,
        target: header.one("axis", target)?,
        limit: header.optional("limit", |text| LIMITS.contains(&text).then(|| text.to_owned()))?,
        attempt: header.required("attempt")?,
        expected: header.list("expected", expected)?,
        witnesses: header.list("witness", Witness::parse)?,
        canaries: header.optional_list("canary", Canary::parse)?,
        control: header.one("control", control)?,
        place: header.optional("where", Place::parse)?.unwrap_or(Place::Everywhere),
        repeat: header.optional("repeat", Repeat::parse)?.unwrap_or(Repeat::Once),
        environment: header.optional_list("environment", variable)?,
        id,
    };
    match header.values.into_keys().next() {
        Some(key) => Err(HeaderError::Unknown { file: file.to_owned(), key }),
        None => Ok(attack),
    }
}

fn values(file: &str, language: Language, text: &str) -> Result<BTreeMap<String, String>, HeaderError> {
    let mark = match language {
        Language::C => "//",
        Language::Python | Language::Shell => "#",
    };
    let mut values: BTreeMap<String, String> = BTreeMap::new();
    let mut last: Option<String> = None;
    for line in text.lines() {
        let Some(line) = line.strip_prefix(mark) else { break };
        // A line that is indented goes on with the value before it.
        if let (Some(more), Some(key)) = (line.strip_prefix("   "), &last) {
            if let Some(value) = values.get_mut(key) {
                value.push(' ');
                value.push_str(more.trim());
            }
            continue;
        }
        let (key, value) = line
            .split_once(':')
            .ok_or_else(|| HeaderError::Line { file: file.to_owned(), line: line.trim().to_owned() })?;
        let key = key.trim().to_owned();
        values.insert(key.clone(), value.trim().to_owned());
        last = Some(key);
    }
    Ok(values)
}

impl Header<'_> {
    fn required(&mut self, key: &'static str) -> Result<String, HeaderError> {
        let value = self.values.remove(key).filter(|value| !value.is_empty());
        value.ok_or_else(|| HeaderError::Missing { file: self.file.to_owned(), key })
    }

    fn bad(&self, key: &'static str, value: &str) -> HeaderError {
        HeaderError::Value { file: self.file.to_owned(), key, value: value.to_owned() }
    }

    fn one<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<T, HeaderError> {
        let value = self.required(key)?;
        read(&value).ok_or_else(|| self.bad(key, &value))
    }

    fn list<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, HeaderError> {
        let value = self.required(key)?;
        value.split(',').map(str::trim).map(|part| read(part).ok_or_else(|| self.bad(key, part))).collect()
    }

    fn optional<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<Option<T>, HeaderError> {
        if self.values.contains_key(key) { self.one(key, read).map(Some) } else { Ok(None) }
    }

    fn optional_list<T>(&mut self, key: &'static str, read: impl Fn(&str) -> Option<T>) -> Result<Vec<T>, HeaderError> {
        if self.values.contains_key(key) { self.list(key, read) } else { Ok(Vec::new()) }
    }
}

/// Limits by their names in a report.
const LIMITS: [&str; 8] =
    ["memory", "processes", "cpu_time", "wall_time", "file_size", "open_files", "scratch", "output"];

fn target(text: &str) -> Option<Target> {
    match text {
        "network" => Some(Target::Network),
        "limits" => Some(Target::Limits),
        "results" => Some(Target::Results),
        axis => axis.parse::<Axis>().ok().map(Target::Axis),
    }
}

fn expected(text: &str) -> Option<Expected> {
    const OUTCOMES: [&str; 6] = ["exited", "signaled", "timed_out", "cpu_time", "out_of_memory", "limit_exceeded"];
    let errno = text.starts_with('E') && text.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
    match text {
        "no effect" => Some(Expected::NoEffect),
        "SIGSYS" | "exit" => Some(Expected::Refused(text.to_owned())),
        outcome if OUTCOMES.contains(&outcome) => Some(Expected::Outcome(outcome.to_owned())),
        errno_name if errno => Some(Expected::Refused(errno_name.to_owned())),
        _ => None,
    }
}

fn control(text: &str) -> Option<Control> {
    match text {
        "outside" => Some(Control::Outside(Ground::Host)),
        "outside in namespaces" => Some(Control::Outside(Ground::Namespaces)),
        "differential" => Some(Control::Differential(Ground::Host)),
        "differential in namespaces" => Some(Control::Differential(Ground::Namespaces)),
        other => {
            let why = other.strip_prefix("reasoned:")?.trim();
            (why.split(' ').count() > 3).then(|| Control::Reasoned(why.to_owned()))
        }
    }
}

fn variable(text: &str) -> Option<(String, String)> {
    let (name, value) = text.split_once('=')?;
    (!name.is_empty()).then(|| (name.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "// id: a\n// class: files\n// rows: 30, 31\n// axis: host_filesystem_restricted\n// attempt: reads\n//    on\n\
                        // expected: ENOENT, no effect\n// witness: secret\n// control: outside\nint main;\n";

    #[test]
    fn a_header_is_read() {
        let attack = parse("files/a.c", GOOD).unwrap();
        assert_eq!((attack.rows, attack.attempt.as_str()), (vec![30, 31], "reads on"));
        assert_eq!(attack.expected, [Expected::Refused("ENOENT".into()), Expected::NoEffect]);
        assert_eq!(attack.control, Control::Outside(Ground::Host));
    }

    #[test]
    fn each_mistake_is_named() {
        let error = |from: &str, to: &str| parse("files/a.c", &GOOD.replace(from, to)).unwrap_err().to_string();
        assert_eq!(error("id: a", "id: b"), "files/a.c: `b` is no `id`");
        assert_eq!(error("class: files", "class: nonsense"), "files/a.c: `nonsense` is no `class`");
        assert_eq!(error("// witness: secret\n", ""), "files/a.c: the header has no `witness`");
        assert_eq!(error("control: outside", "control: trust me"), "files/a.c: `trust me` is no `control`");
        assert_eq!(error("control: outside", "control: reasoned: no"), "files/a.c: `reasoned: no` is no `control`");
        assert_eq!(error("// witness", "// mood: good\n// witness"), "files/a.c: the header has an unknown key `mood`");
        assert_eq!(error("// witness: secret", "// witness"), "files/a.c: `witness` is not `key: value`");
        assert!(parse("files/a.rb", GOOD).is_err());
    }
}
