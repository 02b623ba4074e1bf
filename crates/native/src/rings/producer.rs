//! The sending end of a ring: its place, and the pushes of messages into the lines.
//!
//! `ring` has the format and the protocol. This module must never know credits, nodes or processors; it uses only the atomics of `sync`,
//! so that the models run it as it is.

use tempest::world::Packet;

use crate::rings::channel::Channel;
use crate::rings::message::{
    HALF, HALF_WORDS, LINE_WORDS, LINES_OF_A_MESSAGE, Sent, cleared, head, is_second, line_of, publish, stamp,
};
use crate::sync::{AtomicU64, Ordering, mutated};

/// The sending end of a ring. Only the processor with the right to push changes it.
#[repr(align(128))]
pub(crate) struct Producer {
    channel: Channel,
    /// The place of the next message, in halves.
    next: AtomicU64,
    /// The number of taken lines when last read.
    taken: AtomicU64,
    /// A number of taken lines that the consumer cannot have taken; [`NONE`] if it has stated none.
    refused: AtomicU64,
}

/// No refused number.
const NONE: u64 = u64::MAX;

impl Producer {
    /// The sending end of an empty ring whose next line is number `line`.
    pub(crate) fn new(channel: Channel, line: u64) -> Self {
        let [taken, refused] = [line, NONE].map(AtomicU64::new);
        Self { channel, next: AtomicU64::new(2 * line), taken, refused }
    }

    /// The words that both ends access.
    #[inline]
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Pushes a message. Returns false if there is no room.
    #[inline(always)]
    pub(crate) fn push(&self, packet: &Packet, sent: Sent) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        let words = packet.words().len();
        let pushed = if words <= HALF_WORDS {
            self.push_half(next, packet, sent)
        } else if words <= LINE_WORDS {
            self.push_lines::<1>(next, packet, sent)
        } else {
            self.push_lines::<LINES_OF_A_MESSAGE>(next, packet, sent)
        };
        if let Some(next) = pushed {
            self.next.store(next, Ordering::Relaxed);
        }
        pushed.is_some()
    }

    /// Pushes a short message into the next half. Returns the place behind it, or `None` if there is no room.
    #[inline(always)]
    fn push_half(&self, next: u64, packet: &Packet, sent: Sent) -> Option<u64> {
        let number = line_of(next);
        let line = self.channel.line(number);
        let head = head(number, packet, sent) | HALF;
        if is_second(next) {
            write(&line[5..], &packet.room()[..HALF_WORDS]);
            line[4].store(head, publish());
        } else {
            self.has_room_for(number).then_some(())?;
            if !mutated!("half-not-cleared") {
                line[4].store(cleared(number), Ordering::Relaxed);
            }
            write(&line[1..=HALF_WORDS], &packet.room()[..HALF_WORDS]);
            line[0].store(head, publish());
        }
        Some(next + 1)
    }

    /// Pushes a message into the next `LINES` lines. Returns the place behind it, or `None` if there is no room.
    #[inline]
    fn push_lines<const LINES: usize>(&self, next: u64, packet: &Packet, sent: Sent) -> Option<u64> {
        let first = line_of(next + 1);
        self.has_room_for(first + LINES as u64 - 1).then_some(())?;
        if is_second(next) {
            self.channel.line(first - 1)[4].store(stamp(first - 1).into(), Ordering::Release);
        }
        // The first line last: a consumer that sees its head sees all.
        for part in (0..LINES).rev() {
            let number = first + part as u64;
            let line = self.channel.line(number);
            write(&line[1..], &packet.room()[part * LINE_WORDS..][..LINE_WORDS]);
            let order = if part == 0 { publish() } else { Ordering::Relaxed };
            line[0].store(head(number, packet, sent), order);
        }
        Some(2 * (first + LINES as u64))
    }

    #[inline]
    fn has_room_for(&self, number: u64) -> bool {
        if mutated!("credit-ignored") {
            return true;
        }
        let lines = self.channel.lines() as u64;
        if number - self.taken.load(Ordering::Relaxed) < lines {
            return true;
        }
        let (last, taken) = (self.taken.load(Ordering::Relaxed), self.channel.taken());
        // Nothing received is trusted: the consumer takes no line back, and none that has not been written.
        if taken < last || taken > number {
            self.refused.store(taken.min(NONE - 1), Ordering::Relaxed);
            return false;
        }
        self.taken.store(taken, Ordering::Relaxed);
        number - taken < lines
    }

    /// A number of taken lines that the consumer has stated and cannot have taken. The ring has no room since.
    pub(crate) fn refused(&self) -> Option<u64> {
        Some(self.refused.load(Ordering::Relaxed)).filter(|refused| *refused != NONE)
    }
}

#[inline]
fn write(places: &[AtomicU64], words: &[u64]) {
    places.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
}
