//! When a dispatch queue is worth a search: a count of the changes by which an event may have become dispatchable, and what a
//! processor remembers of its last search in vain.
//!
//! # Why no event is left
//!
//! Whoever changes the queue counts that afterwards, and then wakes servers that sleep (`berth`). A processor reads the count
//! before it searches, and does not sleep while it has another value than before a search in vain. So what that search could not
//! see has been counted since, or will be by somebody who finds out whether the processor sleeps.
//!
//! This module must never know what is in the queue. It names no atomic but those of `sync`, so that the models run it as it is.

use std::cell::Cell;

use crate::apart::Apart;
use crate::sync::{Ordering, mutated};

/// Looks at a queue that has not changed between two searches: a few microseconds, in which a processor that has
/// nothing else to do keeps out of the way of one that serves, and a fraction of the time for which it looks before
/// it sleeps.
const LOOKS: u32 = 64;

/// Such searches until somebody says that something has changed: time enough for a claim to have taken too long.
const TRIES: u32 = 4;

/// How often a queue has changed.
#[derive(Default)]
pub(crate) struct Changes(Apart);

impl Changes {
    /// Something has been appended, or a key released that something waits for.
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

/// A processor's last search in vain.
#[derive(Default)]
pub(crate) struct Search {
    /// Changes before it.
    seen: Cell<u64>,
    /// Searches in vain since the last change.
    tries: Cell<u32>,
    /// Looks since the last of them.
    looks: Cell<u32>,
}

impl Search {
    /// Counts a look; whether the queue is to be searched: it has changed since it was searched in vain, or it is time again.
    #[inline]
    pub(crate) fn is_due(&self, changes: &Changes) -> bool {
        changes.count() != self.seen.get() || self.is_time_again()
    }

    /// Counts a look; whether there is to be a search for it although nothing has changed. Until there has been one the answer
    /// stays the same.
    #[inline]
    fn is_time_again(&self) -> bool {
        let looks = (self.looks.get() + 1).min(LOOKS);
        self.looks.set(looks);
        looks == LOOKS && self.tries.get() < TRIES
    }

    /// There is to be a search at the next look.
    pub(crate) fn is_due_next(&self) {
        self.looks.set(LOOKS);
        self.tries.set(0);
    }

    /// Searches: returns how much `search` has found, and remembers if that is nothing.
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
