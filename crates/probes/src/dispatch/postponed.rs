//! The messages whose locks were taken: the next holder of the lock of each key, and the threads that do the messages'
//! work. This module must never know the kind of work, nor the cost of a lock.
//!
//! A mutex of the host guards the state of each lock. No thread gives its processor away while it holds one.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempest::Event;

use super::item::{Item, Tag};

/// The lock of a key, and the messages that wait for it.
#[derive(Debug, Default)]
struct Lock {
    is_taken: bool,
    waiting: VecDeque<Item>,
}

/// A thread that does the work of messages.
#[derive(Debug)]
struct Worker {
    /// The number of messages that the thread has been given, and one more when it is to end.
    given: Event,
    items: Mutex<VecDeque<Item>>,
}

/// The locks of all keys, and the threads.
#[derive(Debug)]
pub(super) struct Postponed {
    locks: Box<[Mutex<Lock>]>,
    workers: Box<[Worker]>,
    /// The messages that have been given to threads.
    given: AtomicUsize,
}

impl Postponed {
    pub(super) fn new(keys: u32, threads: u32) -> Self {
        let worker = |_| Worker { given: Event::new("dispatch.given"), items: Mutex::default() };
        Self {
            locks: (0..keys).map(|_| Mutex::default()).collect(),
            workers: (0..threads).map(worker).collect(),
            given: AtomicUsize::new(0),
        }
    }

    /// Takes the lock of a message, or lets the message wait for it. Returns whether the message has the lock.
    pub(super) fn take(&self, item: &Item) -> bool {
        let mut lock = self.lock(item.tag);
        if lock.is_taken {
            lock.waiting.push_back(*item);
            return false;
        }
        lock.is_taken = true;
        true
    }

    /// Gives a lock back, or to the message that has waited longest for it. Returns that message.
    pub(super) fn give_back(&self, tag: Tag) -> Option<Item> {
        let mut lock = self.lock(tag);
        let next = lock.waiting.pop_front();
        lock.is_taken = next.is_some();
        next
    }

    /// Leaves a message that has its lock to the thread that has least to do. Returns the event to signal.
    pub(super) fn leave(&self, item: Item) -> &Event {
        let first = self.given.fetch_add(1, Ordering::Relaxed);
        let in_turn =
            (0..self.workers.len()).map(|other| &self.workers[(first + other) % self.workers.len()]);
        let worker = in_turn.min_by_key(|worker| guard(&worker.items).len()).expect("a node has a thread");
        guard(&worker.items).push_back(item);
        &worker.given
    }

    /// The event by which a thread learns of its messages.
    pub(super) fn given(&self, thread: u32) -> &Event {
        &self.workers[thread as usize].given
    }

    /// The events of all threads.
    pub(super) fn all_given(&self) -> impl Iterator<Item = &Event> {
        self.workers.iter().map(|worker| &worker.given)
    }

    /// The oldest message that a thread has been given and has not ended.
    pub(super) fn next(&self, thread: u32) -> Option<Item> {
        guard(&self.workers[thread as usize].items).front().copied()
    }

    /// A thread has done the work of its oldest message.
    pub(super) fn end(&self, thread: u32) {
        guard(&self.workers[thread as usize].items).pop_front();
    }

    fn lock(&self, tag: Tag) -> MutexGuard<'_, Lock> {
        guard(&self.locks[tag.number() as usize])
    }
}

fn guard<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::super::item::Kind;
    use super::*;

    #[test]
    fn a_lock_goes_to_the_message_that_has_waited_longest() {
        let postponed = Postponed::new(2, 2);
        let item = |number, key| Item { tag: Tag::new(Kind::Keyed, key, true), made: 0, number, length: 1 };
        assert!(postponed.take(&item(0, 1)) && postponed.take(&item(1, 0)));
        assert!(!postponed.take(&item(2, 1)) && !postponed.take(&item(3, 1)));
        assert_eq!(postponed.give_back(item(1, 0).tag), None);
        assert_eq!(postponed.give_back(item(0, 1).tag), Some(item(2, 1)));
        assert!(!postponed.take(&item(4, 1)), "the second message of the key has its lock");
        assert_eq!(postponed.give_back(item(2, 1).tag), Some(item(3, 1)));
        assert_eq!(postponed.give_back(item(3, 1).tag), Some(item(4, 1)));
        assert_eq!(postponed.give_back(item(4, 1).tag), None);
        assert!(postponed.take(&item(5, 1)));
    }

    #[test]
    fn a_message_is_left_to_the_thread_that_has_least_to_do() {
        let postponed = Postponed::new(1, 2);
        let item = |number| Item { tag: Tag::new(Kind::Keyed, 0, true), made: 0, number, length: 1 };
        (0..2).for_each(|number| _ = postponed.leave(item(number)));
        assert_eq!([postponed.next(0), postponed.next(1)], [Some(item(0)), Some(item(1))]);
        postponed.end(1);
        postponed.leave(item(2));
        assert_eq!([postponed.next(0), postponed.next(1)], [Some(item(0)), Some(item(2))]);
    }
}
