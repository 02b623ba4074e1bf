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
//! a line decides, by [`HALF`], whether the line is in halves. If a message does not fit into the next half, that half is left empty: its
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
//! A second line has a head because of [`is_ready`](Ring::is_ready): its caller may look at any head 0 from which a message was once
//! taken.
//!
//! `taken` is published every [`LINES_PER_RETURN`] lines, or every quarter of a small ring, and whenever the consumer finds the ring empty:
//! its cache line seldom moves, and a waiting producer is never left waiting. A half is left empty only when there is room for the message
//! behind it, and there always is in the end: a consumer that has taken all messages out holds no more than the line whose second half is
//! next, and a ring has at least four.
//!
//! # The right to push and to drain
//!
//! Each end keeps its own place, counted in halves, in a line that the other end never reads. The ends may pass from one processor of a
//! node to another, but only in happens-before order: a processor that pushes holds the lane's turn, and a processor that drains has the
//! node's receive lock. So a place is loaded and stored, relaxed, without a locked instruction. (Breaking this would lose messages,
//! not memory safety.) Only [`is_ready`](Ring::is_ready) may be called by any processor.

use tempest::world::{MessageId, Packet};
use tempest::{MAX_WORDS, NodeId};

use crate::padding::{CachePadded, PaddedCounter};
use crate::rings::tuning::{HALVES_AHEAD, LINES_PER_RETURN};
use crate::sync::{AtomicU64, Ordering, mutated};

/// Maximum room of a message in a ring, in bytes.
pub(crate) const SLOT_BYTES: usize = LINES_OF_A_MESSAGE * size_of::<Line>();

/// Lines of the longest message.
const LINES_OF_A_MESSAGE: usize = 2;

/// Words of a message per line.
pub(crate) const LINE_WORDS: usize = 7;

/// Words of a message per half line.
const HALF_WORDS: usize = 3;

/// Bit of a head: there is a message in this half of the line.
const HALF: u64 = 1 << 54;

/// Bit of a head: the message belongs to a stream.
const FOLLOWS: u64 = 1 << 55;

/// A cache line.
#[derive(Default)]
#[repr(align(64))]
struct Line([AtomicU64; 1 + LINE_WORDS]);

/// The position of an end of the ring, in halves; and the number of taken lines that it last read or published.
#[derive(Default)]
#[repr(align(128))]
struct Place {
    next: AtomicU64,
    taken: AtomicU64,
    /// Consumer only: the position up to which it has looked ahead.
    ahead: AtomicU64,
}

/// A bounded ring of messages.
pub(crate) struct Ring {
    lines: Box<[Line]>,
    producer: Place,
    consumer: Place,
    taken: PaddedCounter,
    /// Maximum number of lines that the consumer finishes before it publishes them.
    return_after: u64,
}

/// The origin of a message. Messages of threads count against the credits of their lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Handler = 0,
    Thread = 1,
    /// A handler; the message ends with the words of a block of shared memory and the block's number.
    WithBlock = 2,
    /// A faulting access of the own node.
    Fault = 3,
}

/// Circumstances of a send.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Sent {
    pub(crate) origin: Origin,
    /// Whether the message follows right behind another one, so that more may come.
    pub(crate) follows: bool,
}

/// The result of draining a ring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Drained {
    /// Number of messages taken out.
    pub(crate) messages: usize,
    /// Whether the last one belongs to a stream.
    pub(crate) more: bool,
}

impl Drained {
    /// The result after `messages` messages, the last of them with this head.
    #[inline]
    fn ending(messages: usize, head: u64) -> Self {
        Self { messages, more: head & FOLLOWS != 0 }
    }
}

/// A message taken out of a ring.
#[derive(Clone, Copy)]
pub(crate) struct Received {
    pub(crate) packet: Packet,
    pub(crate) origin: Origin,
    /// Number of the message in its lane, from 0.
    pub(crate) number: u64,
}

impl Received {
    /// An empty message, to be filled.
    pub(crate) const fn blank() -> Self {
        Self { packet: Packet::blank(), origin: Origin::Handler, number: 0 }
    }
}

/// A head states more words than a message may have.
#[derive(PartialEq, Eq, Debug)]
pub(crate) struct BadLength(pub(crate) usize);

/// The result of one look at a place of the ring.
enum Look {
    /// No message yet.
    Nothing,
    /// A message, its head, and the place behind it.
    Message(Result<(), BadLength>, u64, u64),
    /// An empty half: the message is in the next line.
    Further,
}

impl Ring {
    /// An empty ring with room for `slots` messages of any length.
    pub(crate) fn new(slots: usize) -> Self {
        Self::starting_at(0, slots)
    }

    /// An empty ring whose next line is number `line`.
    pub(crate) fn starting_at(line: u64, slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "a ring of {slots} slots: expected a power of two");
        let lines = (LINES_OF_A_MESSAGE * slots).max(4);
        let unused = |at: u64| {
            let number = line + (at.wrapping_sub(line) & (lines as u64 - 1));
            let unused = Line::default();
            unused.0[0].store(stamp(number.wrapping_sub(lines as u64)).into(), Ordering::Relaxed);
            unused
        };
        let place =
            || Place { next: AtomicU64::new(2 * line), taken: AtomicU64::new(line), ..Place::default() };
        Self {
            lines: (0..lines as u64).map(unused).collect(),
            producer: place(),
            consumer: place(),
            taken: CachePadded(AtomicU64::new(line)),
            return_after: (lines as u64 / 4).clamp(1, LINES_PER_RETURN),
        }
    }

    /// Pushes a message. Returns false if there is no room.
    #[inline(always)]
    pub(crate) fn push(&self, packet: &Packet, sent: Sent) -> bool {
        let next = self.producer.next.load(Ordering::Relaxed);
        let words = packet.words().len();
        let pushed = if words <= HALF_WORDS {
            self.push_half(next, packet, sent)
        } else if words <= LINE_WORDS {
            self.push_lines::<1>(next, packet, sent)
        } else {
            self.push_lines::<LINES_OF_A_MESSAGE>(next, packet, sent)
        };
        if let Some(next) = pushed {
            self.producer.next.store(next, Ordering::Relaxed);
        }
        pushed.is_some()
    }

    /// Pushes a short message into the next half. Returns the place behind it, or `None` if there is no room.
    #[inline]
    fn push_half(&self, next: u64, packet: &Packet, sent: Sent) -> Option<u64> {
        let number = line_of(next);
        let line = self.line(number);
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
            self.line(first - 1)[4].store(stamp(first - 1).into(), Ordering::Release);
        }
        // The first line last: a consumer that sees its head sees all.
        for part in (0..LINES).rev() {
            let number = first + part as u64;
            let line = self.line(number);
            write(&line[1..], &packet.room()[part * LINE_WORDS..][..LINE_WORDS]);
            let order = if part == 0 { publish() } else { Ordering::Relaxed };
            line[0].store(head(number, packet, sent), order);
        }
        Some(2 * (first + LINES as u64))
    }

    /// Takes up to `limit` messages from `source` out. Fills `message` with each and calls `each`, which returns whether to go on. While
    /// `each` runs, all messages taken out are accounted for: another processor may drain then, if `each` returns false.
    ///
    /// An impossible length is an error passed to `each`: no received message is trusted.
    #[inline]
    pub(crate) fn drain(
        &self,
        limit: usize,
        source: NodeId,
        message: &mut Received,
        mut each: impl FnMut(&mut Received, Result<(), BadLength>) -> bool,
    ) -> Drained {
        let mut next = self.consumer.next.load(Ordering::Relaxed);
        let mut said = self.consumer.taken.load(Ordering::Relaxed);
        let (mut messages, mut last) = (0, 0);
        let mut least = self.return_after;
        while messages < limit {
            match self.look(next, source, message) {
                Look::Nothing => {
                    least = 1;
                    break;
                }
                Look::Further => next += 1,
                Look::Message(is_good, head, behind) => {
                    next = behind;
                    messages += 1;
                    last = head;
                    // Before its handler, which may be told by `is_ready` that no message waits.
                    self.consumer.next.store(next, Ordering::Relaxed);
                    if line_of(next) - said >= self.return_after {
                        said = self.say_taken(next);
                    }
                    if !each(message, is_good) {
                        // Another processor may be draining by now.
                        return Drained::ending(messages, last);
                    }
                }
            }
        }
        self.consumer.next.store(next, Ordering::Relaxed);
        if line_of(next) - said >= least {
            self.say_taken(next);
        }
        Drained::ending(messages, last)
    }

    /// Shows `soon` the messages that wait behind those taken out, several at a time: each once, and only a little before it is next. For
    /// the draining processor, between two messages.
    ///
    /// No line up to the look-ahead position has been released, so the messages stay as they are.
    #[inline]
    pub(crate) fn look_ahead(&self, source: NodeId, soon: impl FnMut(&Packet)) {
        let next = self.consumer.next.load(Ordering::Relaxed);
        let ahead = self.consumer.ahead.load(Ordering::Relaxed).max(next);
        if ahead < next + HALVES_AHEAD / 2 {
            self.look_further(next, ahead, source, soon);
        }
    }

    #[inline(never)]
    fn look_further(&self, next: u64, mut ahead: u64, source: NodeId, mut soon: impl FnMut(&Packet)) {
        let mut message = Received::blank();
        while ahead < next + HALVES_AHEAD {
            match self.look(ahead, source, &mut message) {
                Look::Nothing => break,
                Look::Further => ahead += 1,
                Look::Message(is_good, _, behind) => {
                    ahead = behind;
                    if is_good.is_ok() {
                        soon(&message.packet);
                    }
                }
            }
        }
        self.consumer.ahead.store(ahead, Ordering::Relaxed);
    }

    #[inline]
    fn look(&self, next: u64, source: NodeId, message: &mut Received) -> Look {
        let number = line_of(next);
        let line = self.line(number);
        let at = if is_second(next) { 4 } else { 0 };
        let order = if mutated!("head-not-acquired") { Ordering::Relaxed } else { Ordering::Acquire };
        let head = line[at].load(order);
        if head as u32 != stamp(number) {
            return Look::Nothing;
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
            let second = self.line(number + 1);
            let fits = packet.fill(id, source, length, |room| {
                read(&mut room[..LINE_WORDS], &line[1..]);
                read(&mut room[LINE_WORDS..], &second[1..]);
            });
            (fits, next + 4)
        };
        message.origin = origin_of(head);
        Look::Message(if fits { Ok(()) } else { Err(BadLength(length)) }, head, behind)
    }

    /// Whether a message waits.
    ///
    /// Any processor may ask. The answer may be true for a little too long. It is false only if every message whose push the caller has
    /// seen, by any ordering, has been taken. If `next` is read late and its line has been used again since, the line's stamp is ahead of
    /// the expected one, and its head 4 is not the cleared value, unless a message contains a word forged to look like it.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        let next = self.consumer.next.load(Ordering::Relaxed);
        let number = line_of(next);
        let line = self.line(number);
        if is_second(next) {
            return line[4].load(Ordering::Relaxed) != cleared(number);
        }
        let ahead = (line[0].load(Ordering::Relaxed) as u32).wrapping_sub(stamp(number));
        ahead as i32 >= 0
    }

    #[inline]
    fn line(&self, number: u64) -> &[AtomicU64; 1 + LINE_WORDS] {
        &self.lines[number as usize & (self.lines.len() - 1)].0
    }

    #[inline]
    fn has_room_for(&self, number: u64) -> bool {
        if mutated!("credit-ignored") {
            return true;
        }
        let lines = self.lines.len() as u64;
        if number - self.producer.taken.load(Ordering::Relaxed) < lines {
            return true;
        }
        let taken = self.taken.0.load(Ordering::Acquire);
        self.producer.taken.store(taken, Ordering::Relaxed);
        number - taken < lines
    }

    /// Publishes the consumer's progress to the producer.
    #[inline]
    fn say_taken(&self, next: u64) -> u64 {
        let taken = line_of(next);
        self.consumer.taken.store(taken, Ordering::Relaxed);
        self.taken.0.store(taken, Ordering::Release);
        taken
    }
}

/// The ordering with which a message's head is stored.
#[inline]
fn publish() -> Ordering {
    if mutated!("head-relaxed") { Ordering::Relaxed } else { Ordering::Release }
}

/// Number of the line that a place is in.
#[inline]
fn line_of(place: u64) -> u64 {
    place / 2
}

/// Whether a place is the second half of its line.
#[inline]
fn is_second(place: u64) -> bool {
    place % 2 == 1
}

/// The stamp of line `number`.
#[inline]
fn stamp(number: u64) -> u32 {
    (number as u32).wrapping_add(1)
}

/// Head 4 of line `number` before there is a message in its second half: an older stamp, and a mark.
#[inline]
fn cleared(number: u64) -> u64 {
    0x9e37_79b9 << 32 | u64::from(stamp(number).wrapping_sub(1))
}

/// The head of a message in line `number`.
#[inline]
fn head(number: u64, packet: &Packet, sent: Sent) -> u64 {
    u64::from(stamp(number))
        | u64::from(packet.id().0) << 32
        | (packet.words().len() as u64) << 48
        | (sent.origin as u64) << 52
        | if sent.follows { FOLLOWS } else { 0 }
}

/// Decodes the origin in bits 52 and 53 of a head.
#[inline]
pub(crate) fn origin_of(head: u64) -> Origin {
    match head >> 52 & 3 {
        0 => Origin::Handler,
        1 => Origin::Thread,
        2 => Origin::WithBlock,
        _ => Origin::Fault,
    }
}

#[inline]
fn write(places: &[AtomicU64], words: &[u64]) {
    places.iter().zip(words).for_each(|(place, word)| place.store(*word, Ordering::Relaxed));
}

#[inline]
fn read(words: &mut [u64], places: &[AtomicU64]) {
    words.iter_mut().zip(places).for_each(|(word, place)| *word = place.load(Ordering::Relaxed));
}

const _: () = assert!(MAX_WORDS == LINES_OF_A_MESSAGE * LINE_WORDS && MAX_WORDS < 15);

#[cfg(test)]
impl Ring {
    /// Stores a head of line 0 that no producer makes: of a message of `length` words, in a half line or not.
    pub(crate) fn forge(&self, length: u64, half: bool) {
        let half = if half { HALF } else { 0 };
        self.line(0)[0].store(u64::from(stamp(0)) | length << 48 | half, Ordering::Relaxed);
    }
}
