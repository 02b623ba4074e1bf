//! How one processor sends: the lanes out of its node, and what it counts of its own sends.
//!
//! Only the processor touches the counts. This module must never know what a message is for.

use std::cell::Cell;
use std::sync::Arc;

use tempest::NodeId;

use crate::link::lane::Lane;

/// One in so many sends of threads is timed: two looks at the clock cost as much as a send.
pub(crate) const SAMPLE: u32 = 64;

/// How one processor sends.
pub(crate) struct Sending {
    /// Those out of its node.
    lanes: Arc<[Lane]>,
    /// Sends in a row that found no room, with nothing served or moved on in between.
    attempts: Cell<u32>,
    /// Sends of threads, for sampling.
    sends: Cell<u32>,
    /// Words that the handler which runs has left in outboxes.
    outboxed: Cell<u64>,
}

impl Sending {
    /// Over these lanes, in order of their destination.
    pub(crate) fn over(lanes: Arc<[Lane]>) -> Self {
        Self { lanes, attempts: Cell::new(0), sends: Cell::new(0), outboxed: Cell::new(0) }
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

    /// Counts a send of a thread; whether it is to be timed, one in [`SAMPLE`].
    #[inline]
    pub(crate) fn is_sampled(&self) -> bool {
        let sends = self.sends.get().wrapping_add(1);
        self.sends.set(sends);
        sends.is_multiple_of(SAMPLE)
    }

    /// There was room, or something was served or moved on.
    #[inline]
    pub(crate) fn note_room(&self) {
        self.attempts.set(0);
    }

    /// A send found no room, and nothing was served or moved on; how often in a row.
    pub(crate) fn note_attempt(&self) -> u32 {
        let attempts = self.attempts.get().saturating_add(1);
        self.attempts.set(attempts);
        attempts
    }

    /// The handler that runs has left so many words more in outboxes.
    pub(crate) fn note_outboxed(&self, words: u64) {
        self.outboxed.set(self.outboxed.get() + words);
    }

    /// Words that the handler which runs has left in outboxes.
    #[inline]
    pub(crate) fn outboxed(&self) -> u64 {
        self.outboxed.get()
    }

    /// Words that the handler which has run left in outboxes. Those of the next are counted from here.
    pub(crate) fn take_outboxed(&self) -> u64 {
        self.outboxed.take()
    }
}
