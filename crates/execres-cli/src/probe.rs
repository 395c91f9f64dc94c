//! `execres probe`.

use std::fmt::Write;
use std::process::ExitCode;

use execres::core::{Attempt, Axis, IsolationReport, NetworkMode, Verdict};
use execres::{Execres, ProviderProbe};

use crate::args::{NetworkArg, ProbeArgs};
use crate::exit;
use crate::stream::print;

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
    if args.json {
        match serde_json::to_string_pretty(&probes) {
            Ok(text) => print(&format!("{text}\n")),
            Err(error) => return exit::fail(exit::INTERNAL, &format!("the probes cannot be printed: {error}")),
        }
    } else {
        print(&table(&probes));
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
        writeln!(text, "{} ({})", probe.provider, probe.kind)?;
        if let Some(reason) = &probe.reason {
            writeln!(text, "  not available: {reason}\n")?;
        }
        let Some(report) = &probe.isolation else { continue };
        for axis in Axis::ALL {
            let holds = report.axes().contains(axis);
            writeln!(text, "  {:<3} {axis}", if holds { "yes" } else { "NO" })?;
            for attempt in attempts(report, axis) {
                writeln!(text, "        {} {:<44} {}", mark(attempt), attempt.name, attempt.observed)?;
            }
        }
        writeln!(text, "  network: {}", report.network)?;
        for fact in &report.facts {
            writeln!(text, "        {} {:<44} {}", mark(fact), fact.name, fact.observed)?;
        }
        writeln!(text, "  limits")?;
        for limit in &report.limits {
            let enforcement = format!("{:?}", limit.enforcement).to_lowercase();
            writeln!(text, "        {:<12} {:<9} {}", limit.limit, enforcement, limit.mechanism)?;
        }
        writeln!(text, "  layers")?;
        for mechanism in &report.mechanisms {
            writeln!(text, "        {:<12} {}", mechanism.name, mechanism.state)?;
        }
        writeln!(text)?;
    }
    Ok(())
}

fn attempts(report: &IsolationReport, axis: Axis) -> impl Iterator<Item = &Attempt> {
    report.evidence.iter().filter(move |evidence| evidence.axis == axis).flat_map(|evidence| &evidence.attempts)
}

fn mark(attempt: &Attempt) -> &'static str {
    match attempt.verdict {
        Verdict::Verified => "stopped ",
        Verdict::HostDeniesToo { .. } => "anyway  ",
        Verdict::NotEnforced => "GOT OUT ",
        _ => "unknown ",
    }
}
