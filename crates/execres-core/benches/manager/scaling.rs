//! Two threads on different keys against one.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use dashmap::DashMap;
use execres_core::Manager;
use rustix::time::{ClockId, clock_gettime};

use crate::plain::{drive, manager, requirement};

/// How many operations each thread does in one round.
const OPERATIONS: u32 = 50_000;
/// The best of these counts: what else runs on the machine can only make a round slower.
const ROUNDS: usize = 7;

/// How long one operation took, by the clock on the wall over all threads, and of a processor.
#[derive(Clone, Copy)]
struct Took {
    wall: Duration,
    processor: Duration,
}

/// What one thread does, given its number.
type Work<'a> = &'a (dyn Fn(usize) + Sync);

pub(crate) fn print() {
    println!("\nscaling, best of {ROUNDS} rounds of {OPERATIONS} operations a thread (per operation)");
    println!(
        "{:<28} {:>10} {:>10} {:>8} {:>14} {:>14}",
        "", "1 thread", "2 threads", "scaling", "processor, 1", "processor, 2"
    );
    let shared = manager();
    row("cold ensure and release", &|thread| cycle(&shared, thread));
    let kept: Vec<_> = (0..2).map(|thread| drive(shared.ensure(requirement(thread))).unwrap()).collect();
    row("reuse and release", &|thread| cycle(&shared, thread));
    drop(kept);
    let map: DashMap<usize, u64> = DashMap::new();
    row("dashmap insert and remove", &|thread| {
        for _ in 0..OPERATIONS {
            map.insert(thread, 7);
            map.remove(&thread);
        }
    });
    // What two threads that share nothing get on this machine at this moment: nothing can be above it.
    let own = [manager(), manager()];
    row("a manager for each thread", &|thread| cycle(&own[thread], thread));
}

fn cycle(manager: &Manager, thread: usize) {
    let requirement = requirement(thread);
    for _ in 0..OPERATIONS {
        let handle = drive(manager.ensure(&requirement)).unwrap();
        drive(manager.release(&handle)).unwrap();
    }
}

fn row(name: &str, work: Work<'_>) {
    // In turns, so that a change of the machine's load meets both.
    let (ones, twos): (Vec<Took>, Vec<Took>) = (0..ROUNDS).map(|_| (round(1, work), round(2, work))).unzip();
    let [one, two] = [ones, twos].map(|rounds| Took {
        wall: rounds.iter().map(|took| took.wall).min().unwrap(),
        processor: rounds.iter().map(|took| took.processor).min().unwrap(),
    });
    println!(
        "{name:<28} {:>7} ns {:>7} ns {:>7.2}x {:>11} ns {:>11} ns",
        one.wall.as_nanos(),
        two.wall.as_nanos(),
        one.wall.as_secs_f64() / two.wall.as_secs_f64(),
        one.processor.as_nanos(),
        two.processor.as_nanos()
    );
}

fn round(threads: usize, work: Work<'_>) -> Took {
    let ready = Barrier::new(threads);
    let times: Vec<_> = std::thread::scope(|scope| {
        let run = |thread| {
            let ready = &ready;
            move || {
                ready.wait();
                let (started, processor) = (Instant::now(), processor_time());
                work(thread);
                (started, Instant::now(), processor_time() - processor)
            }
        };
        let running: Vec<_> = (0..threads).map(|thread| scope.spawn(run(thread))).collect();
        running.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let started = times.iter().map(|(started, ..)| *started).min().unwrap();
    let ended = times.iter().map(|(_, ended, _)| *ended).max().unwrap();
    let processor: Duration = times.iter().map(|(.., processor)| *processor).sum();
    let operations = OPERATIONS * u32::try_from(threads).unwrap();
    Took { wall: (ended - started) / operations, processor: processor / operations }
}

/// How long this thread has had a processor. Two threads that wait for each other's cache lines need more of it, two that wait for a
/// processor do not.
fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap(), u32::try_from(time.tv_nsec).unwrap())
}
