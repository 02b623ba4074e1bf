//! A bounded ring of messages between one producer and one consumer.
//!
//! # Lines and halves
//!
//! The ring is made of cache lines of eight words. Line `i % N` carries line number `i`. Its word 0 is a *head*: the
//! *stamp*, which is the low 32 bits of `i + 1`, then handler id, length and origin. A message takes
//!
//! | words | room | where |
//! |---|---|---|
//! | up to 3 | half a line | words 1…3 behind head 0, or words 5…7 behind head 4 |
//! | up to 7 | a line | words 1…7 |
//! | up to 14 | two lines | words 1…7 of both, each with a head |
//!
//! Cache lines are the unit of transfer between cores, so two short messages in one line halve the cost of a stream. The first message of
//! a line decides, by the bit `HALF`, whether the line is in halves. If a message does not fit into the next half, that half is left empty: its
//! head has the stamp but not `HALF`.
//!
//! # Protocol
//!
//! | end | writes | order |
//! |---|---|---|
//! | producer | for a message in a first half: head 4, an older stamp | relaxed |
//! | producer | the words of a message, then the head of its second line if it has one | relaxed |
//! | producer | the message's head, last | release |
//! | consumer | nothing in a line, ever | – |
//! | consumer | `taken`, the number of lines that it has finished, on a line of its own | release |
//!
//! The consumer waits for a message by loading the head at its place, with acquire, until it has the line's stamp. Then all words that the
//! producer stored for this message are visible, and none of them changes before the consumer has released the line: the producer writes
//! line `i + N` only after it has read `taken > i` with acquire, and the consumer's loads come before its release of `taken`.
//!
//! Before the message arrives its head never has its stamp. Head 0 has the stamp of line `i - N`, even before the ring's first lap; it
//! differs in its low 32 bits because N is less than 2³¹. Head 4 may hold any value, such as a word of a longer message; but the consumer
//! looks there only after it has seen, by acquire, a short message in the first half, and before that the producer has stored an older
//! stamp there.
//!
//! A second line has a head because of [`is_ready`](Consumer::is_ready): its caller may look at any head 0 from which a message was once
//! taken.
//!
//! `taken` is published every `LINES_PER_RETURN` lines, or every quarter of a small ring, and whenever the consumer finds the ring empty:
//! its cache line seldom moves, and a waiting producer is never left waiting. A half is left empty only when there is room for the message
//! behind it, and there always is in the end: a consumer that has taken all messages out holds no more than the line whose second half is
//! next, and a ring has at least four.
//!
//! # The right to push and to drain
//!
//! Each end keeps its own place, counted in halves, in a line that the other end never reads. The ends may pass from one processor of a
//! node to another, but only in happens-before order: a processor that pushes holds the lane's turn, and a processor that drains has the
//! node's receive lock. So a place is loaded and stored, relaxed, without a locked instruction. (Breaking this would lose messages,
//! not memory safety.) Only [`is_ready`](Consumer::is_ready) may be called by any processor.

use crate::rings::channel::Channel;
use crate::rings::consumer::Consumer;
use crate::rings::message::{LINES_OF_A_MESSAGE, stamp};
use crate::rings::producer::Producer;
use crate::sync::Ordering;

/// Both ends of a ring.
pub(crate) struct Ring {
    pub(crate) producer: Producer,
    pub(crate) consumer: Consumer,
}

impl Ring {
    /// An empty ring with room for `slots` messages of any length.
    pub(crate) fn new(slots: usize) -> Self {
        Self::starting_at(0, slots)
    }

    /// An empty ring whose next line is number `line`.
    pub(crate) fn starting_at(line: u64, slots: usize) -> Self {
        let channel = Channel::new(lines(slots));
        prepare(&channel, line);
        Self { producer: Producer::new(channel.clone(), line), consumer: Consumer::new(channel, line) }
    }
}

/// Number of lines of a ring with room for `slots` messages of any length.
pub(crate) fn lines(slots: usize) -> usize {
    assert!(slots.is_power_of_two(), "a ring of {slots} slots: expected a power of two");
    (LINES_OF_A_MESSAGE * slots).max(4)
}

/// Makes new lines an empty ring whose next line is number `line`, before either end accesses them.
pub(crate) fn prepare(channel: &Channel, line: u64) {
    channel.publish_taken(line);
    let lines = channel.lines() as u64;
    for number in line..line + lines {
        let unused = stamp(number.wrapping_sub(lines));
        channel.line(number)[0].store(unused.into(), Ordering::Relaxed);
    }
}

#[cfg(test)]
impl Ring {
    /// Stores a head of line 0 that no producer makes: of a message of `length` words, in a half line or not.
    pub(crate) fn forge(&self, length: u64, half: bool) {
        let half = if half { crate::rings::message::HALF } else { 0 };
        let head = u64::from(stamp(0)) | length << 48 | half;
        self.producer.channel().line(0)[0].store(head, Ordering::Relaxed);
    }
}
