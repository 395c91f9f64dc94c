//! Where it is measured.

/// Prints the number of processors and how busy the machine is.
pub(crate) fn print() {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').take(3).collect::<Vec<_>>().join(" ");
    println!("machine: {processors} processors, load average {load}");
}
