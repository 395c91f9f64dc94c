//! `execres reap`.

use std::process::ExitCode;

use crate::args::ReapArgs;
use crate::exit;
use crate::stream::print;

pub(crate) fn reap(args: &ReapArgs) -> ExitCode {
    let report = match execres::reap() {
        Ok(report) => report,
        Err(error) => return exit::fail(exit::INTERNAL, &format!("leftovers cannot be looked for: {error}")),
    };
    let text = if args.json {
        let removed: Vec<_> = report
            .removed
            .iter()
            .map(|one| serde_json::json!({ "kind": one.kind.as_str(), "path": one.path, "pid": one.owner.pid }))
            .collect();
        let failed: Vec<_> =
            report.failed.iter().map(|one| serde_json::json!({ "path": one.path, "why": one.why })).collect();
        format!("{:#}\n", serde_json::json!({ "removed": removed, "failed": failed, "kept": report.kept.len() }))
    } else {
        let removed =
            report.removed.iter().map(|one| format!("removed {} {}\n", one.kind.as_str(), one.path.display()));
        let failed = report.failed.iter().map(|one| format!("could not remove {}: {}\n", one.path.display(), one.why));
        let counts = (report.removed.len(), report.failed.len(), report.kept.len());
        let sum =
            format!("{} removed, {} failed, {} left alone because their owners live\n", counts.0, counts.1, counts.2);
        removed.chain(failed).chain([sum]).collect()
    };
    if let Err(error) = print(&text) {
        return exit::unprinted(&error);
    }
    if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::INTERNAL) }
}
