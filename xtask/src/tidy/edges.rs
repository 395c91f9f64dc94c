//! Which crate may depend on which: arrows point down only.

use std::collections::{BTreeSet, HashMap, HashSet};

use cargo_metadata::{DependencyKind, Metadata, PackageId};

use super::Finding;
use super::manifests::place;

/// A crate of the workspace, and the crates of the workspace that it may use.
struct Edges {
    name: &'static str,
    may_use: &'static [&'static str],
}

/// One row for every crate. A new crate needs a row; a new entry in a row needs a reason in `docs/architecture.md`.
const EDGES: &[Edges] = &[
    Edges { name: "execres-core", may_use: &[] },
    Edges { name: "execres-owner", may_use: &[] },
    Edges { name: "execres-isolation", may_use: &["execres-core", "execres-owner"] },
    Edges { name: "execres-workspace", may_use: &["execres-core", "execres-owner"] },
    Edges { name: "execres-code", may_use: &["execres-core", "execres-workspace"] },
    Edges { name: "execres-testkit", may_use: &["execres-core", "execres-owner", "execres-workspace", "execres-code"] },
    Edges { name: "execres-attacks", may_use: &["execres-core", "execres-isolation", "execres-owner"] },
    Edges {
        name: "execres",
        may_use: &[
            "execres-core",
            "execres-owner",
            "execres-isolation",
            "execres-workspace",
            "execres-code",
            "execres-provider-*",
        ],
    },
    Edges { name: "execres-cli", may_use: &["execres"] },
    Edges { name: "xtask", may_use: &[] },
    Edges { name: "embed-execres", may_use: &["execres"] },
    Edges { name: "approval-service", may_use: &["execres-core", "counting-provider"] },
    Edges { name: "events-log", may_use: &["execres-core", "counting-provider"] },
    Edges { name: "scopes-and-shutdown", may_use: &["execres-core", "counting-provider"] },
    Edges { name: "counting-provider", may_use: &["execres-core"] },
    Edges { name: "embed-manager", may_use: &["execres-core", "execres"] },
    Edges { name: "external-provider", may_use: &["execres"] },
    Edges { name: "own-sandbox", may_use: &["execres"] },
];

/// What every provider may use; never another provider, and nothing above it.
const PROVIDER: &str = "execres-provider-";
const PROVIDER_MAY_USE: &[&str] =
    &["execres-core", "execres-owner", "execres-workspace", "execres-isolation", "execres-code"];

/// What tests may use beside what the crate itself may use.
const TESTS_MAY_USE: &[&str] = &["execres-testkit", "execres-attacks", "execres-owner"];

/// Libraries of providers: the core compiles none of them, directly or indirectly.
const CORE: &str = "execres-core";
const PROVIDER_LIBRARIES: &[&str] = &["bollard", "sqlx", "rmcp", "fantoccini"];

pub(super) fn check(metadata: &Metadata) -> Vec<Finding> {
    let packages = metadata.workspace_packages();
    let ours: HashSet<&str> = packages.iter().map(|package| package.name.as_str()).collect();
    let mut findings = Vec::new();
    for package in &packages {
        let used: Vec<(&str, DependencyKind)> = package
            .dependencies
            .iter()
            .filter(|dependency| ours.contains(dependency.name.as_str()))
            .map(|dependency| (dependency.name.as_str(), dependency.kind))
            .collect();
        findings.extend(
            breaches(&package.name, &used).into_iter().map(|what| Finding::new(place(metadata, package), 1, what)),
        );
    }
    if let Some(core) = packages.iter().find(|package| package.name.as_str() == CORE) {
        let reached = reachable(metadata, &core.id);
        let banned = PROVIDER_LIBRARIES.iter().filter(|library| reached.contains(**library));
        findings.extend(banned.map(|library| {
            let what =
                format!("{CORE} compiles {library}, a library of a provider: move what needs it into a provider");
            Finding::new(place(metadata, core), 1, what)
        }));
    }
    findings
}

/// What is wrong with the edges of one crate.
fn breaches(name: &str, used: &[(&str, DependencyKind)]) -> Vec<String> {
    let Some(allowed) = allowed(name) else {
        return vec![format!("{name} has no row in the table of edges (xtask/src/tidy/edges.rs): add one")];
    };
    used.iter()
        .filter(|(dependency, kind)| {
            let in_tests = *kind == DependencyKind::Development && TESTS_MAY_USE.contains(dependency);
            !in_tests && !allowed.iter().any(|pattern| matches(pattern, dependency))
        })
        .map(|(dependency, _)| format!("{name} must not depend on {dependency}: it may use {allowed:?}"))
        .collect()
}

fn allowed(name: &str) -> Option<&'static [&'static str]> {
    if name.starts_with(PROVIDER) {
        return Some(PROVIDER_MAY_USE);
    }
    EDGES.iter().find(|edges| edges.name == name).map(|edges| edges.may_use)
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(prefix) => name.starts_with(prefix),
        None => name == pattern,
    }
}

/// The names of everything that a package compiles, tests apart.
fn reachable<'a>(metadata: &'a Metadata, from: &'a PackageId) -> BTreeSet<&'a str> {
    let nodes: HashMap<_, _> =
        metadata.resolve.iter().flat_map(|resolve| &resolve.nodes).map(|node| (&node.id, node)).collect();
    let names: HashMap<_, _> = metadata.packages.iter().map(|package| (&package.id, package.name.as_str())).collect();
    let mut seen = HashSet::from([from]);
    let mut queue = vec![from];
    while let Some(id) = queue.pop() {
        for dependency in nodes.get(id).into_iter().flat_map(|node| &node.deps) {
            let compiled = dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development);
            if compiled && seen.insert(&dependency.pkg) {
                queue.push(&dependency.pkg);
            }
        }
    }
    seen.into_iter().filter_map(|id| names.get(id).copied()).collect()
}

#[cfg(test)]
mod tests;
