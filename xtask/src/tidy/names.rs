//! A module is named for the thing it owns.

use super::Finding;
use super::files::RustFile;

/// Names that say nothing about what is inside.
const SAY_NOTHING: &[&str] = &["utils", "util", "helpers", "helper", "common", "misc", "types"];

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    files.iter().filter_map(|file| Some(Finding::new(&file.path, 1, complaint(&file.path)?))).collect()
}

fn complaint(path: &str) -> Option<String> {
    // Beside integration tests, `name.rs` would be a test of its own.
    if path.ends_with("/mod.rs") && !path.contains("/tests/") {
        return Some("`mod.rs` hides the module's name: use `name.rs` beside `name/`".into());
    }
    let module = path.strip_suffix(".rs")?;
    let part = module.split('/').find(|part| SAY_NOTHING.contains(part))?;
    Some(format!("`{part}` says nothing: name the module for the thing it owns"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_names_are_found() {
        assert!(complaint("crates/a/src/utils.rs").is_some());
        assert!(complaint("crates/a/src/helpers/paths.rs").is_some());
        assert!(complaint("crates/a/src/grant/mod.rs").is_some());
        assert!(complaint("crates/a/tests/support/mod.rs").is_none());
        assert!(complaint("crates/a/src/grant.rs").is_none());
        assert!(complaint("crates/a/src/commonwealth.rs").is_none());
    }
}
