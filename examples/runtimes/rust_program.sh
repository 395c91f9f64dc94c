#!/usr/bin/env bash
# A program and its test, compiled by rustc: threads, channels, a process and a panic that is caught.
set -euo pipefail

cd /tmp
cat >program.rs <<'RUST'
use std::collections::HashMap;
use std::process::Command;
use std::sync::{mpsc, Arc, Mutex};
use std::thread;

fn collatz(mut n: u64) -> u32 {
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

fn main() {
    let longest = Arc::new(Mutex::new(HashMap::new()));
    let (sender, receiver) = mpsc::channel();
    for part in 0..8u64 {
        let (sender, longest) = (sender.clone(), longest.clone());
        thread::spawn(move || {
            let best = (part * 1000 + 1..part * 1000 + 1001).max_by_key(|n| collatz(*n)).unwrap();
            longest.lock().unwrap().insert(part, best);
            sender.send(collatz(best)).unwrap();
        });
    }
    drop(sender);
    assert_eq!(receiver.iter().max(), Some(261));
    assert_eq!(longest.lock().unwrap().len(), 8);
    assert!(thread::spawn(|| panic!("as it should")).join().is_err());
    let output = Command::new("echo").arg("child").output().unwrap();
    assert_eq!(output.stdout, b"child\n");
    println!("ended");
}

#[test]
fn short_chains() {
    assert_eq!((collatz(1), collatz(6)), (0, 8));
}
RUST
rustc -O program.rs
test "$(./program 2>/dev/null)" = "ended"
rustc --test program.rs -o tests
./tests --quiet >/dev/null
echo "rust works"
