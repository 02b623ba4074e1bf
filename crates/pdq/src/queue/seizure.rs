//! Exclusive use of the whole queue: one server runs items of many keys, one after the other, without enqueueing
//! them, until another server has to break in.
//!
//! A *seizure* holds the sequential key, so nothing conflicts with any item that its holder runs. It pays where items
//! are brief. If an item turns out to be long, everything else would wait for it. So another server may *break in*
//! while an item runs: it takes the item's own key on behalf of the holder, and then opens the gate. From then on the
//! holder has that key and no other.
//!
//! # Orderings
//!
//! `steps` records the running item, and whether another server has broken in. The holder writes an item's key before
//! it begins the item, with release; the server that breaks in has acquired that, and so sees the key. A holder that
//! finds its seizure broken waits until `settled` says, by release and acquire, that its key is held. So no thread
//! reads the key while it is written: the holder writes it only while the seizure is unbroken and no item runs, and
//! the holder of the next seizure only after the gate has seen the return of the key that was taken on behalf of this
//! one.
//!
//! This module must never know the meaning of items, nor when one is long.

use super::Queue;
use crate::sync::{Ordering, mutated, panicking, spin_loop, yield_now};
use crate::{Key, Proof, UserKey};

/// Number of spin turns for which the holder waits for the server that breaks in before it yields the processor.
const TURNS: u32 = 64;

/// Exclusive use of a queue: all of its keys are held, to run items without enqueueing them. Dropping the value gives the keys
/// back, also when a panicking handler unwinds.
///
/// State reached through it cannot outlive the item:
///
/// ```compile_fail
/// # use tradewind_pdq::{Key, Keyed, Seizure};
/// fn leak<'t>(seizure: &mut Seizure<'_, ()>, table: &'t Keyed<u32>) -> &'t mut u32 {
///     seizure.run(Key::User(1), |mut proof| table.get(&mut proof))
/// }
/// ```
#[must_use = "dropping it gives all keys back"]
#[derive(Debug)]
pub struct Seizure<'q, T, K: UserKey = u64> {
    queue: &'q Queue<T, K>,
    /// Key of the last item, if another server has broken in while the item ran: the only key that is still held.
    left: Option<Key<K>>,
    given_back: bool,
}

impl<T, K: UserKey> Queue<T, K> {
    /// Holds all keys of the queue, to run items without enqueueing them. `None` if any item is unfinished, and after an abort.
    ///
    /// ```
    /// use tradewind_pdq::{DispatcherId, Key, Keyed, Queue, queue};
    ///
    /// let queue = Queue::<()>::new(DispatcherId::fresh(), queue::Config::servers(2));
    /// let counts = Keyed::sparse(queue.id(), |_| 0_u64);
    /// let mut seizure = queue.seize().expect("nothing is unfinished");
    /// for key in [1, 2, 1] {
    ///     seizure.run(Key::User(key), |mut proof| *counts.get(&mut proof) += 1);
    /// }
    /// seizure.give_back();
    /// assert_eq!(counts.into_entries(), [(1, 2), (2, 1)]);
    /// ```
    pub fn seize(&self) -> Option<Seizure<'_, T, K>> {
        let taken = self.gate.try_hold(&self.lanes);
        taken.then(|| Seizure { queue: self, left: None, given_back: false })
    }

    /// Number of the item that a seizure of this queue runs now, different from all earlier ones; `None` if no such item runs, or
    /// if another server has broken in already.
    #[inline]
    pub fn seized_for(&self) -> Option<u64> {
        self.seat.steps.running()
    }

    /// Takes all keys from a seizure except the key of its running item, whose number is `item`. Returns false if the item has
    /// ended, or if another server has broken in.
    pub fn break_in(&self, item: u64) -> bool {
        let seat = &*self.seat;
        if !seat.steps.take(item, self.fences) {
            return false;
        }
        // SAFETY: the holder wrote it before the step that has been acquired, and no thread writes it until this is
        // settled.
        let key = unsafe { *seat.key.get_shared() };
        let place = self.lane_of(key);
        if !mutated!("key-not-kept") {
            self.lanes[place].serve().take_up(key);
        }
        seat.place.store(place as u64, Ordering::Relaxed);
        self.open_gate();
        seat.settled.store(item, Ordering::Release);
        true
    }

    /// Ends the running sequential item, or the hold of the sequential key. Returns true if any item waited for it.
    pub(super) fn open_gate(&self) -> bool {
        let waited = self.gate.complete(&self.lanes);
        self.idle.tell_all();
        self.tell_if_drained();
        waited
    }
}

impl<T, K: UserKey> Seizure<'_, T, K> {
    /// Runs the closure `item` under `key`, with the proof that `key` is held. No other item that conflicts with it runs.
    ///
    /// # Panics
    ///
    /// If another server has broken in.
    #[inline]
    pub fn run<R>(&mut self, key: Key<K>, item: impl FnOnce(Proof<'_, K>) -> R) -> R {
        assert!(!self.is_broken(), "another server has broken in: all but the last key is lost");
        let proof = Proof::new(key, self.queue.id());
        if key == Key::Sequential {
            // It conflicts with every item that might run instead.
            return item(proof);
        }
        // The step ends also when the item unwinds.
        let _running = Running::begin(self, key);
        item(proof)
    }

    /// Whether another server has broken in, so that no further item can be run.
    #[inline]
    pub fn is_broken(&self) -> bool {
        self.left.is_some()
    }

    /// Gives back all keys that are still held. Returns true if this has made an item ready that an earlier search could not
    /// take.
    pub fn give_back(mut self) -> bool {
        self.release()
    }

    fn release(&mut self) -> bool {
        self.given_back = true;
        let Some(key) = self.left else { return self.queue.open_gate() };
        self.wait_until_settled();
        let place = self.queue.seat.place.load(Ordering::Relaxed);
        let mut serving = self.queue.lanes[place as usize].serve();
        serving.complete(key);
        let after = serving.leave();
        self.queue.settle(after);
        after.ready || after.drained
    }

    /// Waits until the server that has broken in has taken the last item's key on behalf of this seizure.
    fn wait_until_settled(&self) {
        let (mut turn, last) = (0, self.queue.seat.steps.last() - 1);
        while self.queue.seat.settled.load(Ordering::Acquire) != last {
            if turn < TURNS {
                turn += 1;
                spin_loop();
            } else {
                yield_now();
            }
        }
    }
}

impl<T, K: UserKey> Drop for Seizure<'_, T, K> {
    fn drop(&mut self) {
        if self.given_back {
            return;
        }
        if panicking() {
            self.queue.count_panic();
        }
        self.release();
    }
}

/// The running item of a seizure. Dropping it ends the item.
struct Running<'s, 'q, T, K: UserKey> {
    seizure: &'s mut Seizure<'q, T, K>,
    item: u64,
}

impl<'s, 'q, T, K: UserKey> Running<'s, 'q, T, K> {
    #[inline]
    fn begin(seizure: &'s mut Seizure<'q, T, K>, key: Key<K>) -> Self {
        let seat = &*seizure.queue.seat;
        // SAFETY: the seizure is unbroken and runs no item, so no other thread reads or writes it.
        unsafe { *seat.key.get() = key };
        let item = seat.steps.begin();
        Self { seizure, item }
    }
}

impl<T, K: UserKey> Drop for Running<'_, '_, T, K> {
    #[inline]
    fn drop(&mut self) {
        let queue = self.seizure.queue;
        if !queue.seat.steps.end(self.item, queue.fences) {
            // SAFETY: the holder wrote it itself, and does not again. A server that has broken in only reads it.
            self.seizure.left = Some(unsafe { *queue.seat.key.get_shared() });
        }
    }
}
