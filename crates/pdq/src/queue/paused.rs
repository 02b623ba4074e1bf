//! A worker without its queue, between two spells of work: for a server that is stored beside its queue and cannot
//! borrow it all the time.
//!
//! It keeps the worker's buffers and its estimates: size of claims and where to look next. This module must never
//! know how a worker works.

use std::fmt;
use std::mem::take;

use super::handling::Batch;
use super::outbox::{Items, Outbox};
use super::pace::Pace;
use super::rounds::Rounds;
use super::worker::Watch;
use super::{Queue, Worker};
use crate::{DispatcherId, Key, UserKey};

/// A server of a queue that has stopped working for now. [`Queue::resume`] makes it a [`Worker`] again.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(1));
/// let mut paused = queue.worker(0).pause();
/// for n in 0..3 {
///     let mut worker = queue.resume(paused);
///     worker.enqueue(Key::User(n), n);
///     assert_eq!(worker.serve(|item, _| assert_eq!(item, n)), 1);
///     paused = worker.pause();
/// }
/// ```
pub struct Paused<T, K: UserKey = u64> {
    queue: DispatcherId,
    pub(super) server: usize,
    pub(super) rounds: Rounds,
    pub(super) pace: Pace,
    pub(super) watch: Option<Watch>,
    pub(super) stole: bool,
    pub(super) most: u64,
    pub(super) items: Items<T, K>,
    pub(super) picked: Vec<(Key<K>, T)>,
    pub(super) picked_keys: Vec<Key<K>>,
}

impl<'q, T, K: UserKey> Worker<'q, T, K> {
    /// Makes a worker of the state of a paused one.
    fn resumed(queue: &'q Queue<T, K>, paused: Paused<T, K>) -> Self {
        let Paused { server, rounds, pace, watch, stole, most, items, picked, picked_keys, .. } = paused;
        let batch = Batch::new(Outbox::with(queue, items));
        Self {
            batch,
            server,
            rounds,
            pace,
            watch,
            stole,
            missed: false,
            most,
            searching: false,
            picked,
            picked_keys,
        }
    }

    /// Stops this worker until [`Queue::resume`]. Moves the items of its buffer into the queue; other workers take the items that
    /// it would have taken.
    pub fn pause(mut self) -> Paused<T, K> {
        self.flush();
        Paused {
            queue: self.queue().id(),
            server: self.server,
            rounds: take(&mut self.rounds),
            pace: take(&mut self.pace),
            watch: take(&mut self.watch),
            stole: self.stole,
            most: self.most,
            items: self.batch.outbox.take_items(),
            picked: take(&mut self.picked),
            picked_keys: take(&mut self.picked_keys),
        }
    }
}

impl<T, K: UserKey> Queue<T, K> {
    /// Resumes a paused worker.
    ///
    /// # Panics
    ///
    /// If the worker was another queue's, or if its server has another worker now.
    pub fn resume(&self, paused: Paused<T, K>) -> Worker<'_, T, K> {
        assert!(paused.queue == self.id(), "a worker of another queue");
        self.employ(paused.server);
        Worker::resumed(self, paused)
    }
}

impl<T, K: UserKey> fmt::Debug for Paused<T, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Paused").field("server", &self.server).finish_non_exhaustive()
    }
}
