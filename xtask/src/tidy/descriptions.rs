//! Every crate says what it is.

use cargo_metadata::Metadata;

use super::Finding;
use super::manifests::place;

pub(super) fn check(metadata: &Metadata) -> Vec<Finding> {
    metadata
        .workspace_packages()
        .into_iter()
        .filter(|package| !describes(package.description.as_deref()))
        .map(|package| {
            Finding::new(place(metadata, package), 1, "no `description`: say in one sentence what the crate owns")
        })
        .collect()
}

fn describes(description: Option<&str>) -> bool {
    description.is_some_and(|text| text.trim().len() > 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_description_is_none() {
        assert!(!describes(None));
        assert!(!describes(Some("  ")));
        assert!(describes(Some("The command line.")));
    }
}
