//! [`PathSet`]: paths that can lie in one tree on every file system.

use std::collections::BTreeMap;

use super::output::OUTPUT_DIR;
use super::relative::RelativePath;
use crate::fold::fold;

/// Files and directories that can lie in one working directory together: no two fold to one, no file is a directory of
/// another, and none is hidden by the output directory, which is mounted over `output`.
#[derive(Debug, Clone, Default)]
pub struct PathSet {
    /// By folded path.
    taken: BTreeMap<String, Taken>,
}

#[derive(Debug, Clone)]
struct Taken {
    spelled: String,
    kind: TakenBy,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TakenBy {
    File,
    Directory,
}

impl PathSet {
    /// An empty set.
    pub const fn new() -> Self {
        PathSet { taken: BTreeMap::new() }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// [`PathConflict`] when it cannot lie beside what is there; the set may hold its parents then.
    pub fn insert_file(&mut self, path: &RelativePath) -> Result<(), PathConflict> {
        self.insert(path, TakenBy::File)
    }

    /// Adds a directory, which may be there already.
    ///
    /// # Errors
    /// As for [`PathSet::insert_file`].
    pub fn insert_directory(&mut self, path: &RelativePath) -> Result<(), PathConflict> {
        self.insert(path, TakenBy::Directory)
    }

    fn insert(&mut self, path: &RelativePath, kind: TakenBy) -> Result<(), PathConflict> {
        if path.names().next().map(fold).as_deref() == Some(OUTPUT_DIR) {
            return Err(PathConflict::HiddenByOutput { path: path.clone() });
        }
        let text = path.as_str();
        let parents = text.match_indices('/').map(|(end, _)| (&text[..end], TakenBy::Directory));
        for (spelled, kind) in parents.chain([(text, kind)]) {
            let new = Taken { spelled: spelled.to_owned(), kind };
            match self.taken.get(&fold(spelled)) {
                None => {
                    self.taken.insert(fold(spelled), new);
                }
                Some(old) if old.kind == TakenBy::Directory && kind == TakenBy::Directory && old.spelled == spelled => {
                }
                Some(old) => {
                    return Err(PathConflict::Collision { path: path.clone(), other: old.spelled.clone() });
                }
            }
        }
        Ok(())
    }
}

/// A path that cannot lie beside the others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathConflict {
    /// It is, or needs, what another path takes, where case does not count.
    #[error("{path} collides with {other}: rename one of them (upper and lower case count as the same)")]
    Collision {
        /// The path.
        path: RelativePath,
        /// What is in its way.
        other: String,
    },
    /// It lies where the output directory is mounted.
    #[error("{path} would be hidden by the output directory: rename it, `output` is where the program writes")]
    HiddenByOutput {
        /// The path.
        path: RelativePath,
    },
}

impl PathConflict {
    /// The stable code.
    pub const fn code(&self) -> &'static str {
        match self {
            PathConflict::Collision { .. } => "workspace.path_collision",
            PathConflict::HiddenByOutput { .. } => "workspace.path_hidden",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(paths: &[&str]) -> Result<(), PathConflict> {
        let mut set = PathSet::new();
        paths.iter().try_for_each(|path| set.insert_file(&RelativePath::parse(path).unwrap()))
    }

    #[test]
    fn what_one_file_system_cannot_hold_is_refused() {
        assert_eq!(files(&["a/x", "a/y", "b", "ab"]), Ok(()), "control");
        for paths in [["a", "a"], ["a", "A"], ["é", "E\u{301}"], ["a", "a/b"], ["a/b", "a"], ["a/b", "A/c"]] {
            assert!(matches!(files(&paths), Err(PathConflict::Collision { .. })), "{paths:?}");
        }
    }

    #[test]
    fn nothing_lies_under_the_output_directory() {
        for path in ["output", "output/a", "OUTPUT/a"] {
            assert!(matches!(files(&[path]), Err(PathConflict::HiddenByOutput { .. })), "{path}");
        }
        assert_eq!(files(&["outputs/a", "a/output"]), Ok(()));
    }

    #[test]
    fn a_directory_may_be_there_already() {
        let mut set = PathSet::new();
        let dir = RelativePath::parse("a/b").unwrap();
        set.insert_directory(&dir).unwrap();
        set.insert_directory(&dir).unwrap();
        set.insert_file(&RelativePath::parse("a/b/c").unwrap()).unwrap();
        assert!(set.insert_file(&dir).is_err());
    }
}
