//! The table at the end of a run.

use crate::report::{Excuse, Report, Row, Totals};
use crate::suite::{Size, Strictness};

/// Prints a row for each suite, then what failed, then what did not run and why, then the totals alone on a line.
pub(crate) fn print(rows: &[Row], size: Size, strictness: Strictness) {
    print!("{}", render(rows, size, strictness));
}

fn render(rows: &[Row], size: Size, strictness: Strictness) -> String {
    let mut text = format!(
        "\n{:<12} {:>6} {:>7} {:>7} {:>8} {:>8}  why not\n",
        "suite", "tests", "passed", "failed", "not run", "time"
    );
    for row in rows {
        text.push_str(&line(row, strictness));
    }
    section(&mut text, "failed", &failures(rows, strictness));
    section(&mut text, "not run, and why", &not_run(rows));
    let Totals { passed, failed, skipped } = Totals::of(rows, strictness);
    text.push_str(&format!("\nsize: {size}\n\n{passed} passed, {failed} failed, {skipped} skipped\n"));
    text
}

fn line(row: &Row, strictness: Strictness) -> String {
    let (tests, why) = match &row.report {
        Report::Ran(tally) => (tally.total().to_string(), String::new()),
        Report::NotRun { reason, excuse } => ("-".into(), format!("{}{}", label(*excuse), first_line(reason))),
    };
    format!(
        "{:<12} {:>6} {:>7} {:>7} {:>8} {:>7.1}s  {}",
        row.suite,
        tests,
        row.passed(),
        row.failed(strictness),
        row.skipped(strictness),
        row.elapsed.as_secs_f64(),
        why
    )
    .trim_end()
    .to_owned()
        + "\n"
}

fn failures(rows: &[Row], strictness: Strictness) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        match &row.report {
            Report::Ran(tally) => {
                lines.extend(tally.failures.iter().map(|name| format!("{}: {name}", row.suite)));
                if strictness == Strictness::Ci {
                    let missing = tally.skips.iter().filter(|skip| !skip.is_excused());
                    lines.extend(missing.map(|skip| format!("{}: {} did not run", row.suite, skip.test)));
                }
            }
            Report::NotRun { excuse: Excuse::None, .. } if strictness == Strictness::Ci => {
                lines.push(format!("{}: did not run", row.suite));
            }
            Report::NotRun { .. } => {}
        }
    }
    lines
}

fn not_run(rows: &[Row]) -> Vec<String> {
    let mut lines = Vec::new();
    for row in rows {
        if let Report::NotRun { reason, excuse } = &row.report {
            lines.push(format!("{}: {}{reason}", row.suite, label(*excuse)));
        }
        lines.extend(row.skips().iter().map(|skip| format!("{}: {}: {}", row.suite, skip.test, skip.reason)));
    }
    lines
}

fn label(excuse: Excuse) -> &'static str {
    match excuse {
        Excuse::Optional => "optional: ",
        Excuse::None | Excuse::Covered => "",
    }
}

fn section(text: &mut String, title: &str, lines: &[String]) {
    if !lines.is_empty() {
        text.push_str(&format!("\n{title}:\n"));
        for line in lines {
            text.push_str(&format!("  {line}\n"));
        }
    }
}

fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::libtest::parse;

    #[test]
    fn the_last_line_is_the_totals_alone() {
        let tally = parse("test m::a ... FAILED\ntest result: FAILED. 3 passed; 1 failed; 0 ignored;\n", "");
        let rows = [
            Row { suite: "unit", report: Report::Ran(tally), elapsed: Duration::from_secs(2) },
            Row { suite: "deny", report: Report::not_run("cargo-deny is not installed"), elapsed: Duration::ZERO },
        ];
        let text = render(&rows, Size::Smoke, Strictness::Local);
        assert_eq!(text.lines().last(), Some("3 passed, 1 failed, 1 skipped"));
        assert!(text.contains("failed:\n  unit: m::a\n"), "{text}");
        assert!(text.contains("deny: cargo-deny is not installed"), "{text}");
        assert!(text.contains("size: smoke"), "{text}");
    }
}
