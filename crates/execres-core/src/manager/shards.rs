//! A map of many small locks, so that different keys do not wait for each other.

use std::collections::HashMap;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hash};
use std::sync::PoisonError;

use crate::sync::{Apart, Mutex, MutexGuard};

/// Each lock is one more place where shuttle can change threads, so there are few then.
const SHARDS: usize = if cfg!(all(test, feature = "shuttle")) { 2 } else { 64 };

type Shard<K, V> = Apart<Mutex<HashMap<K, V>>>;

/// A map whose values are only touched inside short closures: a lock cannot be held across an await.
///
/// The closures drop nothing that has a `Drop` of the manager's, because that could come back for the same lock; they hand it out.
pub(super) struct Shards<K, V> {
    hasher: RandomState,
    shards: Box<[Shard<K, V>]>,
}

impl<K: Hash + Eq + Clone, V> Shards<K, V> {
    pub(super) fn new() -> Self {
        Shards { hasher: RandomState::new(), shards: (0..SHARDS).map(|_| Apart(Mutex::new(HashMap::new()))).collect() }
    }

    fn shard(&self, key: &K) -> MutexGuard<'_, HashMap<K, V>> {
        // The remainder is below SHARDS, so it fits.
        let index = (self.hasher.hash_one(key) % SHARDS as u64) as usize;
        lock(&self.shards[index].0)
    }

    pub(super) fn insert(&self, key: K, value: V) -> Option<V> {
        self.shard(&key).insert(key, value)
    }

    /// Inserts unless the key is there; says whether it did.
    pub(super) fn insert_new(&self, key: K, value: V) -> bool {
        let mut shard = self.shard(&key);
        let new = !shard.contains_key(&key);
        if new {
            shard.insert(key, value);
        }
        new
    }

    pub(super) fn remove(&self, key: &K) -> Option<V> {
        self.shard(key).remove(key)
    }

    pub(super) fn get(&self, key: &K) -> Option<V>
    where
        V: Clone,
    {
        self.shard(key).get(key).cloned()
    }

    /// What `pick` makes of the value of a key; `None` where there is none.
    pub(super) fn pick<T>(&self, key: &K, pick: impl FnOnce(&V) -> Option<T>) -> Option<T> {
        self.shard(key).get(key).and_then(pick)
    }

    /// Hands what `pick` makes of each value out of the locks, in no order.
    pub(super) fn collect<T>(&self, pick: impl Fn(&V) -> Option<T>) -> Vec<T> {
        self.shards.iter().flat_map(|shard| lock(&shard.0).values().filter_map(&pick).collect::<Vec<_>>()).collect()
    }
}

/// A value that a map need not keep when it says nothing.
pub(super) trait Vacant: Default {
    fn is_vacant(&self) -> bool;
}

impl<K: Hash + Eq + Clone, V: Vacant> Shards<K, V> {
    /// Calls `change` on the value of a key, a vacant one where there is none, and keeps it unless it is vacant afterwards.
    pub(super) fn with<R>(&self, key: &K, change: impl FnOnce(&mut V) -> R) -> R {
        let mut shard = self.shard(key);
        match shard.get_mut(key) {
            Some(value) => {
                let result = change(value);
                if value.is_vacant() {
                    shard.remove(key);
                }
                result
            }
            None => {
                let mut value = V::default();
                let result = change(&mut value);
                if !value.is_vacant() {
                    shard.insert(key.clone(), value);
                }
                result
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic inside a closure is a mistake of the manager's; the maps stay consistent, because each closure changes one value.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
