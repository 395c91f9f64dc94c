//! Only `execres-isolation` starts processes, so that every one is owned, bounded and ended.

use super::Finding;
use super::files::RustFile;

const MAY_START: &[&str] = &["crates/execres-isolation", "xtask"];

pub(super) fn check(files: &[RustFile]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| !is_excepted(file)) {
        for (number, line) in file.production() {
            if line.code.contains("Command::new") {
                let what = "starts a process: use the launcher or the supervisor of execres-isolation";
                findings.push(Finding::new(&file.path, number, what));
            }
        }
    }
    findings
}

fn is_excepted(file: &RustFile) -> bool {
    file.is_test() || file.is_build_script() || MAY_START.contains(&file.package())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STARTS: &str = "fn f() {\n    Command::new(\"sh\");\n}\n";

    #[test]
    fn a_process_started_elsewhere_is_found() {
        assert_eq!(check(&[RustFile::new("crates/execres-code/src/a.rs", STARTS)])[0].line, 2);
    }

    #[test]
    fn isolation_tests_and_build_scripts_may() {
        for path in
            ["crates/execres-isolation/src/a.rs", "crates/execres-code/build.rs", "crates/execres-cli/tests/a.rs"]
        {
            assert_eq!(check(&[RustFile::new(path, STARTS)]), [], "{path}");
        }
        let in_unit_tests = format!("#[cfg(test)]\nmod tests {{\n{STARTS}}}\n");
        assert_eq!(check(&[RustFile::new("crates/execres-code/src/a.rs", in_unit_tests)]), []);
    }
}
