//! The execres command.
fn main() {}
