//! The receiving end of a ring: its place, and the looks at the lines.
//!
//! `ring` has the format and the protocol. This module must never know credits, nodes or processors; it uses only the atomics of `sync`,
//! so that the models run it as it is.

use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::rings::channel::Channel;
use crate::rings::message::{
    BadLine, Drained, HALF, HALF_WORDS, LINE_WORDS, Origin, Received, cleared, is_second, line_of, origin_of,
    stamp,
};
use crate::rings::tuning::{HALVES_AHEAD, LINES_PER_RETURN};
use crate::sync::{AtomicU64, Ordering, mutated};

/// The receiving end of a ring. Only the processor with the right to drain changes it.
#[repr(align(128))]
pub(crate) struct Consumer {
    channel: Channel,
    /// The place of the next message, in halves.
    next: AtomicU64,
    /// The number of taken lines that it last published.
    published: AtomicU64,
    /// The place up to which it has looked ahead.
    ahead: AtomicU64,
    /// Maximum number of lines that it finishes before it publishes them.
    return_after: u64,
}

/// The result of one look at a place of the ring.
enum Look {
    /// No message yet, and the head at the place.
    Nothing(u64),
    /// A message, its head, and the place behind it.
    Message(Result<(), BadLine>, u64, u64),
    /// An empty half: the message is in the next line.
    Further,
}

impl Consumer {
    /// The receiving end of an empty ring whose next line is number `line`.
    pub(crate) fn new(channel: Channel, line: u64) -> Self {
        let return_after = (channel.lines() as u64 / 4).clamp(1, LINES_PER_RETURN);
        let (next, published, ahead) = (AtomicU64::new(2 * line), AtomicU64::new(line), AtomicU64::new(0));
        Self { channel, next, published, ahead, return_after }
    }

    /// The words that both ends access.
    #[inline]
    pub(crate) fn channel(&self) -> &Channel {
        &self.channel
    }

    /// Takes up to `limit` messages from `source` out. Fills `message` with each and calls `each`, which returns whether to go on. While
    /// `each` runs, all messages taken out are accounted for: another processor may drain then, if `each` returns false.
    ///
    /// A message that no sender makes is an error passed to `each`, and a line that no sender makes is part of the result: nothing received
    /// is trusted.
    #[inline]
    pub(crate) fn drain(
        &self,
        limit: usize,
        source: NodeId,
        message: &mut Received,
        mut each: impl FnMut(&mut Received, Result<(), BadLine>) -> bool,
    ) -> Drained {
        let mut next = self.next.load(Ordering::Relaxed);
        let mut published = self.published.load(Ordering::Relaxed);
        let (mut messages, mut last) = (0, 0);
        let (mut least, mut bad) = (self.return_after, None);
        while messages < limit {
            match self.look(next, source, message) {
                Look::Nothing(head) => {
                    least = 1;
                    // No call of `each` here: a second one would keep the first from being inlined.
                    bad = (!self.may_precede(next, head)).then_some(BadLine::Head(head));
                    break;
                }
                Look::Further => next += 1,
                Look::Message(is_good, head, behind) => {
                    next = behind;
                    messages += 1;
                    last = head;
                    // Before its handler, which may be told by `is_ready` that no message waits.
                    self.next.store(next, Ordering::Relaxed);
                    if line_of(next) - published >= self.return_after {
                        published = self.publish(next);
                    }
                    if !each(message, is_good) {
                        // Another processor may be draining by now.
                        return Drained::ending(messages, last);
                    }
                }
            }
        }
        self.next.store(next, Ordering::Relaxed);
        if line_of(next) - published >= least {
            self.publish(next);
        }
        Drained { bad, ..Drained::ending(messages, last) }
    }

    /// Shows `soon` the messages that wait behind those taken out, several at a time: each once, and only a little before it is next. For
    /// the draining processor, between two messages.
    ///
    /// No line up to the look-ahead position has been released, so the messages stay as they are.
    #[inline]
    pub(crate) fn look_ahead(&self, source: NodeId, soon: impl FnMut(&Packet)) {
        let next = self.next.load(Ordering::Relaxed);
        let ahead = self.ahead.load(Ordering::Relaxed).max(next);
        if ahead < next + HALVES_AHEAD / 2 {
            self.look_further(next, ahead, source, soon);
        }
    }

    #[inline(never)]
    fn look_further(&self, next: u64, mut ahead: u64, source: NodeId, mut soon: impl FnMut(&Packet)) {
        let mut message = Received::blank();
        while ahead < next + HALVES_AHEAD {
            match self.look(ahead, source, &mut message) {
                Look::Nothing(_) => break,
                Look::Further => ahead += 1,
                Look::Message(is_good, _, behind) => {
                    ahead = behind;
                    if is_good.is_ok() && message.origin != Origin::Control {
                        soon(&message.packet);
                    }
                }
            }
        }
        self.ahead.store(ahead, Ordering::Relaxed);
    }

    #[inline]
    fn look(&self, next: u64, source: NodeId, message: &mut Received) -> Look {
        let number = line_of(next);
        let line = self.channel.line(number);
        let at = if is_second(next) { 4 } else { 0 };
        let order = if mutated!("head-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        let head = line[at].load(order);
        if head as u32 != stamp(number) {
            return Look::Nothing(head);
        }
        let length = (head >> 48) as usize & 0xf;
        let id = MessageId((head >> 32) as u16);
        let packet = &mut message.packet;
        let (fits, behind) = if head & HALF != 0 {
            let fits = packet.fill(id, source, length, |room| read(&mut room[..HALF_WORDS], &line[at + 1..]));
            (fits && length <= HALF_WORDS, next + 1)
        } else if is_second(next) {
            return Look::Further;
        } else if length <= LINE_WORDS {
            (packet.fill(id, source, length, |room| read(&mut room[..LINE_WORDS], &line[1..])), next + 2)
        } else {
            let second = self.channel.line(number + 1);
            let fits = packet.fill(id, source, length, |room| {
                read(&mut room[..LINE_WORDS], &line[1..]);
                read(&mut room[LINE_WORDS..], &second[1..]);
            });
            (fits, next + 4)
        };
        message.origin = origin_of(head);
        Look::Message(if fits { Ok(()) } else { Err(BadLine::Length(length)) }, head, behind)
    }

    /// Whether a sender may leave this head at a place before it sends the message there: the head of the lap before, or that of a second
    /// half without a message yet.
    #[inline]
    fn may_precede(&self, next: u64, head: u64) -> bool {
        let number = line_of(next);
        if is_second(next) {
            return head == cleared(number);
        }
        head as u32 == stamp(number.wrapping_sub(self.channel.lines() as u64))
    }

    /// Whether a message waits.
    ///
    /// Any processor may ask. The answer may be true for a little too long. It is false only if every message whose push the caller has
    /// seen, by any ordering, has been taken. If `next` is read late and its line has been used again since, the line's stamp is ahead of
    /// the expected one, and its head 4 is not the cleared value, unless a message contains a word forged to look like it.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        let next = self.next.load(Ordering::Relaxed);
        let number = line_of(next);
        let line = self.channel.line(number);
        if is_second(next) {
            return line[4].load(Ordering::Relaxed) != cleared(number);
        }
        let ahead = (line[0].load(Ordering::Relaxed) as u32).wrapping_sub(stamp(number));
        ahead as i32 >= 0
    }

    /// Publishes the progress up to the place `next` to the producer. Returns the number of its line.
    #[inline]
    fn publish(&self, next: u64) -> u64 {
        let taken = line_of(next);
        self.published.store(taken, Ordering::Relaxed);
        self.channel.publish_taken(taken);
        taken
    }
}

#[inline]
fn read(words: &mut [u64], places: &[AtomicU64]) {
    words.iter_mut().zip(places).for_each(|(word, place)| *word = place.load(Ordering::Relaxed));
}
