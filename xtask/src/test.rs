//! Running suites in order.

use std::process::ExitCode;
use std::time::Instant;

use crate::report::{Report, Row, Totals};
use crate::suite::{Context, Suite};
use crate::table;

/// Runs the suites, prints the table, and fails when anything failed.
pub(crate) fn run(context: &Context, suites: &[&'static Suite]) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut rows = Vec::with_capacity(suites.len());
    for suite in suites {
        println!("suite {} …", suite.name);
        let started = Instant::now();
        let report = (suite.run)(context);
        let row = Row { suite: suite.name, report, elapsed: started.elapsed() };
        announce(&row, context);
        rows.push(row);
    }
    table::print(&rows, context.size, context.strictness);
    let failed = Totals::of(&rows, context.strictness).failed;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn announce(row: &Row, context: &Context) {
    let seconds = row.elapsed.as_secs_f64();
    match &row.report {
        Report::NotRun { reason, .. } => println!("suite {}: not run: {reason}", row.suite),
        Report::Ran(_) => {
            let verdict = if row.failed(context.strictness) == 0 { "ok" } else { "FAILED" };
            println!("suite {}: {verdict}, {} passed, {seconds:.1} s", row.suite, row.passed());
        }
    }
}
