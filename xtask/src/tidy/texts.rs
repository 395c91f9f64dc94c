//! The repository speaks of the product, not of how or where it was made.

use super::Finding;
use super::files::Files;

/// Parts of text that belong to somebody's desk.
const BANNED: &[&str] = &["/work/shared", "/work/main", "/work/wt", "/work/.library", "/tmp/bash_jobs"];
/// Words that must not be followed by a number: who counts sittings writes a diary.
const COUNTED: &[&str] = &["session ", "context window "];
/// This file has to spell out what it looks for.
const SELF: &str = "xtask/src/tidy/texts.rs";

pub(super) fn check(files: &Files) -> Vec<Finding> {
    let rust = files.rust.iter().map(|file| (&file.path, &file.text));
    let texts = files.texts.iter().map(|file| (&file.path, &file.text));
    let mut findings = Vec::new();
    for (path, text) in rust.chain(texts).filter(|(path, _)| *path != SELF) {
        for (number, line) in (1..).zip(text.lines()) {
            if let Some(banned) = banned(line) {
                let what = format!("`{}` is about how this was made: say what is true of the product", banned.trim());
                findings.push(Finding::new(path, number, what));
            }
        }
    }
    findings
}

fn banned(line: &str) -> Option<&'static str> {
    let lower = line.to_lowercase();
    let counted = |word: &&&str| lower.split(**word).skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    BANNED.iter().find(|part| lower.contains(**part)).or_else(|| COUNTED.iter().find(counted)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_desk_is_found() {
        assert!(banned("see /work/shared/notes.md").is_some());
        assert!(banned("Written in Session 12.").is_some());
    }

    #[test]
    fn the_product_may_speak_of_its_sessions() {
        assert!(banned("released when the session ends; session scope 1:1").is_none());
        assert!(banned("the guest sees /work/source").is_none());
    }
}
