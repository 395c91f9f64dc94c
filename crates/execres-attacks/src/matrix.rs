//! The result: attacks against configurations.

use std::fmt;
use std::time::Duration;

use execres_core::AxisSet;

use crate::attack::Attack;
use crate::configuration::Configuration;
use crate::control::{ControlResult, Proof};
use crate::judge::Verdict;

/// What became of every attack under every configuration.
#[derive(Debug)]
pub struct Matrix {
    /// Names of the configurations, with what each is.
    pub configurations: Vec<(&'static str, &'static str)>,
    /// What the evidence proves under each.
    pub proven: Vec<AxisSet>,
    /// One row an attack.
    pub rows: Vec<Row>,
}

/// One attack.
#[derive(Debug)]
pub struct Row {
    /// The attack.
    pub attack: Attack,
    /// What its control came to.
    pub control: ControlResult,
    /// One cell a configuration.
    pub cells: Vec<Cell>,
}

/// One attack under one configuration.
#[derive(Debug)]
pub struct Cell {
    /// What became of it.
    pub verdict: Verdict,
    /// How often it was tried.
    pub runs: usize,
    /// How long all tries took.
    pub elapsed: Duration,
}

impl Matrix {
    pub(crate) fn new(configurations: &[Configuration]) -> Self {
        Matrix {
            configurations: configurations.iter().map(|one| (one.name, one.about)).collect(),
            proven: Vec::new(),
            rows: Vec::new(),
        }
    }

    /// Every cell whose verdict is wanted, with its attack and configuration.
    pub fn cells(&self, wanted: impl Fn(&Verdict) -> bool) -> Vec<(&Row, &'static str, &Verdict)> {
        let named = self.rows.iter().flat_map(|row| {
            row.cells.iter().zip(&self.configurations).map(move |(cell, (name, _))| (row, *name, &cell.verdict))
        });
        named.filter(|(_, _, verdict)| wanted(verdict)).collect()
    }

    /// What keeps this from being a proof: escapes, surprises, and controls that failed.
    pub fn failures(&self) -> Vec<String> {
        let cells = self.cells(Verdict::is_failure);
        let mut failures: Vec<String> = cells
            .into_iter()
            .map(|(row, name, verdict)| format!("{} [{name}]: {}", row.attack.id, told(verdict)))
            .collect();
        failures.extend(self.rows.iter().filter_map(|row| match &row.control.proof {
            Proof::Failed(why) => Some(format!("{} [control]: {why}", row.attack.id)),
            _ => None,
        }));
        failures
    }

    /// What did not run, with its reason: once for each attack.
    pub fn not_run(&self) -> Vec<(&str, String)> {
        let cell = |row: &Row| {
            row.cells.iter().find_map(|cell| match &cell.verdict {
                Verdict::NotRun(why) => Some(why.clone()),
                _ => None,
            })
        };
        let control = |row: &Row| match &row.control.proof {
            Proof::NotRun(why) => Some(format!("the control: {why}")),
            _ => None,
        };
        self.rows.iter().filter_map(|row| Some((row.attack.id.as_str(), cell(row).or_else(|| control(row))?))).collect()
    }

    /// How many cells are contained.
    pub fn contained(&self) -> usize {
        self.cells(|verdict| *verdict == Verdict::Contained).len()
    }

    /// The summary, in one line.
    pub fn summary(&self) -> String {
        let proofs = |wanted: &str| self.rows.iter().filter(|row| row.control.proof.word() == wanted).count();
        let (outside, differential, reasoned) = (proofs("outside"), proofs("differential"), proofs("reasoned"));
        let failures = self.failures().len();
        let result = if failures == 0 { "all contained".to_owned() } else { format!("{failures} FAILURES") };
        let mut line = format!(
            "{} attacks, {} configurations, {} runs, {result}, {} controls proven ({outside} outside, {differential} \
             differential), {reasoned} attacks with a reason in place of a control",
            self.rows.len(),
            self.configurations.len(),
            self.rows.iter().flat_map(|row| &row.cells).map(|cell| cell.runs).sum::<usize>(),
            outside + differential,
        );
        for (word, what) in [("host denies", "refused by this host outside as well"), ("not run", "controls not run")] {
            if proofs(word) > 0 {
                line.push_str(&format!(", {} {what}", proofs(word)));
            }
        }
        let not_claimed = self.cells(|verdict| matches!(verdict, Verdict::NotClaimed(_))).len();
        let not_run = self.cells(|verdict| matches!(verdict, Verdict::NotRun(_))).len();
        for (count, what) in [(not_claimed, "where nothing is promised the attack succeeded"), (not_run, "not run")] {
            if count > 0 {
                let cells = if count == 1 { "cell" } else { "cells" };
                line.push_str(&format!(", {count} {cells}: {what}"));
            }
        }
        line
    }
}

fn told(verdict: &Verdict) -> String {
    match verdict {
        Verdict::Escaped(what) | Verdict::Unexpected(what) | Verdict::NotRun(what) | Verdict::NotClaimed(what) => {
            format!("{}: {what}", verdict.word())
        }
        Verdict::Contained | Verdict::NotApplicable => verdict.word().to_owned(),
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<14} {:<32} {:<13}", "class", "attack", "control")?;
        for (name, _) in &self.configurations {
            write!(f, " {name:<17}")?;
        }
        writeln!(f)?;
        for row in &self.rows {
            write!(f, "{:<14} {:<32} {:<13}", row.attack.class, row.attack.id, row.control.proof)?;
            for cell in &row.cells {
                write!(f, " {:<17}", cell.verdict.word())?;
            }
            writeln!(f)?;
        }
        for (row, name, verdict) in
            self.cells(|verdict| !matches!(verdict, Verdict::Contained | Verdict::NotApplicable))
        {
            writeln!(f, "{} [{name}]: {}", row.attack.id, told(verdict))?;
        }
        for row in &self.rows {
            if let Proof::Failed(why) | Proof::HostDenies(why) | Proof::NotRun(why) = &row.control.proof {
                writeln!(f, "{} [control]: {}: {why}", row.attack.id, row.control.proof)?;
            }
        }
        let mut slowest: Vec<(Duration, &str)> = self
            .rows
            .iter()
            .map(|row| (row.cells.iter().map(|cell| cell.elapsed).sum(), row.attack.id.as_str()))
            .collect();
        slowest.sort_unstable_by(|a, b| b.cmp(a));
        let slowest: Vec<String> = slowest.iter().take(8).map(|(took, id)| format!("{id} {took:.1?}")).collect();
        writeln!(f, "slowest: {}", slowest.join(", "))?;
        writeln!(f, "{}", self.summary())
    }
}
