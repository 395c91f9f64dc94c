//! One thread.

use dashmap::DashMap;
use deadpool::managed::{Manager as PoolManager, Metrics, Pool, RecycleResult};
use divan::{Bencher, black_box};

use crate::plain::{drive, manager, requirement};

#[divan::bench]
fn cold_ensure_and_release(bencher: Bencher<'_, '_>) {
    let (manager, requirement) = (manager(), requirement(0));
    bencher.bench_local(|| {
        let handle = drive(manager.ensure(black_box(&requirement))).unwrap();
        drive(manager.release(&handle)).unwrap()
    });
}

#[divan::bench]
fn cold_ensure_and_release_of_a_new_requirement(bencher: Bencher<'_, '_>) {
    let manager = manager();
    bencher.with_inputs(|| requirement(0)).bench_local_values(|requirement| {
        let handle = drive(manager.ensure(requirement)).unwrap();
        drive(manager.release(&handle)).unwrap()
    });
}

#[divan::bench]
fn reuse(bencher: Bencher<'_, '_>) {
    let (manager, requirement) = (manager(), requirement(0));
    let _kept = drive(manager.ensure(&requirement)).unwrap();
    // The lease is given back outside of what is measured.
    bencher.bench_local(|| {
        std::mem::ManuallyDrop::new(drive(manager.ensure(black_box(&requirement))).unwrap()).id().clone()
    });
}

#[divan::bench]
fn reuse_and_release(bencher: Bencher<'_, '_>) {
    let (manager, requirement) = (manager(), requirement(0));
    let _kept = drive(manager.ensure(&requirement)).unwrap();
    bencher.bench_local(|| {
        let handle = drive(manager.ensure(black_box(&requirement))).unwrap();
        drive(manager.release(&handle)).unwrap()
    });
}

/// A map does no policy, no approval, no probe, no lease and no health check: it is the floor.
#[divan::bench]
fn dashmap_insert_and_remove(bencher: Bencher<'_, '_>) {
    let map: DashMap<String, u64> = DashMap::new();
    bencher.bench_local(|| {
        map.insert(black_box("owner-0").to_owned(), 7);
        map.remove("owner-0")
    });
}

#[divan::bench]
fn dashmap_get(bencher: Bencher<'_, '_>) {
    let map: DashMap<String, u64> = DashMap::new();
    map.insert("owner-0".to_owned(), 7);
    bencher.bench_local(|| map.get(black_box("owner-0")).map(|value| *value));
}

struct Nothing;

impl PoolManager for Nothing {
    type Type = u64;
    type Error = std::convert::Infallible;

    async fn create(&self) -> Result<u64, Self::Error> {
        Ok(7)
    }

    async fn recycle(&self, _object: &mut u64, _metrics: &Metrics) -> RecycleResult<Self::Error> {
        Ok(())
    }
}

/// A pool of one key, with a check before reuse.
#[divan::bench]
fn deadpool_get_and_put(bencher: Bencher<'_, '_>) {
    let pool = Pool::<Nothing>::builder(Nothing).max_size(4).build().unwrap();
    bencher.bench_local(|| *drive(pool.get()).unwrap());
}
