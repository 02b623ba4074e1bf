//! Change detection of a dispatch queue: a count of the changes by which an event may have become dispatchable, and a processor's memory
//! of its last fruitless search.
//!
//! # No event is missed
//!
//! A processor that changes the queue counts the change afterwards, and then wakes sleeping servers (`parker`). A server reads the count
//! before it searches, and does not sleep while the count differs from its value before the last fruitless search. So a change that the
//! search could not see has been counted since, or will be by a processor that then tests whether the server sleeps.
//!
//! This module must never know the content of the queue. It uses only the atomics of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::padding::PaddedCounter;
use crate::parts::tuning::{LOOKS_PER_SEARCH, SEARCHES};
use crate::sync::{Ordering, mutated};

/// Counts the changes of a queue.
#[derive(Default)]
pub(crate) struct Changes(PaddedCounter);

impl Changes {
    /// Counts a change: an event has been appended, or a key released for which an event waits.
    pub(crate) fn note(&self) {
        if !mutated!("change-unnoted") {
            self.0.0.fetch_add(1, Ordering::Release);
        }
    }

    #[inline]
    fn count(&self) -> u64 {
        self.0.0.load(Ordering::Acquire)
    }
}

/// A processor's last fruitless search.
#[derive(Default)]
pub(crate) struct Search {
    /// Count of changes before it.
    seen: Cell<u64>,
    /// Fruitless searches since the last change.
    tries: Cell<u32>,
    /// Looks since the last search.
    looks: Cell<u32>,
}

impl Search {
    /// Counts a look. Returns whether the queue has to be searched: it has changed since the last fruitless search, or a repetition is due.
    #[inline]
    pub(crate) fn is_due(&self, changes: &Changes) -> bool {
        changes.count() != self.seen.get() || self.is_time_again()
    }

    /// Counts a look. Returns whether an unchanged queue has to be searched again. The answer stays the same until a search is made.
    #[inline]
    fn is_time_again(&self) -> bool {
        let looks = (self.looks.get() + 1).min(LOOKS_PER_SEARCH);
        self.looks.set(looks);
        looks == LOOKS_PER_SEARCH && self.tries.get() < SEARCHES
    }

    /// Makes a search due at the next look.
    pub(crate) fn is_due_next(&self) {
        self.looks.set(LOOKS_PER_SEARCH);
        self.tries.set(0);
    }

    /// Calls `search` and returns its number of events. Remembers the search if that is 0.
    #[inline]
    pub(crate) fn search(&self, changes: &Changes, search: impl FnOnce() -> usize) -> usize {
        let before = changes.count();
        let found = search();
        if found == 0 {
            let seen = if mutated!("counted-after-the-search") { changes.count() } else { before };
            self.note_vain(seen);
        }
        found
    }

    fn note_vain(&self, seen: u64) {
        let again = self.seen.replace(seen) == seen;
        self.tries.set(if again { self.tries.get() + 1 } else { 0 });
        self.looks.set(0);
    }
}
