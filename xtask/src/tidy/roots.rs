//! `lib.rs` is a table of contents: documentation, attributes, `mod` and `pub use`.

use super::Finding;
use super::files::RustFile;

const STARTS: &[&str] = &["mod ", "pub mod ", "pub(crate) mod ", "pub use ", "pub(crate) use ", "extern crate "];

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    files.iter().filter(|file| file.path.ends_with("/src/lib.rs")).flat_map(check_one).collect()
}

fn check_one(file: &RustFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut item = String::new();
    for (number, line) in file.numbered() {
        let code = line.code.trim();
        if code.is_empty() {
            continue;
        }
        if item.is_empty() && !code.starts_with('#') && !STARTS.iter().any(|start| code.starts_with(start)) {
            let what = "only docs, attributes, `mod` and `pub use` belong here: move this into a module of its own";
            findings.push(Finding::new(&file.path, number, what));
            // What follows belongs to the same item; one finding a file says enough.
            return findings;
        }
        item.push_str(code);
        if is_complete(&item) {
            item.clear();
        }
    }
    findings
}

/// Whether an attribute is closed, or an item has its semicolon.
fn is_complete(item: &str) -> bool {
    let balanced = |open, close| item.matches(open).count() == item.matches(close).count();
    if item.starts_with('#') { balanced('[', ']') } else { item.ends_with(';') && balanced('{', '}') }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(text: &str) -> Vec<Finding> {
        check(&[RustFile::new("crates/a/src/lib.rs", text)])
    }

    #[test]
    fn a_table_of_contents_passes() {
        let text = "//! Docs.\n#![forbid(unsafe_code)]\n#![allow(\n    x,\n    reason = \"fn y;\"\n)]\nmod a;\n\
                    #[cfg(test)]\nmod tests;\npub use a::{\n    B,\n    C,\n};\n";
        assert_eq!(findings(text), []);
    }

    #[test]
    fn code_in_a_root_is_found() {
        assert_eq!(findings("//! Docs.\nmod a;\n\npub fn f() {}\n")[0].line, 4);
        assert_eq!(findings("const X: u8 = 1;\n").len(), 1);
    }

    #[test]
    fn other_files_are_not_roots() {
        assert_eq!(check(&[RustFile::new("crates/a/src/b.rs", "fn f() {}\n")]), []);
    }
}
