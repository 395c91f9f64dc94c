//! What an idle handle takes.

use crate::plain::{drive, manager, requirement};

const HANDLES: usize = 100_000;

pub(crate) fn print() {
    let manager = manager();
    // Grows the tables of the allocator first.
    drop((0..1000).map(|number| drive(manager.ensure(requirement(number))).unwrap()).collect::<Vec<_>>());
    let requirements: Vec<_> = (0..HANDLES).map(requirement).collect();
    let mut handles = Vec::with_capacity(HANDLES);
    let Some(before) = resident() else {
        println!("\nmemory per idle handle: not measured, this system does not tell");
        return;
    };
    handles.extend(requirements.iter().map(|requirement| drive(manager.ensure(requirement)).unwrap()));
    let after = resident().unwrap_or(before);
    println!(
        "\nmemory per idle handle: {} bytes (of {HANDLES}, each of a requirement and a key of its own)",
        (after - before) / HANDLES
    );
    drop(handles);
}

/// Memory of the process that is really there, in bytes.
fn resident() -> Option<usize> {
    let statm = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: usize = statm.split(' ').nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size())
}
