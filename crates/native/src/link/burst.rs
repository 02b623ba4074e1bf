//! Streams: how a receiver comes to know that more is coming, and how long it holds back then.
//!
//! A receiver that is faster than a stream's sender looks at each line as soon as it is written, and takes it away while the
//! sender writes the other half, or the next: every message then costs the way between two cores, twice. So a processor
//! with nothing else to do, whose last message belongs to a stream, lets a moment pass before it looks again: twice as long
//! as the last time where that brought few messages, half as long where it brought many. A message is never delayed by what
//! comes after it, and one that comes alone delays nobody: only what the sender sent without pause behind another message
//! of the same lane says that it belongs to a stream.
//!
//! This module must never know what a message is for.

use std::cell::Cell;

/// So many messages are worth the way of their lines.
const MANY: usize = 32;

/// The most pauses of the core between two looks.
const LONGEST: u32 = 16;

/// What a processor sends and receives in a stream.
pub(crate) struct Bursts {
    /// Which stretch of work it is at: between two of them it has looked for messages, or another thread has run.
    stretch: Cell<u64>,
    /// The message received last belongs to a stream.
    more: Cell<bool>,
    pauses: Cell<u32>,
}

impl Bursts {
    /// Of processor `index`.
    pub(crate) fn new(index: usize) -> Self {
        // Never that of another processor, as far as anybody counts.
        Self { stretch: Cell::new((index as u64 + 1) << 48), more: Cell::new(false), pauses: Cell::new(1) }
    }

    /// What is sent from now on does not follow what was sent before.
    #[inline]
    pub(crate) fn begin(&self) {
        self.stretch.set(self.stretch.get() + 1);
    }

    /// Which stretch of work of which processor it is.
    #[inline]
    pub(crate) fn stretch(&self) -> u64 {
        self.stretch.get()
    }

    /// Pauses of the core for which the receiver lets more of a stream come before its next look, where that is worth it; else
    /// none. Asked once for each look.
    pub(crate) fn take_pauses(&self) -> u32 {
        if self.more.take() { self.pauses.get() } else { 0 }
    }

    /// So many messages of a lane have been received at a time; `more` says whether the last belongs to a stream.
    #[inline]
    pub(crate) fn note(&self, messages: usize, more: bool) {
        self.more.set(more);
        if more {
            let pauses = self.pauses.get();
            self.pauses.set(if messages < MANY { (pauses * 2).clamp(1, LONGEST) } else { pauses / 2 });
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
