//! `execres doctor`.

use std::fmt::Write;
use std::process::ExitCode;

use execres::core::{Axis, AxisSet};
use execres::doctor::{Check, Doctor, Group, Importance, Readiness, Report, Status};

use crate::args::DoctorArgs;
use crate::exit;
use crate::stream::{plain, print};
use crate::wrap::hanging;

pub(crate) async fn doctor(args: DoctorArgs) -> ExitCode {
    let required = if args.require.is_empty() { AxisSet::ALL } else { args.require.iter().copied().collect() };
    let report = Doctor::new().requiring(required).examine().await;
    let text = if args.json {
        match serde_json::to_string_pretty(&report) {
            Ok(text) => text + "\n",
            Err(error) => return exit::fail(exit::INTERNAL, &format!("the report cannot be printed: {error}")),
        }
    } else {
        plain(&page(&report))
    };
    if let Err(error) = print(&text) {
        return exit::unprinted(&error);
    }
    // Fit for a check in a script, like that of `probe`: what is optional never fails.
    match report.verdict {
        Readiness::Ready => ExitCode::SUCCESS,
        Readiness::Blocked => ExitCode::from(exit::BLOCKED),
    }
}

/// Columns of the name of a check.
const NAME: usize = 23;

fn page(report: &Report) -> String {
    let mut text = String::new();
    match write_page(&mut text, report) {
        Ok(()) => text,
        // Writing to a string does not fail; whatever was written is shown all the same.
        Err(std::fmt::Error) => text,
    }
}

fn write_page(text: &mut String, report: &Report) -> std::fmt::Result {
    for group in Group::ALL {
        let mut checks = report.checks.iter().filter(|check| check.group == group).peekable();
        if checks.peek().is_none() {
            continue;
        }
        writeln!(text, "{}", group.title())?;
        for check in checks {
            write_check(text, check)?;
        }
        writeln!(text)?;
    }
    let blockers: Vec<&str> = report.blockers().map(|check| check.id.as_ref()).collect();
    if blockers.is_empty() {
        writeln!(text, "{}", hanging("result    ", &report.best.sentence))?;
    } else {
        let blocked = format!("No program runs until this is mended: {}. Then:", blockers.join(", "));
        writeln!(text, "{}", hanging("result    ", &blocked))?;
        writeln!(text, "{}", hanging("          ", &report.best.sentence))?;
    }
    let best = &report.best;
    if let Some(degraded) = best.degraded {
        writeln!(text, "{}", hanging("          without: ", degraded))?;
    }
    let axes = Axis::ALL.iter().map(|axis| {
        let verdict = if best.axes.contains(*axis) { "yes" } else { "NO" };
        format!("{verdict:<3} {axis}")
    });
    for axis in axes {
        writeln!(text, "          {axis}")?;
    }
    Ok(())
}

fn write_check(text: &mut String, check: &Check) -> std::fmt::Result {
    let first = format!("  {:<8}  {:<NAME$} ", word(check), check.id);
    writeln!(text, "{}", hanging(&first, &check.found))?;
    // What is well needs no words, and what nobody has to have needs one line.
    if check.status == Status::Ok {
        return Ok(());
    }
    let indent = " ".repeat(12);
    if check.importance != Importance::Optional {
        writeln!(text, "{}", hanging(&format!("{indent}why: "), check.why))?;
    }
    for remedy in &check.remedies {
        if check.importance == Importance::Optional && check.status == Status::Missing {
            let what = match remedy.commands.as_slice() {
                [command] => command.clone(),
                _ => remedy.says.clone(),
            };
            writeln!(text, "{}", hanging(&format!("{indent}to have it: "), &what))?;
            continue;
        }
        writeln!(text, "{}", hanging(&format!("{indent}fix: "), &remedy.says))?;
        for line in remedy.commands.iter().flat_map(|command| command.lines()) {
            // Whole, because it is copied into a shell.
            writeln!(text, "{indent}     {line}")?;
        }
    }
    Ok(())
}

fn word(check: &Check) -> &'static str {
    match (check.status, check.importance) {
        (Status::Ok, _) => "ok",
        (Status::Degraded, _) => "degraded",
        (Status::Missing, Importance::Optional) => "-",
        (Status::Missing, _) => "MISSING",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use execres::doctor::Remedy;

    use super::*;
    use crate::wrap::WIDTH;

    type Row<'a> = (&'static str, Group, Status, Importance, &'a str, &'a [Remedy]);

    /// The page of a host that is not this one: the report's own shape, with everything in it replaced.
    async fn page_of(rows: &[Row<'_>]) -> String {
        let state = tempfile::tempdir().unwrap();
        let mut report = Doctor::new().state_dir(state.path().join("state")).examine().await;
        let template = report.checks[0].clone();
        let check = |row: &Row<'_>| {
            let mut check = template.clone();
            (check.id, check.group, check.status, check.importance) = (row.0.into(), row.1, row.2, row.3);
            (check.found, check.why, check.remedies) = (row.4.to_owned(), "it is good for something", row.5.to_vec());
            check
        };
        report.checks = rows.iter().map(check).collect();
        report.best.axes = AxisSet::EMPTY.with(Axis::SyscallsRestricted);
        report.best.degraded = Some("what programs have to do without on this rung");
        report.best.sentence =
            "Programs get something, said in a sentence that is long enough to need a second line of \
                                its own on a terminal of a hundred columns."
                .to_owned();
        page(&report)
    }

    #[tokio::test]
    async fn the_page_is_grouped_aligned_and_fits() {
        use {Group as G, Importance as I, Status as S};
        let sysctl = [Remedy::commands(
            "Allow user namespaces, now and after the next boot:",
            [
                "sudo sysctl -w user.max_user_namespaces=15000",
                "printf '%s\\n' \\\n  'two lines' \\\n  | sudo tee /etc/x",
            ],
        )];
        let install = [Remedy::commands("Install it:", ["sudo apt-get install podman"])];
        let advice = [Remedy::advice("Get it from somewhere else, as no package has it.")];
        let long = "refused while making a user namespace: No space left on device (os error 28); \
                    user.max_user_namespaces is 0";
        let text = page_of(&[
            ("kernel.user_namespaces", G::Isolation, S::Missing, I::Required, long, &sysctl),
            ("kernel.landlock", G::Isolation, S::Ok, I::Useful, "ABI 7", &[]),
            ("kernel.proc", G::Isolation, S::Unknown, I::Required, "could not be tried", &[]),
            ("host.temporary", G::Host, S::Degraded, I::Useful, "/tmp is mounted noexec", &advice),
            ("engine.podman", G::Engines, S::Missing, I::Optional, "no socket; no client", &install),
            ("browser.geckodriver", G::Browsers, S::Missing, I::Optional, "geckodriver is not there", &advice),
            ("mcp.npx", G::Mcp, S::Degraded, I::Optional, "/usr/bin/npx; asked for its version it failed", &advice),
        ])
        .await;
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        insta::assert_snapshot!(text);
    }
}
