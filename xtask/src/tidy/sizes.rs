//! Small rooms: how long a file may be.

use super::Finding;
use super::files::RustFile;

/// More production lines than this need a reason below.
const MOST: usize = 800;

/// Files that may be longer, each with its reason.
const LONGER: &[(&str, &str)] = &[];

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    files
        .iter()
        .filter(|file| file.production_lines() > MOST && LONGER.iter().all(|(path, _)| *path != file.path))
        .map(|file| {
            let what = format!(
                "{} production lines, at most {MOST}: split it by what its parts own, or list it with a reason in {}",
                file.production_lines(),
                "xtask/src/tidy/sizes.rs"
            );
            Finding::new(&file.path, MOST + 1, what)
        })
        .collect()
}

/// The median and the longest file.
pub(super) fn summary(files: &[RustFile]) -> Option<String> {
    let mut sizes: Vec<_> = files.iter().map(|file| (file.production_lines(), &file.path)).collect();
    sizes.retain(|(lines, _)| *lines > 0);
    sizes.sort_unstable();
    let (median, _) = sizes.get(sizes.len() / 2)?;
    let (most, longest) = sizes.last()?;
    Some(format!("{} files, median {median} production lines, longest {most} ({longest})", sizes.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_file_is_found_and_its_tests_do_not_count() {
        let long = RustFile::new("crates/a/src/long.rs", "fn f() {}\n".repeat(MOST + 1));
        let tests = "fn f() {}\n".repeat(10) + "#[cfg(test)]\nmod tests {\n" + &"fn t() {}\n".repeat(MOST) + "}\n";
        let short = RustFile::new("crates/a/src/short.rs", tests);
        assert_eq!(short.production_lines(), 10);
        let findings = check(&[long, short]);
        assert_eq!(findings.len(), 1);
        assert!(findings[0].to_string().starts_with("crates/a/src/long.rs:801: 801 production lines"));
    }

    #[test]
    fn the_median_is_printed() {
        let of = |lines: usize| RustFile::new(format!("crates/a/src/f{lines}.rs"), "x\n".repeat(lines));
        let summary = summary(&[of(1), of(7), of(100)]).unwrap();
        assert!(summary.contains("median 7"), "{summary}");
        assert!(summary.contains("longest 100 (crates/a/src/f100.rs)"), "{summary}");
    }
}
