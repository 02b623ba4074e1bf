//! A thread's items on their way into the queue: gathered by lane, so that a lane's latch is taken once for many.
//!
//! Items in here have no place yet. This module must never know when that matters; the owner of an outbox decides
//! when to flush it.

use std::fmt;

use super::{Queue, tuning};
use crate::{Key, UserKey};

/// Buffers of keys and items, one for each lane. Each has its items in the order in which they were enqueued.
pub(super) type Items<T, K> = Box<[Vec<(K, T)>]>;

/// Items that a thread has enqueued and that have no place in the queue yet.
pub(super) struct Outbox<'q, T, K: UserKey> {
    queue: &'q Queue<T, K>,
    items: Items<T, K>,
    /// Indices of the lanes for which this outbox has items.
    filled: Vec<usize>,
}

impl<'q, T, K: UserKey> Outbox<'q, T, K> {
    pub(super) fn new(queue: &'q Queue<T, K>) -> Self {
        Self::with(queue, std::iter::repeat_with(Vec::new).take(queue.lanes.len()).collect())
    }

    /// Makes an outbox with the given buffers, which are empty: one buffer for each lane of the queue.
    pub(super) fn with(queue: &'q Queue<T, K>, items: Items<T, K>) -> Self {
        Self { queue, items, filled: Vec::new() }
    }

    /// Takes the buffers of an empty outbox that is no longer used.
    pub(super) fn take_items(&mut self) -> Items<T, K> {
        std::mem::take(&mut self.items)
    }

    pub(super) fn queue(&self) -> &'q Queue<T, K> {
        self.queue
    }

    #[inline]
    pub(super) fn push(&mut self, key: Key<K>, item: T) {
        let Key::User(user) = key else { return self.push_through(key, item) };
        let lane = self.queue.lane_of(key);
        let items = &mut self.items[lane];
        if items.is_empty() {
            self.filled.push(lane);
        }
        items.push((user, item));
        if items.len() == tuning::BLOCK {
            self.flush_lane(lane);
            self.filled.retain(|other| *other != lane);
        }
    }

    /// Moves all buffered items into the queue and then enqueues `item`, which has no user key. So a sequential item is younger
    /// than the items pushed before it. Such items are rare.
    #[cold]
    fn push_through(&mut self, key: Key<K>, item: T) {
        self.flush();
        self.queue.enqueue(key, item);
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.filled.is_empty()
    }

    /// Moves all items into the queue.
    #[inline]
    pub(super) fn flush(&mut self) {
        if !self.is_empty() {
            self.flush_filled();
        }
    }

    fn flush_filled(&mut self) {
        for lane in &self.filled {
            self.queue.lanes[*lane].expect_writing();
        }
        while let Some(lane) = self.filled.pop() {
            self.flush_lane(lane);
        }
    }

    fn flush_lane(&mut self, at: usize) {
        let items = &mut self.items[at];
        self.queue.room.spill(items.len());
        let lane = &self.queue.lanes[at];
        lane.append(&mut lane.write(), items);
        self.queue.idle.tell();
    }
}

impl<T, K: UserKey> fmt::Debug for Outbox<'_, T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("filled", &self.filled.len()).finish_non_exhaustive()
    }
}
