//! Streams: how a receiver detects that more messages follow, and how long it holds back then.
//!
//! A receiver that is faster than a stream's sender reads each cache line as soon as it is written, and takes it away while the sender
//! writes the other half, or the next line: every message then costs two moves between cores. So a processor without other work, whose
//! last message belongs to a stream, pauses before it looks again: twice as long as the last time if that look found few messages, half
//! as long if it found many. No message is delayed for a later one, and a single message causes no pause: a message belongs to a stream
//! only if its sender sent it without a pause behind another message of the same lane.
//!
//! This module must never know the purpose of a message.

use std::cell::Cell;

use crate::parts::tuning::{LONGEST_PAUSE, STREAM_BATCH};

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
