//! A processor's part in the dispatch queue of its node, from one service to the next.
//!
//! Only the processor touches it. This module must never know messages, or how handlers are run.

use std::cell::Cell;

use pdq::Paused;
use tempest::world::Name;

use crate::dispatch::changes::{Changes, Search};
use crate::dispatch::dispatcher::Event;
use crate::dispatch::right::{Offer, Watch};

/// A handler that takes no longer, in nanoseconds, is not worth the way to another processor: some lines of the queue that move
/// between two caches.
pub(crate) const BRIEF_NS: u64 = 500;

/// Whether handlers are brief is told by so many, or more: the first of a batch waits for the lines that all of them need.
pub(crate) const FEW: u64 = 8;

/// One in so many holds of threads is timed: two looks at the clock cost as much as a hold.
const SAMPLE: u32 = 16;

/// A handler for which the right to receive is not to be had.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// Beside it the right is offered.
    Offered(Offer),
    /// Beside it the whole queue is seized.
    Seized(u64),
}

/// A processor's part in its node's dispatch queue.
pub(crate) struct Duty {
    worker: Cell<Option<Paused<Event, Name>>>,
    /// Whether the last hold of a thread that was timed was brief, and how many there have been.
    holds_brief: Cell<bool>,
    holds: Cell<u32>,
    search: Search,
    /// The handler for which the right to receive is not to be had.
    watch: Watch<Late>,
    /// Times that it was not to be had since that was looked at.
    refusals: Cell<u32>,
}

impl Default for Duty {
    fn default() -> Self {
        Self {
            worker: Cell::default(),
            holds_brief: Cell::new(true),
            holds: Cell::new(0),
            search: Search::default(),
            watch: Watch::default(),
            refusals: Cell::new(0),
        }
    }
}

impl Duty {
    /// Counts a refusal of the right to receive; whether it is time to look why, once in so many.
    #[inline]
    pub(crate) fn counts_refusal(&self, once_in: u32) -> bool {
        let refusals = self.refusals.get() + 1;
        let is_time = refusals >= once_in;
        self.refusals.set(if is_time { 0 } else { refusals });
        is_time
    }

    /// Counts a look; whether the queue is to be searched: it has changed since it was searched in vain, or it is time again.
    #[inline]
    pub(crate) fn is_search_due(&self, changes: &Changes) -> bool {
        self.search.is_due(changes)
    }

    /// There is to be a search at the next look.
    pub(crate) fn search_next(&self) {
        self.search.is_due_next();
    }

    /// Searches: returns how much `search` has found, and remembers if that is nothing.
    #[inline]
    pub(crate) fn search(&self, changes: &Changes, search: impl FnOnce() -> usize) -> usize {
        self.search.search(changes, search)
    }

    /// Whether a handler has been watched for longer than `patience_ns`. Asked again and again, with the time.
    pub(crate) fn is_late(&self, handler: Late, now_ns: u64, patience_ns: u64) -> bool {
        self.watch.is_late(handler, now_ns, patience_ns)
    }

    /// The worker of the dispatch queue, as it was paused last; none at first.
    pub(crate) fn take_worker(&self) -> Option<Paused<Event, Name>> {
        self.worker.take()
    }

    /// The worker is paused until the next service.
    pub(crate) fn keep_worker(&self, worker: Paused<Event, Name>) {
        self.worker.set(Some(worker));
    }

    /// Counts a hold of a thread; whether it is to be timed.
    #[inline]
    pub(crate) fn begins_hold(&self) -> bool {
        let holds = self.holds.get();
        self.holds.set(holds.wrapping_add(1));
        holds.is_multiple_of(SAMPLE)
    }

    /// A hold took so long.
    pub(crate) fn note_hold(&self, took_ns: u64) {
        self.holds_brief.set(took_ns < FEW * BRIEF_NS);
    }

    /// Whether holds of threads have been brief of late.
    #[inline]
    pub(crate) fn holds_are_brief(&self) -> bool {
        self.holds_brief.get()
    }
}
