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
    if args.json {
        let removed: Vec<_> = report
            .removed
            .iter()
            .map(|one| serde_json::json!({ "kind": one.kind.as_str(), "path": one.path, "pid": one.owner.pid }))
            .collect();
        let failed: Vec<_> =
            report.failed.iter().map(|one| serde_json::json!({ "path": one.path, "why": one.why })).collect();
        print(&format!(
            "{:#}\n",
            serde_json::json!({ "removed": removed, "failed": failed, "kept": report.kept.len() })
        ));
    } else {
        for one in &report.removed {
            print(&format!("removed {} {}\n", one.kind.as_str(), one.path.display()));
        }
        for one in &report.failed {
            print(&format!("could not remove {}: {}\n", one.path.display(), one.why));
        }
        let (removed, failed, kept) = (report.removed.len(), report.failed.len(), report.kept.len());
        print(&format!("{removed} removed, {failed} failed, {kept} left alone because their owners live\n"));
    }
    if report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(exit::INTERNAL) }
}
