//! What must not stay in the source.

use super::Finding;
use super::files::RustFile;

/// Code that is not finished.
const IN_CODE: &[(&str, &str)] = &[
    ("todo!(", "unfinished: finish it or leave it out"),
    ("unimplemented!(", "unfinished: finish it or leave it out"),
    ("dbg!(", "left from debugging: remove it"),
];

/// Marks of work that is not finished, as whole words of a comment.
const IN_COMMENTS: &[&str] = &["FIXME", "XXX"];

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (number, line) in file.numbered() {
            for (banned, what) in IN_CODE.iter().filter(|(banned, _)| line.code.contains(banned)) {
                findings.push(Finding::new(&file.path, number, format!("`{banned}…)`: {what}")));
            }
            if ignores_silently(&line.code) {
                findings.push(Finding::new(&file.path, number, "ignored without a reason: `#[ignore = \"why\"]`"));
            }
            let mut words = line.comment.split(|c: char| !c.is_alphanumeric());
            if let Some(mark) = words.find(|word| IN_COMMENTS.contains(word)) {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("`{mark}`: do it, or open an issue and say nothing"),
                ));
            }
        }
    }
    findings
}

fn ignores_silently(code: &str) -> bool {
    code.split_once("#[ignore").is_some_and(|(_, rest)| !rest.trim_start().starts_with('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> usize {
        check(&[RustFile::new("crates/a/src/b.rs", text)]).len()
    }

    #[test]
    fn each_ban_is_found() {
        for bad in ["todo!()", "unimplemented!(\"x\")", "dbg!(x);", "#[ignore]", "// FIXME: later", "/* XXX */"] {
            assert_eq!(count(bad), 1, "{bad}");
        }
    }

    #[test]
    fn prose_and_reasons_are_not() {
        for good in ["// a todo!() in prose", "\"dbg!(x)\"", "#[ignore = \"takes an hour\"]", "// XXXL is a size"] {
            assert_eq!(count(good), 0, "{good}");
        }
    }
}
