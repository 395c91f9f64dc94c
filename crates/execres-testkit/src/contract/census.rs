//! What there is: processes, descriptors, and what the provider says it makes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::subject::Subject;

/// How long processes have to go away. The bound only tells "going" from "staying".
const GOING: Duration = Duration::from_secs(10);

/// What there is at one moment.
#[derive(Debug)]
pub(super) struct Census {
    processes: BTreeMap<u32, String>,
    descriptors: BTreeMap<String, usize>,
    footprint: BTreeSet<String>,
}

impl Census {
    pub(super) fn take(subject: &Subject) -> Self {
        Census { processes: descendants(), descriptors: descriptors(), footprint: (subject.footprint)() }
    }

    /// What is there now and was not then, in words; empty when nothing is.
    fn beyond(&self, before: &Census) -> Vec<String> {
        let processes = self.processes.iter().filter(|(pid, _)| !before.processes.contains_key(pid));
        let mut beyond: Vec<String> = processes.map(|(pid, line)| format!("process {pid} ({line})")).collect();
        for (sort, count) in &self.descriptors {
            let was = before.descriptors.get(sort).copied().unwrap_or_default();
            if *count > was {
                beyond.push(format!("{} descriptors more of {sort}", count - was));
            }
        }
        beyond.extend(self.footprint.difference(&before.footprint).cloned());
        beyond
    }

    /// Waits until there is nothing beyond what there was.
    pub(super) async fn settle(self, subject: &Subject) -> Result<(), Fault> {
        let until = Instant::now() + subject.patience;
        loop {
            let beyond = Census::take(subject).beyond(&self);
            if beyond.is_empty() {
                return Ok(());
            }
            if Instant::now() > until {
                return Err(Fault::new(format!("this was left behind: {}", beyond.join("; "))));
            }
            // Nothing tells of the end of somebody else's process or file, so this looks again.
            tokio::task::yield_now().await;
        }
    }
}

/// Waits until no process has this word among its arguments.
pub(super) async fn gone(word: &str) -> Result<(), Fault> {
    let until = Instant::now() + GOING;
    while is_running(word) {
        if Instant::now() > until {
            return Err(Fault::new("a process of the program lives on"));
        }
        tokio::task::yield_now().await;
    }
    Ok(())
}

/// Whether a process has this word among its arguments.
pub(super) fn is_running(word: &str) -> bool {
    let lines = pids().filter_map(|pid| fs::read(format!("/proc/{pid}/cmdline")).ok());
    lines.into_iter().any(|line| line.split(|byte| *byte == 0).any(|argument| argument == word.as_bytes()))
}

fn pids() -> impl Iterator<Item = u32> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// The processes below this one, with their command lines; those that have ended and were not waited for are among them.
fn descendants() -> BTreeMap<u32, String> {
    let parents: HashMap<u32, u32> = pids().filter_map(|pid| Some((pid, parent_of(pid)?))).collect();
    let ours = std::process::id();
    let is_ours = |pid: u32| {
        let mut at = pid;
        // The bound is against a table that changed while it was read.
        for _ in 0..64 {
            match parents.get(&at) {
                Some(parent) if *parent == ours => return true,
                Some(parent) => at = *parent,
                None => return false,
            }
        }
        false
    };
    parents.keys().filter(|pid| is_ours(**pid)).map(|pid| (*pid, line_of(*pid))).collect()
}

fn parent_of(pid: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name is in parentheses and may hold anything, parentheses too.
    stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}

fn line_of(pid: u32) -> String {
    let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&line).replace('\0', " ").trim().to_owned()
}

/// How many descriptors there are of each sort. Sockets and pipes have no name that stays, so they are counted by sort.
fn descriptors() -> BTreeMap<String, usize> {
    let mut sorts = BTreeMap::new();
    for entry in fs::read_dir("/proc/self/fd").into_iter().flatten().flatten() {
        let Ok(target) = fs::read_link(entry.path()) else { continue };
        let target = target.display().to_string();
        let sort = target.split_once(":[").map_or(target.as_str(), |(sort, _)| sort);
        *sorts.entry(sort.to_owned()).or_default() += 1;
    }
    sorts
}
