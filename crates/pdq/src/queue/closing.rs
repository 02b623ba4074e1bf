//! Closing and aborting a queue.
//!
//! *Drained* means that every item that ever arrived is done. Counting cannot stop other threads, so it takes two
//! passes: first the done items, then the arrived ones. Done never exceeds arrived and neither ever falls, so if the
//! earlier count of done equals the later count of arrived, the two were equal at the instant between. This module
//! must never know why a queue ends.

use super::Queue;
use super::lane::Lane;
use crate::sync::{Ordering, mutated};
use crate::{Key, UserKey};

impl<T, K: UserKey> Queue<T, K> {
    /// Closes the queue to new items from outside: [`Queue::try_enqueue`] and [`Queue::enqueue_when_room`] refuse from now on.
    /// Waiting items and items that handlers enqueue are still run. When all items are done, [`Worker::run`](crate::Worker::run)
    /// returns.
    pub fn close(&self) {
        self.closed.store(true, Ordering::Release);
        // A producer that is placing an item at the moment may have missed the store; after this, every producer sees
        // it.
        self.lanes.iter().for_each(|lane| drop(lane.write()));
        // A server without lanes takes no lane's latch before it sleeps, only the gate's lock (see `idle`).
        if !mutated!("close-past-the-gate") {
            self.gate.pass();
        }
        self.room.tell_producers();
        self.idle.tell_all();
    }

    /// Whether the queue is closed to new items from outside.
    #[inline]
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    /// Closes the queue, stops dispatching, and returns the waiting items: in order of arrival for each key, and each
    /// sequential item between the older and the younger ones.
    ///
    /// Running handlers end as usual, and a worker runs its claimed batch to the end (up to a block of items). Items that
    /// these handlers enqueue stay in the queue; abort it again to get them too.
    pub fn abort(&self) -> Vec<(Key<K>, T)> {
        self.aborted.store(true, Ordering::Release);
        // Before any server can see that the queue is closed, so that such a server starts nothing beyond its claim.
        self.lanes.iter().for_each(|lane| lane.serve().stop());
        self.close();
        let barriers = self.gate.abort(&self.lanes);
        let mut waiting = Vec::new();
        for lane in &self.lanes {
            lane.serve().drain_index(&mut waiting);
        }
        for (positions, item) in barriers {
            for (lane, position) in self.lanes.iter().zip(positions) {
                lane.serve().drain_inbox(position, &mut waiting);
            }
            waiting.push((Key::Sequential, item));
        }
        for lane in &self.lanes {
            lane.serve().drain_inbox(u64::MAX, &mut waiting);
        }
        self.room.leave(waiting.len());
        self.idle.tell_all();
        waiting
    }

    /// Whether workers need not look for work any more: the queue is closed and drained, or aborted.
    pub(super) fn has_ended(&self) -> bool {
        self.aborted.load(Ordering::Acquire) || self.is_closed() && self.is_drained()
    }

    /// Wakes all sleepers if the queue is closed and all items are done. Like all wake-ups, it is ordered by latches alone (see
    /// `idle`). If two servers complete the last two items at the same time, at least one server sees the other's completion.
    #[inline]
    pub(super) fn tell_if_drained(&self) {
        if self.is_closed() && self.idle.has_sleepers() && self.is_drained() {
            self.idle.tell_all();
        }
    }

    fn is_drained(&self) -> bool {
        let mut done = self.gate.counts().done;
        for lane in &self.lanes {
            let serving = lane.serve();
            if serving.waiting() > 0 {
                return false;
            }
            done += serving.counts().done;
        }
        let arrived = |lane: &Lane<T, K>| lane.pushed() + lane.serve().counts().holds;
        let arrived: u64 = self.lanes.iter().map(arrived).sum();
        done == arrived + self.gate.counts().arrived
    }
}
