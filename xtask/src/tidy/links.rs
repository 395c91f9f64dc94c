//! Links between pages lead somewhere.

use std::fs;
use std::path::Path;

use super::Finding;
use super::files::Files;
use super::markdown::{anchors, link_targets, prose};

pub(super) fn check(files: &Files, root: &Path) -> Vec<Finding> {
    let mut findings = Vec::new();
    for page in files.pages() {
        for (number, line) in prose(&page.text) {
            for target in link_targets(&line) {
                if let Some(what) = complaint(root, &page.path, target) {
                    findings.push(Finding::new(&page.path, number, what));
                }
            }
        }
    }
    findings
}

fn complaint(root: &Path, page: &str, target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let page = root.join(page);
    let file = if path.is_empty() { page } else { page.parent()?.join(path) };
    if !file.exists() {
        return Some(format!("the link leads nowhere: {target}"));
    }
    if anchor.is_empty() || file.extension().is_none_or(|extension| extension != "md") {
        return None;
    }
    let known = anchors(&fs::read_to_string(&file).unwrap_or_default());
    (!known.iter().any(|heading| heading == anchor))
        .then(|| format!("no heading makes the anchor #{anchor} in {target}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_nowhere_is_found() {
        let root = tempfile::tempdir().unwrap();
        fs::write(root.path().join("there.md"), "# Heading one\n").unwrap();
        let complain = |target| complaint(root.path(), "page.md", target).is_some();
        assert!(complain("gone.md"));
        assert!(complain("there.md#heading-two"));
        assert!(!complain("there.md#heading-one"));
        assert!(!complain("there.md"));
        assert!(!complain("https://example.org/gone.md"));
    }
}
