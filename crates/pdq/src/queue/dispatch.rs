//! The guard around a dispatched item: as long as it lives, the item's key is held.
//!
//! It must never know how the queue orders items; it only makes sure that every key comes back.

use std::ops::{Deref, DerefMut};

use crate::sync::panicking;
use crate::{Held, Key, Proof, Queue, UserKey};

/// A dispatched item that owns its key. Dropping it completes the item, also when a panicking handler unwinds: the
/// key is released and [`Statistics::panicked`](crate::Statistics::panicked) counts it. The next handler of that key
/// sees the state as the panicking one left it.
///
/// State reached through the guard cannot outlive it:
///
/// ```compile_fail,E0505
/// # use tradewind_pdq::{Keyed, Queue};
/// # fn serve(queue: &Queue<()>, table: &Keyed<u32>) {
/// let mut dispatch = queue.dequeue(0).expect("an item waits");
/// let mut proof = dispatch.proof();
/// let entry = table.get(&mut proof);
/// drop(dispatch);
/// *entry += 1;
/// # }
/// ```
#[must_use = "dropping the guard completes the item"]
#[derive(Debug)]
pub struct Dispatch<'q, T, K: UserKey = u64> {
    // Fields drop in this order: the item goes while its key is still held, and the key comes back even if the item's
    // own `drop` panics.
    item: T,
    release: Release<'q, T, K>,
}

/// Completes the item on drop, unless the token has been taken out.
#[derive(Debug)]
struct Release<'q, T, K: UserKey> {
    queue: &'q Queue<T, K>,
    held: Option<Held<K>>,
}

impl<'q, T, K: UserKey> Dispatch<'q, T, K> {
    pub(super) fn new(queue: &'q Queue<T, K>, held: Held<K>, item: T) -> Self {
        Self { item, release: Release { queue, held: Some(held) } }
    }

    /// Key of the item, held until this guard is dropped.
    pub fn key(&self) -> Key<K> {
        self.release.held().key()
    }

    /// Lends out the proof that the item's key is held.
    pub fn proof(&mut self) -> Proof<'_, K> {
        self.release.held_mut().proof()
    }

    /// Returns the item and the proof that its key is held side by side, for a handler.
    pub fn parts(&mut self) -> (&mut T, Proof<'_, K>) {
        (&mut self.item, self.release.held_mut().proof())
    }

    /// Takes the item and the token out of the guard. The token must be given back with [`Queue::complete`] or
    /// [`Queue::complete_with`]; a panic that unwinds past it leaves its key held.
    pub fn into_parts(mut self) -> (T, Held<K>) {
        let held = self.release.held.take();
        (self.item, held.expect(PRESENT))
    }
}

/// Reason why the token is found inside the guard, as the text of a panic that cannot happen.
const PRESENT: &str = "the token leaves the guard only when the guard is consumed";

impl<T, K: UserKey> Release<'_, T, K> {
    fn held(&self) -> &Held<K> {
        self.held.as_ref().expect(PRESENT)
    }

    fn held_mut(&mut self) -> &mut Held<K> {
        self.held.as_mut().expect(PRESENT)
    }
}

impl<T, K: UserKey> Drop for Release<'_, T, K> {
    fn drop(&mut self) {
        if let Some(held) = self.held.take() {
            if panicking() {
                self.queue.count_panic();
            }
            self.queue.complete(held);
        }
    }
}

impl<T, K: UserKey> Deref for Dispatch<'_, T, K> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T, K: UserKey> DerefMut for Dispatch<'_, T, K> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.item
    }
}
