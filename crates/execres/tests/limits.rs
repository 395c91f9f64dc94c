//! Limits, each through the whole way, with the outcome that names it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod host;

use std::time::{Duration, Instant};

use execres::CodeCall;
use execres::code::CodeExecution;
use execres::core::{Clock, LimitKind, Limits, Outcome};
use host::{Host, assert_prints, call, contains, request, shown};

async fn run_with(language: &str, source: &str, set: impl FnOnce(&mut Limits)) -> CodeExecution {
    let mut call = call(language, source);
    set(&mut call.limits);
    Host::new().run(call).await
}

#[tokio::test]
async fn wall_time_ends_a_program_and_keeps_what_it_said() {
    let started = Instant::now();
    let marker = host::marker();
    // The child has left its session, holds both streams and would outlive its parent.
    let source = format!("echo before; echo warned >&2; (setsid sleep {marker} &); sleep {marker}");
    let result = run_with("bash", &source, |limits| limits.wall_time = Duration::from_millis(700)).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: Clock::Wall }, "{}", shown(&result));
    assert_eq!((result.stdout.text().as_str(), result.stderr.text().as_str()), ("before\n", "warned\n"));
    assert!(started.elapsed() < Duration::from_secs(20), "it came back, and did not hang");
    assert!(!host::running(&marker), "nothing of the run is left");
}

#[tokio::test]
async fn a_short_wall_time_does_not_cover_getting_ready() {
    // Probing a new host takes longer than this program may run.
    let result = run_with("bash", "sleep 1000", |limits| limits.wall_time = Duration::from_millis(1)).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: Clock::Wall }, "{}", shown(&result));
}

#[tokio::test]
async fn processor_time_ends_a_program() {
    let result = run_with("bash", "while :; do :; done", |limits| limits.cpu_time = Duration::from_secs(1)).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: Clock::Cpu }, "{}", shown(&result));
}

#[tokio::test]
async fn memory_is_limited() {
    // Touches every page, as a program that has the memory would.
    let source = "print('start')\nblocks = [bytes(b'x' * (1 << 20)) for _ in range(400)]\nprint(len(blocks))";
    let result = run_with("python", source, |limits| limits.memory = 100 << 20).await;
    // With a controller the kernel ends it; without one the program is refused the memory and says so.
    let refused = result.stderr.text().contains("MemoryError");
    assert!(result.outcome == Outcome::OutOfMemory || refused, "{}", shown(&result));
    assert_eq!(result.stdout.text(), "start\n");
    assert_prints(&run_with("python", source, |limits| limits.memory = 1 << 30).await, "start\n400\n");
}

#[tokio::test]
async fn files_in_memory_count_for_memory() {
    let source = "head -c 300M /dev/zero > /tmp/x && echo all";
    let result = run_with("bash", source, |limits| {
        limits.memory = 64 << 20;
        limits.file_size = 1 << 30;
    })
    .await;
    assert!(!result.is_success(), "{}", shown(&result));
    assert!(!result.stdout.text().contains("all"));
}

#[tokio::test]
async fn a_flood_of_output_is_ended_at_the_hard_cap() {
    let result = run_with("bash", "yes", |limits| limits.output_hard = 1 << 20).await;
    assert_eq!(result.outcome, Outcome::LimitExceeded { limit: LimitKind::Output }, "{}", shown(&result));
    assert!(result.stdout.total_bytes() >= 1 << 20);
}

#[tokio::test]
async fn the_middle_of_much_output_is_dropped_and_counted() {
    let source = "print('head'); print('x' * 500000); print('tail')";
    let result = run_with("python", source, |limits| limits.output_retained = 1000).await;
    assert_eq!(result.outcome, Outcome::Exited { code: 0 });
    assert_eq!(result.stdout.total_bytes(), 500_011);
    assert!(result.stdout.dropped_bytes() >= 499_000);
    assert!(result.stdout.text().starts_with("head\n") && result.stdout.text().ends_with("tail\n"));
}

#[tokio::test]
async fn a_file_has_a_largest_size() {
    let result = run_with("bash", "head -c 2M /dev/zero > output/x", |limits| limits.file_size = 1 << 20).await;
    assert!(!result.is_success(), "{}", shown(&result));
    assert_prints(&run_with("bash", "head -c 2M /dev/zero > output/x", |_| {}).await, "");
}

#[tokio::test]
async fn the_disk_of_a_program_is_limited_in_bytes_and_in_files() {
    let result = run_with("bash", "head -c 9M /dev/zero > output/x", |limits| limits.scratch = 4 << 20).await;
    contains(&result.stderr.text(), "No space left", shown(&result));
    let source = "for i in $(seq 500); do : > output/$i || exit 9; done";
    let result = run_with("bash", source, |limits| limits.scratch_inodes = 100).await;
    assert_eq!(result.outcome, Outcome::Exited { code: 9 }, "{}", shown(&result));
    assert_prints(&run_with("bash", source, |_| {}).await, "");
}

#[tokio::test]
async fn processes_are_limited_and_a_fork_bomb_ends() {
    let source = "\
import os, time
n = 0
try:
    while n < 300:
        if os.fork() == 0: time.sleep(1000)
        n += 1
except BlockingIOError: print('refused')
else: print('all')";
    let result = run_with("python", source, |limits| limits.processes = 20).await;
    assert_prints(&result, "refused\n");
    let result = run_with("python", source, |limits| limits.processes = 400).await;
    assert_prints(&result, "all\n");
    let bomb =
        run_with("bash", ":(){ :|:& };:; wait; sleep 1000", |limits| limits.wall_time = Duration::from_secs(1)).await;
    assert!(!bomb.is_success(), "{}", shown(&bomb));
}

#[tokio::test]
async fn what_a_run_used_is_told() {
    let result = Host::new()
        .run(CodeCall::new(request("python", "x = bytearray(50 << 20)\nfor i in range(0, len(x), 4096): x[i] = 1")))
        .await;
    assert_prints(&result, "");
    assert!(result.usage.wall > Duration::ZERO);
    assert!(result.usage.cpu_user > Duration::ZERO);
    let peak = result.usage.peak_memory.expect("a peak of memory");
    assert!(peak.value >= 50 << 20, "{peak:?}");
}

#[tokio::test]
async fn build_and_run_share_the_limits() {
    let source = "#include <unistd.h>\nint main(void) { sleep(1000); }";
    let result = run_with("c", source, |limits| limits.wall_time = Duration::from_secs(3)).await;
    assert_eq!(result.outcome, Outcome::TimedOut { clock: Clock::Wall }, "{}", shown(&result));
    assert_eq!(result.steps.len(), 2);
    assert!(result.usage.wall < Duration::from_secs(30));
}
