//! `execres probe`.

use std::fmt::Write;
use std::process::ExitCode;

use execres::core::{Attempt, Axis, AxisSet, Enforcement, IsolationReport, NetworkMode, Verdict};
use execres::{Execres, ProviderProbe};

use crate::args::{NetworkArg, ProbeArgs};
use crate::exit;
use crate::stream::{plain, print};
use crate::wrap::hanging;

pub(crate) async fn probe(args: ProbeArgs) -> ExitCode {
    let network = match args.network {
        NetworkArg::None => NetworkMode::None,
        NetworkArg::Loopback => NetworkMode::Loopback,
        NetworkArg::Inherited => NetworkMode::Inherited,
    };
    let execres = match Execres::builder().build() {
        Ok(execres) => execres,
        Err(error) => return exit::fail(exit::INTERNAL, &error.to_string()),
    };
    let probes = match execres.probe(network).await {
        Ok(probes) => probes,
        Err(error) => return exit::fail(exit::INTERNAL, &format!("{error} [{}]", error.code())),
    };
    let text = if args.json {
        match serde_json::to_string_pretty(&probes) {
            Ok(text) => text + "\n",
            Err(error) => return exit::fail(exit::INTERNAL, &format!("the probes cannot be printed: {error}")),
        }
    } else {
        plain(&table(&probes))
    };
    if let Err(error) = print(&text) {
        return exit::unprinted(&error);
    }
    let full = |probe: &ProviderProbe| {
        probe.isolation.as_ref().is_some_and(|report| Axis::ALL.iter().all(|axis| report.axes().contains(*axis)))
    };
    // Fit for a check in a script: success means that programs can be run with full isolation here.
    if probes.iter().any(full) { ExitCode::SUCCESS } else { ExitCode::from(exit::BLOCKED) }
}

fn table(probes: &[ProviderProbe]) -> String {
    let mut text = String::new();
    match write_table(&mut text, probes) {
        Ok(()) => text,
        // Writing to a string does not fail; whatever was written is shown all the same.
        Err(std::fmt::Error) => text,
    }
}

fn write_table(text: &mut String, probes: &[ProviderProbe]) -> std::fmt::Result {
    for probe in probes {
        let name = format!("{} ({}): ", probe.provider, probe.kind);
        if let Some(reason) = &probe.reason {
            // A reason begins with the provider that gives it, who is named already.
            let reason = reason.strip_prefix(&format!("{}: ", probe.provider)).unwrap_or(reason);
            writeln!(text, "{}", hanging("", &format!("{name}not available")))?;
            writeln!(text, "{}\n", hanging("  ", reason))?;
        }
        let Some(report) = &probe.isolation else { continue };
        let missing = AxisSet::ALL.missing_from(report.axes());
        let summary = if missing.is_empty() { "all four axes proven".into() } else { format!("not proven: {missing}") };
        writeln!(text, "{}", hanging(&name, &summary))?;
        for axis in Axis::ALL {
            let holds = report.axes().contains(axis);
            writeln!(text, "  {:<3} {axis}", if holds { "yes" } else { "NO" })?;
            for attempt in attempts(report, axis) {
                write_attempt(text, attempt)?;
            }
        }
        writeln!(text, "  network: {}", report.network)?;
        for fact in &report.facts {
            write_attempt(text, fact)?;
        }
        writeln!(text, "  limits")?;
        for limit in &report.limits {
            let enforcement = match limit.enforcement {
                Enforcement::Enforced => "enforced",
                Enforcement::Polled => "polled",
                Enforcement::None => "NONE",
                _ => "unknown",
            };
            writeln!(text, "{}", hanging(&format!("    {enforcement:<9} {:<13} ", limit.limit), &limit.mechanism))?;
        }
        writeln!(text, "  layers")?;
        for mechanism in &report.mechanisms {
            writeln!(text, "{}", hanging(&format!("    {:<23} ", mechanism.name), &mechanism.state))?;
        }
        writeln!(text)?;
    }
    write_legend(text, probes)
}

/// What was tried, and below it what the host saw.
fn write_attempt(text: &mut String, attempt: &Attempt) -> std::fmt::Result {
    let word = mark(attempt);
    let more = match &attempt.verdict {
        Verdict::HostDeniesToo { errno, setting } => {
            let setting = setting.as_ref().map_or_else(String::new, |setting| format!(", by {setting}"));
            format!(" (outside: {errno}{setting})")
        }
        Verdict::Inconclusive { why } => format!(" ({why})"),
        _ => String::new(),
    };
    // Names that are longer than their column push the text of their own line and of no other.
    let first = format!("    {word:<9} {:<36} ", attempt.name);
    let observed = format!("{}{more}", attempt.observed);
    if first.chars().count() > TEXT {
        writeln!(text, "{}", first.trim_end())?;
        return writeln!(text, "{}", hanging(&" ".repeat(TEXT), &observed));
    }
    writeln!(text, "{}", hanging(&first, &observed))
}

/// Where the text of an attempt begins.
const TEXT: usize = 51;

const STOPPED: &str = "stopped";
const HOST_TOO: &str = "host too";
const GOT_OUT: &str = "GOT OUT";
const UNKNOWN: &str = "unknown";

/// Says what the words mean that were used.
fn write_legend(text: &mut String, probes: &[ProviderProbe]) -> std::fmt::Result {
    let reports = || probes.iter().filter_map(|probe| probe.isolation.as_ref());
    let all = || {
        reports()
            .flat_map(|report| Axis::ALL.into_iter().flat_map(move |axis| attempts(report, axis)).chain(&report.facts))
    };
    let meanings = [
        (STOPPED, "it was tried and had no effect, and a control shows that the effect would have been seen"),
        (HOST_TOO, "the host does not allow it outside the sandbox either"),
        (GOT_OUT, "it worked: the axis does not hold"),
        (UNKNOWN, "it proves nothing, so the axis does not hold"),
    ];
    for (word, meaning) in meanings {
        let used = all().any(|attempt| word == mark(attempt));
        if used {
            writeln!(text, "{}", hanging(&format!("{word:<9} "), meaning))?;
        }
    }
    Ok(())
}

fn attempts(report: &IsolationReport, axis: Axis) -> impl Iterator<Item = &Attempt> {
    report.evidence.iter().filter(move |evidence| evidence.axis == axis).flat_map(|evidence| &evidence.attempts)
}

fn mark(attempt: &Attempt) -> &'static str {
    match attempt.verdict {
        Verdict::Verified => STOPPED,
        Verdict::HostDeniesToo { .. } => HOST_TOO,
        Verdict::NotEnforced => GOT_OUT,
        _ => UNKNOWN,
    }
}
