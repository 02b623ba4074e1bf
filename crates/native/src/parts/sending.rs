//! A processor's sending state: the lanes out of its node, and counts of its own sends.
//!
//! Only the processor accesses the counts. This module must never know the purpose of a message.

use std::cell::Cell;
use std::sync::Arc;

use tempest::NodeId;

use crate::parts::burst::Bursts;
use crate::parts::tuning::SENDS_PER_TIMED;
use crate::rings::lane::Lane;

/// A processor's sending state.
pub(crate) struct Sending {
    /// The lanes out of its node.
    lanes: Arc<[Lane]>,
    /// Consecutive sends that found no room while no event was served and no message moved on.
    attempts: Cell<u32>,
    /// Number of sends of threads, for sampling.
    sends: Cell<u32>,
    /// Words that the running handler has left in outboxes.
    outboxed: Cell<u64>,
    /// Streams that it sends and receives.
    pub(crate) bursts: Bursts,
}

impl Sending {
    /// The state of processor `index`, with the lanes out of its node in order of their destination.
    pub(crate) fn new(lanes: Arc<[Lane]>, index: usize) -> Self {
        let (attempts, sends, outboxed) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Self { lanes, attempts, sends, outboxed, bursts: Bursts::new(index) }
    }

    /// The lane to a node.
    #[inline]
    pub(crate) fn lane(&self, to: NodeId) -> &Lane {
        &self.lanes[to.0 as usize]
    }

    /// All lanes, with their destinations.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (&Lane, NodeId)> {
        self.lanes.iter().zip((0..).map(NodeId))
    }

    /// Counts a send of a thread. Returns whether it has to be timed; true once per [`SENDS_PER_TIMED`] sends.
    #[inline]
    pub(crate) fn is_sampled(&self) -> bool {
        let sends = self.sends.get().wrapping_add(1);
        self.sends.set(sends);
        sends.is_multiple_of(SENDS_PER_TIMED)
    }

    /// Resets the count of attempts: there was room, or progress.
    #[inline]
    pub(crate) fn note_room(&self) {
        self.attempts.set(0);
    }

    /// Counts a send that found neither room nor progress. Returns the number of such sends in a row.
    pub(crate) fn note_attempt(&self) -> u32 {
        let attempts = self.attempts.get().saturating_add(1);
        self.attempts.set(attempts);
        attempts
    }

    /// Adds words that the running handler has left in outboxes.
    pub(crate) fn note_outboxed(&self, words: u64) {
        self.outboxed.set(self.outboxed.get() + words);
    }

    /// Words that the running handler has left in outboxes.
    #[inline]
    pub(crate) fn outboxed(&self) -> u64 {
        self.outboxed.get()
    }

    /// Returns and clears the words that the last handler has left in outboxes.
    pub(crate) fn take_outboxed(&self) -> u64 {
        self.outboxed.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rings::lane::{Bounds, Depths};

    /// The state of a processor of the first of two nodes.
    fn sending() -> Sending {
        let bounds = Bounds::new(Depths { slots: 8, ..Depths::default() }, 2, 1);
        Sending::new([(); 2].map(|()| Lane::new(8, &bounds, false)).into(), 0)
    }

    #[test]
    fn lanes_stand_in_the_order_of_their_destination() {
        let sending = sending();
        for (lane, to) in sending.lanes() {
            assert!(std::ptr::eq(lane, sending.lane(to)), "{to}");
        }
        assert_eq!(sending.lanes().count(), 2);
    }

    #[test]
    fn one_send_of_sixty_four_is_timed() {
        let sending = sending();
        let timed: Vec<u32> = (1..=2 * SENDS_PER_TIMED).filter(|_| sending.is_sampled()).collect();
        assert_eq!(timed, [SENDS_PER_TIMED, 2 * SENDS_PER_TIMED]);
    }

    #[test]
    fn attempts_are_counted_from_the_last_room() {
        let sending = sending();
        assert_eq!([sending.note_attempt(), sending.note_attempt()], [1, 2]);
        sending.note_room();
        assert_eq!(sending.note_attempt(), 1);
    }

    #[test]
    fn words_in_outboxes_are_those_of_one_handler() {
        let sending = sending();
        sending.note_outboxed(3);
        sending.note_outboxed(4);
        assert_eq!((sending.outboxed(), sending.take_outboxed(), sending.outboxed()), (7, 7, 0));
    }
}
