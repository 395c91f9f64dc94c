//! Where `unsafe` may be, and what it must say.

use super::Finding;
use super::files::RustFile;
use super::source::Line;

/// The only places of unsafe code.
const ALLOWED: &[&str] = &["crates/execres-isolation/src/sys", "crates/execres-provider-sqlite/src/sys"];
/// How far above a block its `// SAFETY:` comment may end.
const REACH: usize = 3;

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        let allowed = ALLOWED.iter().any(|place| below(&file.path, place));
        for (number, line) in file.numbered() {
            if !has_word(&line.code, "unsafe") {
                continue;
            }
            if !allowed {
                let what = format!("unsafe code outside {ALLOWED:?}: move it there, behind a safe function");
                findings.push(Finding::new(&file.path, number, what));
            } else if needs_reason(&line.code) && !has_reason(file, number) {
                let what = format!("no `// SAFETY:` within {REACH} lines above: name the invariant a reader can check");
                findings.push(Finding::new(&file.path, number, what));
            }
        }
        if is_crate_root(&file.path) && !may_hold_unsafe(file) && !forbids(file) {
            findings.push(Finding::new(&file.path, 1, "no `#![forbid(unsafe_code)]`: add it below the crate's docs"));
        }
    }
    findings
}

fn below(path: &str, place: &str) -> bool {
    path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/') || rest == ".rs")
}

fn has_word(code: &str, word: &str) -> bool {
    let part_of_name = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(word)
        .any(|(at, _)| !code[..at].ends_with(part_of_name) && !code[at + word.len()..].starts_with(part_of_name))
}

fn needs_reason(code: &str) -> bool {
    code.contains("unsafe {") || code.contains("unsafe impl") || code.trim_end().ends_with("unsafe")
}

fn has_reason(file: &RustFile, number: usize) -> bool {
    let above = &file.lines[..number];
    let near = number.saturating_sub(REACH + 1);
    // A comment that reaches into the lines above may have started before them.
    let start = above[..near].iter().rposition(|line| !is_only_comment(line)).map_or(0, |last| last + 1);
    let start = if above.get(near).is_some_and(is_only_comment) { start } else { near };
    above[start..].iter().any(|line| line.comment.contains("SAFETY:"))
}

fn is_only_comment(line: &Line) -> bool {
    line.code.trim().is_empty() && !line.comment.is_empty()
}

fn is_crate_root(path: &str) -> bool {
    path.ends_with("/src/lib.rs") || path.ends_with("/src/main.rs")
}

fn may_hold_unsafe(file: &RustFile) -> bool {
    ALLOWED.iter().any(|place| place.strip_suffix("/src/sys") == Some(file.package()))
}

fn forbids(file: &RustFile) -> bool {
    file.lines.iter().any(|line| line.code.contains("#![forbid(unsafe_code"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(path: &str, text: &str) -> usize {
        check(&[RustFile::new(path, text)]).len()
    }

    #[test]
    fn unsafe_elsewhere_is_found() {
        assert_eq!(count("crates/execres-code/src/a.rs", "// SAFETY: x\nunsafe { f() }\n"), 1);
        assert_eq!(count("crates/execres-isolation/src/system.rs", "// SAFETY: x\nunsafe { f() }\n"), 1);
        assert_eq!(
            count("crates/execres-code/src/a.rs", "// unsafe { f() }\nlet s = \"unsafe\";\nf(unsafe_code);\n"),
            0
        );
    }

    #[test]
    fn a_block_without_a_reason_is_found() {
        let path = "crates/execres-isolation/src/sys/a.rs";
        assert_eq!(count(path, "fn f() {\n    unsafe { g() }\n}\n"), 1);
        assert_eq!(count(path, "// SAFETY: far.\n\n\n\n\nunsafe { g() }\n"), 1);
        assert_eq!(count(path, "// SAFETY: one\n// two\n// three\n// four\n// five\nunsafe { g() }\n"), 0);
        assert_eq!(count(path, "// SAFETY: `g` takes no pointer.\nunsafe { g() }\n"), 0);
        assert_eq!(count(path, "unsafe impl Send for A {}\n"), 1);
        assert_eq!(count(path, "unsafe fn f() {}\n"), 0);
    }

    #[test]
    fn a_root_must_forbid_it() {
        assert_eq!(count("crates/execres-code/src/lib.rs", "//! Docs.\n"), 1);
        assert_eq!(count("crates/execres-code/src/lib.rs", "//! Docs.\n#![forbid(unsafe_code)]\n"), 0);
        assert_eq!(count("crates/execres-isolation/src/lib.rs", "//! Docs.\n"), 0);
    }
}
