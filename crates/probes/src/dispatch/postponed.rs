//! The messages whose locks were taken: which one has the lock of each key next, and the threads that do their work. Must never know
//! what that work is, nor what a lock costs.
//!
//! A mutex of the host guards the state of each lock. Nobody gives its processor away while it holds one.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tempest::{Cells, Event};

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
    /// The messages that the thread has been given so far, and one more when it is to end.
    given: Event,
    items: Mutex<VecDeque<Item>>,
}

/// The locks of all keys, and the threads.
#[derive(Debug)]
pub(super) struct Postponed {
    locks: Box<[Mutex<Lock>]>,
    workers: Box<[Worker]>,
    /// The messages that have been given to threads.
    given: Cells<u64>,
}

impl Postponed {
    pub(super) fn new(keys: u32, threads: u32) -> Self {
        let worker = |_| Worker { given: Event::new("dispatch.given"), items: Mutex::default() };
        Self {
            locks: (0..keys).map(|_| Mutex::default()).collect(),
            workers: (0..threads).map(worker).collect(),
            given: Cells::new(1, 0),
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

    /// Gives a lock back, or to the message that has waited longest, whose work a thread is given. Returns the event to signal.
    pub(super) fn give_back(&self, tag: Tag) -> Option<&Event> {
        let next = {
            let mut lock = self.lock(tag);
            let next = lock.waiting.pop_front();
            lock.is_taken = next.is_some();
            next?
        };
        let worker = &self.workers[self.given.add(0, 1) as usize % self.workers.len()];
        guard(&worker.items).push_back(next);
        Some(&worker.given)
    }

    /// The event by which a thread learns of its messages.
    pub(super) fn given(&self, thread: u32) -> &Event {
        &self.workers[thread as usize].given
    }

    /// The events of all threads.
    pub(super) fn all_given(&self) -> impl Iterator<Item = &Event> {
        self.workers.iter().map(|worker| &worker.given)
    }

    /// The oldest message that a thread has been given.
    pub(super) fn next(&self, thread: u32) -> Option<Item> {
        guard(&self.workers[thread as usize].items).pop_front()
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
        assert!(postponed.give_back(item(1, 0).tag).is_none());
        assert!(postponed.give_back(item(0, 1).tag).is_some());
        assert_eq!((postponed.next(0), postponed.next(1)), (Some(item(2, 1)), None));
        assert!(!postponed.take(&item(4, 1)), "the second message of the key has its lock");
        for thread in [1, 0] {
            assert!(postponed.give_back(item(0, 1).tag).is_some());
            assert!(postponed.next(thread).is_some());
        }
        assert!(postponed.give_back(item(0, 1).tag).is_none());
        assert!(postponed.take(&item(5, 1)));
    }
}
