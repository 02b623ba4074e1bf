//! A processor's sending state: the lanes out of its node, counts of its own sends, and its streams.
//!
//! # Streams
//!
//! A receiver that is faster than a stream's sender reads each cache line as soon as it is written, and takes it away while the sender
//! writes the other half, or the next line: every message then costs two moves between cores. So a processor without other work, whose
//! last message belongs to a stream, pauses before it looks again: twice as long as the last time if that look found few messages, half
//! as long if it found many. No message is delayed for a later one, and a single message causes no pause: a message belongs to a stream
//! only if its sender sent it without a pause behind another message of the same lane.
//!
//! Only the processor accesses the counts. This module must never know the purpose of a message.

use std::cell::Cell;
use std::sync::Arc;

use tempest::NodeId;

use crate::parts::tuning::{LONGEST_PAUSE, SENDS_PER_TIMED, STREAM_BATCH};
use crate::rings::sender::Sender;

/// A processor's sending state.
pub(crate) struct Sending {
    /// The lanes out of its node.
    lanes: Arc<[Sender]>,
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
    pub(crate) fn new(lanes: Arc<[Sender]>, index: usize) -> Self {
        let (attempts, sends, outboxed) = (Cell::new(0), Cell::new(0), Cell::new(0));
        Self { lanes, attempts, sends, outboxed, bursts: Bursts::new(index) }
    }

    /// The lane to a node.
    #[inline]
    pub(crate) fn lane(&self, to: NodeId) -> &Sender {
        &self.lanes[to.0 as usize]
    }

    /// All lanes, with their destinations.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = (&Sender, NodeId)> {
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

/// A processor's streams, sent and received.
pub(crate) struct Bursts {
    /// Number of the present stretch of work. A stretch ends when the processor looks for messages or another thread runs.
    stretch: Cell<u64>,
    /// Whether the last received message belongs to a stream.
    more: Cell<bool>,
    pauses: Cell<u32>,
}

impl Bursts {
    /// The state of processor `index`.
    pub(crate) fn new(index: usize) -> Self {
        // Stretches of different processors never have the same number, up to 2^48 stretches each.
        Self { stretch: Cell::new((index as u64 + 1) << 48), more: Cell::new(false), pauses: Cell::new(1) }
    }

    /// Begins a stretch of work: later messages do not follow earlier ones.
    #[inline]
    pub(crate) fn begin(&self) {
        self.stretch.set(self.stretch.get() + 1);
    }

    /// Number of the present stretch of work, unique among all processors.
    #[inline]
    pub(crate) fn stretch(&self) -> u64 {
        self.stretch.get()
    }

    /// Number of spin-loop pauses before the next look, to let more of a stream arrive; 0 outside a stream. Called once per look.
    pub(crate) fn take_pauses(&self) -> u32 {
        if self.more.take() { self.pauses.get() } else { 0 }
    }

    /// Records that `messages` messages of a lane have been received at once, and whether the last belongs to a stream.
    #[inline]
    pub(crate) fn note(&self, messages: usize, more: bool) {
        self.more.set(more);
        if more {
            let pauses = self.pauses.get();
            self.pauses.set(if messages < STREAM_BATCH {
                (pauses * 2).clamp(1, LONGEST_PAUSE)
            } else {
                pauses / 2
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rings::bounds::{Bounds, Depths};
    use crate::rings::lane::Lane;

    /// The state of a processor of the first of two nodes.
    fn sending() -> Sending {
        let bounds = Bounds::new(Depths { slots: 8, ..Depths::default() }, 2, 1);
        Sending::new([(); 2].map(|()| Lane::new(8, &bounds, false).sender).into(), 0)
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

    #[test]
    fn few_messages_of_a_stream_double_the_pause_and_many_halve_it() {
        let bursts = Bursts::new(0);
        let after = |messages, more| {
            bursts.note(messages, more);
            (bursts.more.get(), bursts.pauses.get())
        };
        assert_eq!(after(1, false), (false, 1));
        assert_eq!(after(1, true), (true, 2));
        assert_eq!([after(8, true).1, after(8, true).1, after(8, true).1, after(8, true).1], [4, 8, 16, 16]);
        assert_eq!([after(32, true).1, after(100, true).1], [8, 4]);
        assert_eq!(after(1, false), (false, 4));
    }
}
