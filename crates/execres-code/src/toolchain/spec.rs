//! How a tool is found on a host and asked for its version.

use std::ffi::OsStr;
use std::path::PathBuf;

use execres_core::Version;

use super::id::ToolId;

/// How to find one tool, and what to ask it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolSpec {
    /// The tool's id.
    pub id: &'static str,
    /// Names of its binary, the best first.
    pub candidates: &'static [&'static str],
    /// What makes it print its version.
    pub version_args: &'static [&'static str],
    /// What makes it print the path of its own binary. A version manager's shim runs the tool, so asking the shim this
    /// gives the binary behind it, whichever manager made it. `None` where the tool cannot say.
    pub locate_args: Option<&'static [&'static str]>,
}

/// Every tool that a language here needs.
const SPECS: [ToolSpec; 5] = [
    ToolSpec {
        id: "python",
        candidates: &["python3", "python"],
        version_args: &["--version"],
        // Isolated (-I) and without the site module (-S): nothing of the user's is loaded only to ask.
        locate_args: Some(&["-I", "-S", "-c", "import sys; print(sys.executable)"]),
    },
    ToolSpec {
        id: "node",
        candidates: &["node", "nodejs"],
        version_args: &["--version"],
        locate_args: Some(&["-p", "process.execPath"]),
    },
    ToolSpec {
        id: "bash",
        candidates: &["bash"],
        version_args: &["--version"],
        locate_args: Some(&["--norc", "--noprofile", "-c", "printf '%s\\n' \"$BASH\""]),
    },
    ToolSpec { id: "cc", candidates: &["cc", "gcc", "clang"], version_args: &["--version"], locate_args: None },
    ToolSpec { id: "c++", candidates: &["c++", "g++", "clang++"], version_args: &["--version"], locate_args: None },
];

impl ToolSpec {
    /// Every tool, in no particular order.
    pub const fn all() -> &'static [ToolSpec] {
        &SPECS
    }

    /// The tool with this id.
    pub fn of(id: &ToolId) -> Option<&'static ToolSpec> {
        SPECS.iter().find(|spec| spec.id == id.as_str())
    }

    /// Where its binary may be, the best place first, for a search path as in `$PATH`.
    ///
    /// Candidates come before places: a `python3` anywhere is better than a `python`. An empty or relative entry of the search
    /// path means the current directory, where anybody may have put a file of that name; it is left out.
    pub fn places(&self, search_path: &OsStr) -> Vec<PathBuf> {
        let directories: Vec<_> = std::env::split_paths(search_path).filter(|place| place.is_absolute()).collect();
        self.candidates.iter().flat_map(|name| directories.iter().map(move |place| place.join(name))).collect()
    }

    /// The version in what the tool printed, on either stream.
    pub fn parse_version(&self, printed: &str) -> Option<Version> {
        Version::find(printed)
    }
}

/// What the first bytes of a file say that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BinaryKind {
    /// A binary of this kind of system.
    Elf,
    /// A script, which may be a version manager's shim: ask it where the tool is.
    Script {
        /// What its first line names as its interpreter, with its argument.
        interpreter: String,
    },
    /// Neither.
    Other,
}

impl BinaryKind {
    /// How much of a file is needed to tell, in bytes.
    pub const PREFIX_BYTES: usize = 256;

    /// What a file with these first bytes is.
    pub fn of(prefix: &[u8]) -> Self {
        if prefix.starts_with(b"\x7fELF") {
            return BinaryKind::Elf;
        }
        let Some(rest) = prefix.strip_prefix(b"#!") else { return BinaryKind::Other };
        let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
        BinaryKind::Script { interpreter: String::from_utf8_lossy(line).trim().to_owned() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_prefer_the_better_name_and_skip_the_current_directory() {
        let python = ToolSpec::of(&ToolId::PYTHON).unwrap();
        let places = python.places(OsStr::new("/a::rel:./x:/b"));
        let places: Vec<_> = places.iter().map(|place| place.to_str().unwrap()).collect();
        assert_eq!(places, ["/a/python3", "/b/python3", "/a/python", "/b/python"]);
    }

    #[test]
    fn every_tool_has_a_good_id() {
        for spec in ToolSpec::all() {
            assert_eq!(ToolSpec::of(&ToolId::parse(spec.id).unwrap()), Some(spec));
        }
        assert_eq!(ToolSpec::of(&ToolId::parse("cobol").unwrap()), None);
    }

    #[test]
    fn a_shim_is_told_from_a_binary() {
        assert_eq!(BinaryKind::of(b"\x7fELF\x02"), BinaryKind::Elf);
        let shim = BinaryKind::of(b"#!/usr/bin/env bash\nset -e\n");
        assert_eq!(shim, BinaryKind::Script { interpreter: "/usr/bin/env bash".into() });
        assert_eq!(BinaryKind::of(b""), BinaryKind::Other);
    }
}
