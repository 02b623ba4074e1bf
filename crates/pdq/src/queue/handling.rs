//! A handler's view of its item and of the queue, and the loop that runs a claim's handlers.
//!
//! A panic ends one handler and no other: the claim goes on behind it. If a handler keeps its key, the claim's next
//! items of that key wait like all others. This module must never know where a claim comes from.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::Queue;
use super::gate::AT_GATE;
use super::inside::{enter_handlers, leave_handlers};
use super::lane::Left;
use super::outbox::Outbox;
use crate::sync::mutated;
use crate::{Held, Key, Proof, UserKey};

/// A running handler's access to its item's key and to the queue. A [`Worker`](crate::Worker) passes it to handlers.
///
/// A key that is kept is not held twice:
///
/// ```compile_fail,E0382
/// # use tradewind_pdq::{Handling, Held};
/// fn twice(handling: Handling<'_, '_, ()>) -> (Held, Held) {
///     (handling.keep(), handling.keep())
/// }
/// ```
///
/// nor does a reference to state outlive the keeping:
///
/// ```compile_fail,E0505
/// # use tradewind_pdq::{Handling, Held, Keyed};
/// fn keep(table: &Keyed<u32>, mut handling: Handling<'_, '_, ()>) -> Held {
///     let mut proof = handling.proof();
///     let entry = table.get(&mut proof);
///     let held = handling.keep();
///     *entry += 1;
///     held
/// }
/// ```
pub struct Handling<'c, 'q, T, K: UserKey = u64> {
    key: Key<K>,
    batch: &'c mut Batch<'q, T, K>,
}

/// Payload of a handler's panic.
pub(super) type Payload = Box<dyn Any + Send>;

/// State of a worker that its handlers reach.
pub(super) struct Batch<'q, T, K: UserKey> {
    pub(super) outbox: Outbox<'q, T, K>,
    /// Origin of the running items: the index of a lane, or `AT_GATE`.
    pub(super) place: u64,
    pub(super) left: Left<T, K>,
}

impl<'q, T, K: UserKey> Handling<'_, 'q, T, K> {
    /// Returns the queue that the running item comes from.
    pub fn queue(&self) -> &'q Queue<T, K> {
        self.batch.queue()
    }

    /// Key of the running item, held until its handler ends.
    #[inline]
    pub fn key(&self) -> Key<K> {
        self.key
    }

    /// Lends out the proof that the running item's key is held.
    #[inline]
    pub fn proof(&mut self) -> Proof<'_, K> {
        Proof::new(self.key, self.queue().id())
    }

    /// Appends an item to the queue, as [`Queue::enqueue`] does, but through the worker's buffer.
    #[inline]
    pub fn enqueue(&mut self, key: Key<K>, item: T) {
        self.batch.outbox.push(key, item);
    }

    /// Ends the handler and keeps its key held, until the returned token is given back with [`Queue::complete`] or
    /// [`Queue::complete_with`]. No server is occupied meanwhile.
    pub fn keep(self) -> Held<K> {
        self.batch.keep(self.key)
    }

    /// Ends the handler and keeps its key held; `continuation` runs under this key, ahead of all other items of the key.
    pub fn continue_with(self, continuation: T) {
        let queue = self.queue();
        queue.complete_with(self.keep(), continuation);
    }
}

impl<'q, T, K: UserKey> Batch<'q, T, K> {
    pub(super) fn new(outbox: Outbox<'q, T, K>) -> Self {
        Self { outbox, place: 0, left: Left { kept: Vec::new(), returned: Vec::new() } }
    }

    pub(super) fn queue(&self) -> &'q Queue<T, K> {
        self.outbox.queue()
    }

    /// Runs `handler` for the items that `next` returns, until it returns `None`; returns the payloads of the handlers' panics.
    /// (To drop a payload here would be to run foreign code while the claim is not over.)
    pub(super) fn run(
        &mut self,
        mut next: impl FnMut() -> Option<(Key<K>, T)>,
        handler: &mut impl FnMut(T, Handling<'_, 'q, T, K>),
    ) -> Vec<Payload> {
        let mut panics = Vec::new();
        let outer = enter_handlers(self.queue().id());
        // A panic ends the loop, and the next round goes on behind the item.
        while let Err(payload) = catch_unwind(AssertUnwindSafe(|| {
            while let Some((key, item)) = self.next_of(&mut next) {
                match key {
                    // The claim has an item of a key that was kept: it waits like all others of that key.
                    Key::User(user) if self.left.kept.contains(&key) && !mutated!("kept-key-runs-on") => {
                        self.left.returned.push((user, item));
                    }
                    _ => handler(item, Handling { key, batch: self }),
                }
            }
        })) {
            self.queue().count_panic();
            panics.push(payload);
        }
        leave_handlers(outer);
        panics
    }

    /// Returns the next item of the claim. Where claims are shared, first moves the items that earlier handlers have enqueued into
    /// the queue: from now on another server may split the claim, which frees the keys of those handlers.
    #[inline]
    fn next_of(&mut self, next: &mut impl FnMut() -> Option<(Key<K>, T)>) -> Option<(Key<K>, T)> {
        if self.queue().config.shares_claims && !self.outbox.is_empty() {
            self.outbox.flush();
        }
        next()
    }

    #[cold]
    fn keep(&mut self, key: Key<K>) -> Held<K> {
        // The key may be given back before the claim ends: items that the handler has enqueued are older than any
        // that come then.
        self.outbox.flush();
        self.left.kept.push(key);
        if self.place != AT_GATE {
            self.queue().lanes[self.place as usize].serve().keep();
        }
        Held::new(key, self.queue().id(), self.place)
    }
}

impl<T, K: UserKey + fmt::Debug> fmt::Debug for Handling<'_, '_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Handling").field("key", &self.key).finish_non_exhaustive()
    }
}
