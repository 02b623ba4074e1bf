//! State that handlers reach by proving that they hold its key: `&mut` without a lock.
//!
//! Its `unsafe` code rests on the promise of [`proof`](crate::Held) (two live proofs of one dispatcher never
//! conflict) and must never know how a dispatcher keeps it.
//!
//! The soundness argument, for all accesses. An entry is reached only with a proof of the table's own dispatcher,
//! whose key is the entry's *whole* key or `Sequential`. Proofs of equal user keys conflict, and `Sequential`
//! conflicts with all, so at any time at most one live proof reaches a given entry. This needs keys whose equality
//! and hash never lie, for the dispatcher and for the table, and places in a dense table that agree with equality:
//! [`Lawful`] promises both. The `&mut T` handed out borrows that proof exclusively or consumes it, so each proof
//! yields one reference at a time. Between two proofs that conflict, the dispatcher orders the end of one before the
//! beginning of the other (under the latch of their lane in the queue, by `&mut self` elsewhere), so accesses from
//! different threads do not race.

mod apart;
mod grouped;
mod groups;
mod slot;

use std::collections::HashMap;
use std::fmt;

use self::apart::Apart;
use self::grouped::Grouped;
use self::slot::{Slot, expect_keys, nth};
use crate::prefetch;
use crate::spread::spread;
use crate::sync::{Arc, Mutex, PoisonError, UnsafeCell};
use crate::{DispatcherId, Key, Lawful, Proof};

/// Table with one value `T` (an entry) per user key. An entry is reached by the [`Proof`] that its key is held.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Keyed, Serial};
///
/// let mut serial = Serial::new(DispatcherId::fresh());
/// let table = Keyed::dense(serial.id(), 0x100, 4, |_| 0_u32);
/// *table.get(&mut serial.hold(Key::User(0x102))) = 5;
/// *table.get_any(&mut serial.hold(Key::Sequential), 0x103) = 6;
/// assert_eq!(table.into_entries(), [(0x100, 0), (0x101, 0), (0x102, 5), (0x103, 6)]);
/// ```
///
/// A table drops its entries one by one. If destructors panic, the table still drops the other entries, and then resumes the first
/// panic.
///
/// Code that breaks the exclusion does not compile. Two references from one proof, to two entries or one:
///
/// ```compile_fail,E0499
/// # use tradewind_pdq::{Keyed, Proof};
/// fn swap(table: &Keyed<u32>, proof: &mut Proof<'_>) {
///     let one = table.get_any(proof, 1);
///     let two = table.get_any(proof, 2);
///     std::mem::swap(one, two);
/// }
/// ```
///
/// Keeping an entry while its key is given back:
///
/// ```compile_fail,E0505
/// # use tradewind_pdq::{Held, Keyed, Queue};
/// fn keep(queue: &Queue<()>, table: &Keyed<u32>, mut held: Held) {
///     let mut proof = held.proof();
///     let entry = table.get(&mut proof);
///     queue.complete(held);
///     *entry += 1;
/// }
/// ```
///
/// Sharing between threads a table whose entries are not `Send`:
///
/// ```compile_fail,E0277
/// # use tradewind_pdq::{DispatcherId, Keyed};
/// # use std::rc::Rc;
/// let table = Keyed::dense(DispatcherId::fresh().id(), 0, 1, |_| Rc::new(0));
/// std::thread::scope(|scope| {
///     scope.spawn(|| drop(&table));
/// });
/// ```
pub struct Keyed<T, K = u64> {
    dispatcher: DispatcherId,
    entries: Entries<T, K>,
}

enum Entries<T, K> {
    Dense { first: K, slots: Apart<Box<[Slot<T>]>> },
    Grouped(Grouped<T, K>),
    Sparse(Sparse<T, K>),
}

impl<T, K: Lawful> Keyed<T, K> {
    /// Makes a table with `len` entries, for the keys from `first_key` up, each made at once by `init`. Each key is one step of
    /// [`Lawful::forward`] above the previous key: keys are numbers, or tuples and structs whose last field is a number.
    ///
    /// # Panics
    ///
    /// If the last key does not exist: it exceeds the range of the key's type, or keys of this type have no steps.
    pub fn dense(dispatcher: DispatcherId, first_key: K, len: usize, mut init: impl FnMut(K) -> T) -> Self {
        expect_keys(first_key, len);
        let slots: Box<[_]> = (0..len).map(|at| Slot(UnsafeCell::new(init(nth(first_key, at))))).collect();
        Self { dispatcher, entries: Entries::Dense { first: first_key, slots: Apart(slots) } }
    }

    /// Makes a table with an entry for every key, made by `init` when the entry is first reached.
    ///
    /// `init` runs under no lock. If it panics, the entry does not exist yet and the next access tries again.
    pub fn sparse(dispatcher: DispatcherId, init: impl Fn(K) -> T + Send + Sync + 'static) -> Self {
        Self { dispatcher, entries: Entries::Sparse(Sparse::new(Box::new(init))) }
    }

    /// Identifier of the dispatcher whose proofs open this table.
    pub fn dispatcher(&self) -> DispatcherId {
        self.dispatcher
    }

    /// Returns the entry of the user key that `proof` shows to be held, for as long as the proof is borrowed.
    ///
    /// The caller keeps the proof for as long as it uses the entry. A proof that is made for one use goes to [`Keyed::open`]:
    ///
    /// ```compile_fail,E0716
    /// # use tradewind_pdq::{Handling, Keyed};
    /// # fn handle(table: &Keyed<u32>, mut handling: Handling<'_, '_, ()>) {
    /// let entry = table.get(&mut handling.proof()); // the proof is dropped here
    /// *entry += 1;
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, if its key is not a user key, or if the table has no entry for its key.
    #[inline]
    pub fn get<'t>(&'t self, proof: &'t mut Proof<'_, K>) -> &'t mut T {
        self.open(proof.reborrow())
    }

    /// Consumes `proof` and returns the entry of the user key that the proof shows to be held. The reference lives as long as the
    /// proof could have lived.
    ///
    /// ```
    /// # use tradewind_pdq::{Handling, Keyed};
    /// # fn handle(table: &Keyed<u32>, mut handling: Handling<'_, '_, ()>) {
    /// let entry = table.open(handling.proof());
    /// *entry += 1;
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, if its key is not a user key, or if the table has no entry for its key.
    #[inline]
    pub fn open<'t>(&'t self, proof: Proof<'t, K>) -> &'t mut T {
        match proof.key() {
            Key::User(key) => self.reach(proof, key),
            Key::Sequential => panic!("SEQUENTIAL names no entry of its own: say which one with `get_any`"),
            Key::NoSync => panic!("NOSYNC holds no key and reaches no keyed entry"),
        }
    }

    /// Returns the entry of any `key`. The proof is of [`Key::Sequential`], so no other handler runs.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, if its key is not [`Key::Sequential`], or if the table has no entry for `key`.
    pub fn get_any<'t>(&'t self, proof: &'t mut Proof<'_, K>, key: K) -> &'t mut T {
        expect_sequential(proof, "the entry of any key");
        self.reach(proof.reborrow(), key)
    }

    /// Prefetches the first cache line of the entry of `key` into this processor's cache, for a use a little later. The caller
    /// need not hold `key`: the entry is neither read nor written. Does nothing if a dense table has no entry for `key`, if the
    /// table is sparse or has groups, and on hosts other than x86-64.
    #[inline]
    pub fn prefetch(&self, key: K) {
        if let Entries::Dense { first, slots } = &self.entries
            && let Some(slot) = find_dense(*first, slots, key)
        {
            prefetch::line_at::<Slot<T>>(slot);
        }
    }

    /// Turns a proof into a reference to the entry of `key`. The caller has checked that the proof's key is `key` or `Sequential`.
    /// Panics if the proof is from another dispatcher, or if the table has no entry for `key`.
    #[inline]
    fn reach<'t>(&'t self, proof: Proof<'t, K>, key: K) -> &'t mut T {
        self.expect_own(&proof);
        let slot = self.find(key).unwrap_or_else(|| self.refuse(key));
        // SAFETY: the proof was just found to be this dispatcher's, and both callers have found its key to be `key` or
        // `Sequential`. It is used up, and the holder of the key stays exclusively borrowed for 't. So no other reference to
        // this entry lives during 't and every earlier access happened before (see the head of the module).
        unsafe { &mut *slot.0.get() }
    }

    /// Returns the slot of `key`; `None` if the table has no entry for it. A sparse table makes an entry that is missing. The
    /// caller has a proof of this table's dispatcher, of any key.
    #[inline]
    fn find(&self, key: K) -> Option<&Slot<T>> {
        match &self.entries {
            Entries::Dense { first, slots } => find_dense(*first, slots, key),
            Entries::Grouped(grouped) => grouped.find(key),
            Entries::Sparse(sparse) => Some(sparse.slot(key)),
        }
    }

    #[cold]
    fn refuse(&self, key: K) -> ! {
        match &self.entries {
            Entries::Grouped(grouped) => grouped.refuse(key),
            Entries::Dense { first, slots } => {
                panic!("key {key:#x?} is outside the table: it has {} keys from {first:#x?} up", slots.len())
            }
            Entries::Sparse(_) => unreachable!("a sparse table has an entry for every key"),
        }
    }

    /// Returns all entries that exist, in ascending order of key. The proof is of [`Key::Sequential`], so no other handler runs.
    ///
    /// # Panics
    ///
    /// If the proof is from another dispatcher, or if its key is not [`Key::Sequential`].
    pub fn entries<'t>(&'t self, proof: &'t mut Proof<'_, K>) -> impl Iterator<Item = (K, &'t mut T)>
    where
        K: Ord,
    {
        self.expect_own(proof);
        expect_sequential(proof, "all entries");
        let slots: Vec<_> = match &self.entries {
            Entries::Dense { first, slots } => {
                (0..).zip(&**slots).map(|(at, slot)| (nth(*first, at), slot)).collect()
            }
            Entries::Grouped(grouped) => grouped.slots().collect(),
            Entries::Sparse(sparse) => sparse.sorted(),
        };
        // SAFETY: the proof was just found to be this dispatcher's and of `Sequential`, so no other proof lives; it stays
        // exclusively borrowed for 't. Each slot comes up once, so no two of the references are to the same entry.
        slots.into_iter().map(|(key, slot)| (key, unsafe { &mut *slot.0.get() }))
    }

    /// Panics unless the proof is from this table's dispatcher.
    #[inline]
    fn expect_own(&self, proof: &Proof<'_, K>) {
        assert!(
            proof.dispatcher() == self.dispatcher,
            "the proof is of {:?}, the table belongs to {:?}",
            proof.dispatcher(),
            self.dispatcher
        );
    }

    /// Iterates over all entries that exist, in ascending order of key.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = (K, &mut T)>
    where
        K: Ord,
    {
        let entries: Vec<_> = match &mut self.entries {
            Entries::Dense { first, slots } => {
                (0..).zip(&mut **slots).map(|(at, slot)| (nth(*first, at), slot.0.get_mut())).collect()
            }
            Entries::Grouped(grouped) => grouped.slots_mut().collect(),
            Entries::Sparse(sparse) => sparse.sorted_mut(),
        };
        entries.into_iter()
    }

    /// Returns all entries that exist, in ascending order of key.
    pub fn into_entries(self) -> Vec<(K, T)>
    where
        K: Ord,
    {
        match self.entries {
            Entries::Dense { first, slots } => {
                let slots = slots.into_inner();
                (0..).zip(slots).map(|(at, slot)| (nth(first, at), slot.0.into_inner())).collect()
            }
            Entries::Grouped(grouped) => grouped.into_entries().collect(),
            Entries::Sparse(sparse) => sparse.into_sorted(),
        }
    }
}

fn expect_sequential<K: Lawful>(proof: &Proof<'_, K>, what: &str) {
    assert!(proof.key() == Key::Sequential, "only SEQUENTIAL reaches {what}, but {} is held", proof.key());
}

#[inline]
fn find_dense<T, K: Lawful>(first: K, slots: &[Slot<T>], key: K) -> Option<&Slot<T>> {
    slots.get(key.steps_after(first)?)
}

/// Shard of a sparse table: some of its entries, under a lock. An entry stays until the table ends. An `Arc`, whose count stays at
/// 1, gives it a stable address: a `Box` would claim to be the only way to reach the entry while the map moves the box.
type Shard<T, K> = Mutex<Apart<HashMap<K, Arc<Slot<T>>>>>;

/// Entries by key, made on first use, in shards so that look-ups of different keys seldom meet at a lock.
struct Sparse<T, K> {
    shards: Box<[Shard<T, K>]>,
    init: Box<dyn Fn(K) -> T + Send + Sync>,
}

const SHARD_BITS: u32 = 6;

impl<T, K: Lawful> Sparse<T, K> {
    fn new(init: Box<dyn Fn(K) -> T + Send + Sync>) -> Self {
        Self { shards: (0..1 << SHARD_BITS).map(|_| Shard::default()).collect(), init }
    }

    fn slot(&self, key: K) -> &Slot<T> {
        self.existing(key).unwrap_or_else(|| self.created(key))
    }

    fn existing(&self, key: K) -> Option<&Slot<T>> {
        let shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        shard.get(&key).map(|slot| self.outlive_lock(slot))
    }

    /// Makes the entry of `key`. Calls `init` outside the shard's lock, because `init` is foreign code: it may panic, or use
    /// another entry of this table.
    #[cold]
    fn created(&self, key: K) -> &Slot<T> {
        let made = Arc::new(Slot(UnsafeCell::new((self.init)(key))));
        let mut shard = self.shard(key).lock().unwrap_or_else(PoisonError::into_inner);
        self.outlive_lock(shard.entry(key).or_insert(made))
    }

    fn shard(&self, key: K) -> &Shard<T, K> {
        &self.shards[(spread(&key) >> (u64::BITS - SHARD_BITS)) as usize]
    }

    /// Returns a reference to `slot`, an entry of this table, that lives as long as the table: longer than the lock under which the
    /// caller has found the slot.
    fn outlive_lock(&self, slot: &Arc<Slot<T>>) -> &Slot<T> {
        // SAFETY: an entry is never removed through `&self`, and the allocation of an `Arc` does not move when the map
        // moves the `Arc`. So the slot outlives the borrow of `self` that the result carries.
        unsafe { &*Arc::as_ptr(slot) }
    }

    fn sorted(&self) -> Vec<(K, &Slot<T>)>
    where
        K: Ord,
    {
        let lock = |shard: &Shard<T, K>| {
            let shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
            shard.iter().map(|(key, slot)| (*key, self.outlive_lock(slot))).collect::<Vec<_>>()
        };
        sorted(self.shards.iter().flat_map(lock))
    }

    fn sorted_mut(&mut self) -> Vec<(K, &mut T)>
    where
        K: Ord,
    {
        let maps =
            self.shards.iter_mut().map(|shard| shard.get_mut().unwrap_or_else(PoisonError::into_inner));
        let slots = maps.flat_map(|map| map.iter_mut());
        sorted(slots.map(|(key, slot)| (*key, only_owner(Arc::get_mut(slot)).0.get_mut())))
    }

    fn into_sorted(self) -> Vec<(K, T)>
    where
        K: Ord,
    {
        let maps =
            self.shards.into_iter().map(|shard| shard.into_inner().unwrap_or_else(PoisonError::into_inner));
        let slots = maps.flat_map(Apart::into_inner);
        sorted(slots.map(|(key, slot)| (key, only_owner(Arc::into_inner(slot)).0.into_inner())))
    }
}

fn only_owner<S>(slot: Option<S>) -> S {
    slot.expect("the table never clones the Arc of an entry")
}

fn sorted<V, K: Ord + Copy>(entries: impl Iterator<Item = (K, V)>) -> Vec<(K, V)> {
    let mut entries: Vec<_> = entries.collect();
    entries.sort_unstable_by_key(|(key, _)| *key);
    entries
}

impl<T, K> fmt::Debug for Keyed<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The entries belong to the holders of their keys and cannot be shown.
        f.debug_struct("Keyed").field("dispatcher", &self.dispatcher).finish_non_exhaustive()
    }
}
