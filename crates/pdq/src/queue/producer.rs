//! A thread that only produces, many items at a time.
//!
//! This module must never know servers.

use super::Queue;
use super::outbox::Outbox;
use crate::{Key, UserKey};

/// A handle through which a thread enqueues many items at a time. Where several threads produce, that is much faster than one item
/// at a time.
///
/// Items are gathered, and take their places when there are enough of them for a lane, on [`Producer::flush`], and when the
/// producer is dropped. Until then, the items that other threads enqueue go ahead of them. Two items of one key keep their order.
///
/// ```
/// use tradewind_pdq::{DispatcherId, Key, Queue, queue};
///
/// let queue = Queue::new(DispatcherId::fresh(), queue::Config::servers(1));
/// let mut producer = queue.producer();
/// for n in 0..10 {
///     producer.enqueue(Key::User(n % 3), n);
/// }
/// producer.flush();
/// assert_eq!(queue.len(), 10);
/// ```
///
/// Like [`Queue::enqueue`] it takes no notice of the limit or of closing; use [`Queue::try_enqueue`] where they matter.
#[derive(Debug)]
pub struct Producer<'q, T, K: UserKey = u64>(Outbox<'q, T, K>);

impl<'q, T, K: UserKey> Producer<'q, T, K> {
    pub(super) fn new(queue: &'q Queue<T, K>) -> Self {
        Self(Outbox::new(queue))
    }

    /// Appends an item to the buffer, from which it is enqueued later.
    #[inline]
    pub fn enqueue(&mut self, key: Key<K>, item: T) {
        self.0.push(key, item);
    }

    /// Moves all gathered items into the queue: every item that any thread enqueues afterwards is younger.
    pub fn flush(&mut self) {
        self.0.flush();
    }
}

impl<T, K: UserKey> Drop for Producer<'_, T, K> {
    fn drop(&mut self) {
        self.flush();
    }
}
