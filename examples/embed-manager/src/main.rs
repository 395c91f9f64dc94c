//! Embeds the manager with a provider of the host's own.
fn main() {}
