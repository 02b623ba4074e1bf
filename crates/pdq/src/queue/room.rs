//! The limit of a bounded queue: a count of waiting items, and producers that wait for room.
//!
//! `waiting` counts items from before they are published until they are taken. A producer without room announces
//! itself in `producers`, tries once more and then waits. A server that takes items lowers `waiting` and then looks
//! at `producers`. All four accesses are sequentially consistent: of "announce, then try" and "lower, then look" at
//! least one sees the other, so no producer waits in spite of room. A queue without a limit counts nothing here. This
//! module must never know keys.

use super::padded::Padded;
use crate::sync::{AtomicU64, AtomicUsize, Condvar, Mutex, Ordering, PoisonError};

#[derive(Debug)]
pub(super) struct Room {
    /// Number of items that may wait; `usize::MAX`: no limit.
    limit: usize,
    waiting: Padded<AtomicUsize>,
    producers: Padded<AtomicUsize>,
    changed: Condvar,
    lock: Mutex<()>,
    /// Number of items that were accepted beyond the limit.
    spilled: AtomicU64,
}

impl Room {
    pub(super) fn new(limit: Option<usize>) -> Self {
        Self {
            limit: limit.unwrap_or(usize::MAX),
            waiting: Padded::default(),
            producers: Padded::default(),
            changed: Condvar::new(),
            lock: Mutex::new(()),
            spilled: AtomicU64::new(0),
        }
    }

    #[inline]
    fn is_unlimited(&self) -> bool {
        self.limit == usize::MAX
    }

    /// Counts one waiting item if there is room for it. Returns whether there was.
    #[inline]
    pub(super) fn try_enter(&self) -> bool {
        if self.is_unlimited() {
            return true;
        }
        let mut waiting = self.waiting.load(Ordering::SeqCst);
        while waiting < self.limit {
            match self.waiting.compare_exchange_weak(waiting, waiting + 1, Ordering::SeqCst, Ordering::SeqCst)
            {
                Ok(_) => return true,
                Err(changed) => waiting = changed,
            }
        }
        false
    }

    /// Waits for room, and then counts one waiting item. Returns false if `gave_up` returns true before there is room.
    pub(super) fn enter(&self, gave_up: impl Fn() -> bool) -> bool {
        if self.try_enter() {
            return true;
        }
        self.producers.fetch_add(1, Ordering::SeqCst);
        let mut lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        let entered = loop {
            if gave_up() {
                break false;
            }
            if self.try_enter() {
                break true;
            }
            lock = self.changed.wait(lock).unwrap_or_else(PoisonError::into_inner);
        };
        drop(lock);
        self.producers.fetch_sub(1, Ordering::SeqCst);
        entered
    }

    /// Counts `items` more waiting items, which the queue accepts even without room. Items beyond the limit count as spilled.
    #[inline]
    pub(super) fn spill(&self, items: usize) {
        if self.is_unlimited() {
            return;
        }
        let after = self.waiting.fetch_add(items, Ordering::SeqCst) + items;
        let beyond = after.saturating_sub(self.limit).min(items);
        if beyond > 0 {
            self.spilled.fetch_add(beyond as u64, Ordering::Relaxed);
        }
    }

    /// Counts items that wait again after they had been taken. They never count as spilled.
    #[inline]
    pub(super) fn re_enter(&self, items: usize) {
        if !self.is_unlimited() && items > 0 {
            self.waiting.fetch_add(items, Ordering::SeqCst);
        }
    }

    /// Counts items that no longer wait, and wakes producers that wait for room.
    #[inline]
    pub(super) fn leave(&self, items: usize) {
        if self.is_unlimited() || items == 0 {
            return;
        }
        self.waiting.fetch_sub(items, Ordering::SeqCst);
        if self.producers.load(Ordering::SeqCst) > 0 {
            self.tell_producers();
        }
    }

    /// Wakes producers that wait for room, to look again.
    #[cold]
    pub(super) fn tell_producers(&self) {
        // A producer that has tried in vain is inside `wait` by the time the lock is free.
        drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    pub(super) fn spilled(&self) -> u64 {
        self.spilled.load(Ordering::Relaxed)
    }
}
