//! A processor's state for the dispatch queue of its node, from one service to the next.
//!
//! Only the processor accesses it. This module must never know messages, or the way handlers are run.

use std::cell::Cell;

use pdq::Paused;
use tempest::world::Name;

use crate::parts::changes::{Changes, Search};
use crate::parts::dispatcher::Event;
use crate::parts::receive_lock::{Offer, Watch};
use crate::parts::tuning::{BRIEF_NS, FEWEST_HANDLERS, HOLDS_PER_TIMED};

/// A handler that keeps the receive lock from others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Late {
    /// The receive lock is offered while the handler runs.
    Offered(Offer),
    /// The whole queue is seized while the handler runs.
    Seized(u64),
}

/// A processor's state for its node's dispatch queue.
pub(crate) struct QueueState {
    worker: Cell<Option<Paused<Event, Name>>>,
    /// Whether the last timed hold of a thread was brief; and the number of holds.
    holds_brief: Cell<bool>,
    holds: Cell<u32>,
    search: Search,
    /// The handler that keeps the receive lock from this processor, and since when.
    watch: Watch<Late>,
    /// Refusals of the receive lock since the holder was looked at.
    refusals: Cell<u32>,
}

impl Default for QueueState {
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

impl QueueState {
    /// Counts a refusal of the receive lock. Returns true once in `once_in` refusals, when the holder has to be looked at.
    #[inline]
    pub(crate) fn counts_refusal(&self, once_in: u32) -> bool {
        let refusals = self.refusals.get() + 1;
        let is_time = refusals >= once_in;
        self.refusals.set(if is_time { 0 } else { refusals });
        is_time
    }

    /// Counts a look. Returns whether the queue has to be searched: it has changed since the last fruitless search, or a repetition is due.
    #[inline]
    pub(crate) fn is_search_due(&self, changes: &Changes) -> bool {
        self.search.is_due(changes)
    }

    /// Makes a search due at the next look.
    pub(crate) fn search_next(&self) {
        self.search.is_due_next();
    }

    /// Calls `search` and returns its number of events. Remembers the search if that is 0.
    #[inline]
    pub(crate) fn search(&self, changes: &Changes, search: impl FnOnce() -> usize) -> usize {
        self.search.search(changes, search)
    }

    /// Whether a handler has been watched for longer than `patience_ns`. To be called repeatedly, with the time.
    pub(crate) fn is_late(&self, handler: Late, now_ns: u64, patience_ns: u64) -> bool {
        self.watch.is_late(handler, now_ns, patience_ns)
    }

    /// Takes the paused worker of the dispatch queue; `None` at first.
    pub(crate) fn take_worker(&self) -> Option<Paused<Event, Name>> {
        self.worker.take()
    }

    /// Keeps the paused worker until the next service.
    pub(crate) fn keep_worker(&self, worker: Paused<Event, Name>) {
        self.worker.set(Some(worker));
    }

    /// Counts a hold of a thread. Returns whether it has to be timed.
    #[inline]
    pub(crate) fn begins_hold(&self) -> bool {
        let holds = self.holds.get();
        self.holds.set(holds.wrapping_add(1));
        holds.is_multiple_of(HOLDS_PER_TIMED)
    }

    /// Records the time of a hold.
    pub(crate) fn note_hold(&self, took_ns: u64) {
        self.holds_brief.set(took_ns < FEWEST_HANDLERS * BRIEF_NS);
    }

    /// Whether recent holds of threads were brief.
    #[inline]
    pub(crate) fn holds_are_brief(&self) -> bool {
        self.holds_brief.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parts::tuning::{LOOKS_PER_SEARCH, SEARCHES};

    #[test]
    fn the_holder_is_looked_at_once_in_a_number_of_refusals() {
        let state = QueueState::default();
        let looks = (0..12).filter(|_| state.counts_refusal(4)).count();
        assert_eq!(looks, 3);
        assert!(state.counts_refusal(1), "each refusal is one of one");
    }

    #[test]
    fn holds_are_brief_until_a_timed_one_was_long() {
        let state = QueueState::default();
        assert!(state.begins_hold() && !state.begins_hold(), "the first hold is timed, and the next is not");
        assert!(state.holds_are_brief());
        state.note_hold(FEWEST_HANDLERS * BRIEF_NS);
        assert!(!state.holds_are_brief());
        state.note_hold(FEWEST_HANDLERS * BRIEF_NS - 1);
        assert!(state.holds_are_brief());
    }

    #[test]
    fn an_unchanged_queue_is_searched_a_few_times_and_a_changed_one_at_once() {
        let (state, changes) = (QueueState::default(), Changes::default());
        let searches = || {
            let due = (0..100 * LOOKS_PER_SEARCH).filter(|_| state.is_search_due(&changes));
            due.inspect(|_| assert_eq!(state.search(&changes, || 0), 0)).count() as u32
        };
        assert_eq!((searches(), searches()), (SEARCHES, 0));
        changes.note();
        assert!(state.is_search_due(&changes));
        // The search that the change causes, and its repetitions.
        assert_eq!(searches(), 1 + SEARCHES);
        state.search_next();
        assert!(state.is_search_due(&changes));
    }

    #[test]
    fn a_search_that_found_an_event_is_made_again() {
        let (state, changes) = (QueueState::default(), Changes::default());
        changes.note();
        assert_eq!(state.search(&changes, || 2), 2);
        assert!(state.is_search_due(&changes));
    }
}
