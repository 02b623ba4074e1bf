//! A bounded ring of messages between one producer and one consumer.
//!
//! # Protocol
//!
//! A slot is sixteen words: two lines, fetched as a pair. Slot `i % N` carries message number `i`. Word 0 holds the
//! *stamp*: the low 32 bits of `i + 1`, then handler id, length and origin. Word 1 holds the source node, and the number of the
//! block that the message brings, if any; the rest the message's words.
//!
//! | who | writes | order |
//! |---|---|---|
//! | producer | words 1…15 of a free slot | relaxed |
//! | producer | word 0, last | release |
//! | consumer | nothing in a slot, ever | – |
//! | consumer | `taken`, how many messages it is done with, on a line of its own | release |
//!
//! The consumer waits for number `i` by loading word 0 of its slot with acquire until the stamp is `i + 1`. Then the
//! producer's other stores to the slot are visible, and none follows before the consumer has passed on the slot: the
//! producer writes number `i + N` only after it has read `taken > i` with acquire, and the consumer's loads come before
//! its release of `taken`. A stale stamp is that of number `i - N`, which differs in its low 32 bits because N is less
//! than 2³¹; that of an unused slot is 0, which no message has before 2³² have come through.
//!
//! `taken` is published every [`RETURN`] messages, or once in a quarter of a small ring, and whenever the consumer finds
//! the ring empty: the line seldom moves, and a producer that waits is never left waiting.
//!
//! # Whose turn it is
//!
//! Each end keeps its own place in a line that the other never reads. The ends may pass from one processor of a node to
//! another, but only in happens-before order: who pushes holds the lane's turn, who pops the node's right to receive.
//! So a place is loaded and stored, relaxed, without a locked instruction. (Breaking this would lose messages, not
//! memory safety.) [`is_ready`](Ring::is_ready) alone may be asked by anybody.

use std::sync::atomic::{AtomicU64, Ordering};

use tempest::{Block, MAX_WORDS, MessageId, NodeId, Packet};

/// Bytes a message takes in a ring.
pub(crate) const SLOT_BYTES: usize = size_of::<Slot>();

/// The consumer says how far it is after so many messages at the latest.
const RETURN: u64 = 128;

/// Words of a slot before those of the message.
const HEADER_WORDS: usize = 2;

/// A slot: two cache lines.
#[derive(Default)]
#[repr(align(128))]
struct Slot([AtomicU64; HEADER_WORDS + MAX_WORDS]);

/// A counter on lines of its own.
#[derive(Default)]
#[repr(align(128))]
pub(crate) struct Apart(pub(crate) AtomicU64);

/// Where an end of the ring is, and what it last knew, or said, of `taken`.
#[derive(Default)]
#[repr(align(128))]
struct Place {
    next: AtomicU64,
    taken: AtomicU64,
}

/// A bounded ring of messages.
pub(crate) struct Ring {
    slots: Box<[Slot]>,
    producer: Place,
    consumer: Place,
    taken: Apart,
    /// The consumer lets no more messages than this pass before it says so.
    return_after: u64,
}

/// Who a message comes from: a thread's counts against the credits of its lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Thread,
    Handler,
    /// A handler, and the message's last words are those of a block of shared memory.
    Bringer(Block),
    /// An access of the own node that faulted.
    Fault,
}

impl Origin {
    fn code(self) -> u64 {
        match self {
            Self::Handler => 0,
            Self::Thread => 1,
            Self::Bringer(_) => 2,
            Self::Fault => 3,
        }
    }

    fn block(self) -> u64 {
        match self {
            Self::Bringer(block) => block.0.into(),
            _ => 0,
        }
    }

    fn decode(code: u8, block: u32) -> Self {
        match code {
            1 => Self::Thread,
            2 => Self::Bringer(Block(block)),
            3 => Self::Fault,
            _ => Self::Handler,
        }
    }
}

/// A message taken out.
#[derive(Clone, Copy)]
pub(crate) struct Received {
    pub(crate) packet: Packet,
    pub(crate) origin: Origin,
    /// Which of all that went through the ring, from 0.
    pub(crate) number: u64,
}

/// A slot claims more words than a message has.
#[derive(Debug)]
pub(crate) struct BadLength(pub(crate) usize);

impl Ring {
    /// An empty ring with room for `slots` messages.
    pub(crate) fn new(slots: usize) -> Self {
        assert!(slots.is_power_of_two(), "a ring of {slots} slots: expected a power of two");
        Self {
            slots: (0..slots).map(|_| Slot::default()).collect(),
            producer: Place::default(),
            consumer: Place::default(),
            taken: Apart::default(),
            return_after: (slots as u64 / 4).clamp(1, RETURN),
        }
    }

    /// The number of the message that is put in next. Asked by who may put it in.
    #[inline]
    pub(crate) fn next_number(&self) -> u64 {
        self.producer.next.load(Ordering::Relaxed)
    }

    /// Puts a message in; false if there is no room.
    #[inline]
    pub(crate) fn push(&self, packet: &Packet, origin: Origin) -> bool {
        let number = self.producer.next.load(Ordering::Relaxed);
        if !self.has_room_for(number) {
            return false;
        }
        let slot = self.slot(number);
        slot[1].store(u64::from(packet.source().0) | origin.block() << 32, Ordering::Relaxed);
        for (place, word) in slot[HEADER_WORDS..].iter().zip(packet.words()) {
            place.store(*word, Ordering::Relaxed);
        }
        slot[0].store(head(number, packet, origin), Ordering::Release);
        self.producer.next.store(number + 1, Ordering::Relaxed);
        true
    }

    /// Takes the next message out. `None` if there is none.
    ///
    /// A length that no message has yields `Some(Err)`: nothing received is trusted.
    #[inline]
    pub(crate) fn pop(&self) -> Option<Result<Received, BadLength>> {
        let number = self.consumer.next.load(Ordering::Relaxed);
        let slot = self.slot(number);
        let head = slot[0].load(Ordering::Acquire);
        if head as u32 != stamp(number) {
            self.say_taken(number, 1);
            return None;
        }
        let message = read(number, head, slot);
        self.consumer.next.store(number + 1, Ordering::Relaxed);
        self.say_taken(number + 1, self.return_after);
        Some(message)
    }

    /// Whether a message waits.
    ///
    /// Anybody may ask, and be told so a little too long. Nobody is told that there is none who has seen, by whatever
    /// order, the push of one that nobody took: if `next` is read late, so that the slot meant has been used again
    /// since, its stamp is ahead of what is looked for.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        let number = self.consumer.next.load(Ordering::Relaxed);
        let ahead = (self.slot(number)[0].load(Ordering::Relaxed) as u32).wrapping_sub(stamp(number));
        ahead as i32 >= 0
    }

    #[inline]
    fn slot(&self, number: u64) -> &[AtomicU64; HEADER_WORDS + MAX_WORDS] {
        &self.slots[number as usize & (self.slots.len() - 1)].0
    }

    #[inline]
    fn has_room_for(&self, number: u64) -> bool {
        let slots = self.slots.len() as u64;
        if number - self.producer.taken.load(Ordering::Relaxed) < slots {
            return true;
        }
        let taken = self.taken.0.load(Ordering::Acquire);
        self.producer.taken.store(taken, Ordering::Relaxed);
        number - taken < slots
    }

    /// Lets the producer know, if that is news of `at_least` messages.
    #[inline]
    fn say_taken(&self, taken: u64, at_least: u64) {
        if taken - self.consumer.taken.load(Ordering::Relaxed) >= at_least {
            self.consumer.taken.store(taken, Ordering::Relaxed);
            self.taken.0.store(taken, Ordering::Release);
        }
    }
}

/// The stamp of message `number`.
#[inline]
fn stamp(number: u64) -> u32 {
    (number as u32).wrapping_add(1)
}

/// Word 0 of message `number`.
#[inline]
fn head(number: u64, packet: &Packet, origin: Origin) -> u64 {
    u64::from(stamp(number))
        | u64::from(packet.id().0) << 32
        | (packet.words().len() as u64) << 48
        | origin.code() << 56
}

/// The message in a slot with that word 0.
#[inline]
fn read(number: u64, head: u64, slot: &[AtomicU64]) -> Result<Received, BadLength> {
    let length = usize::from((head >> 48) as u8);
    let mut words = [0; MAX_WORDS];
    for (word, place) in words.iter_mut().zip(&slot[HEADER_WORDS..]).take(length) {
        *word = place.load(Ordering::Relaxed);
    }
    let from = slot[1].load(Ordering::Relaxed);
    let source = NodeId(from as u32);
    let id = MessageId((head >> 32) as u16);
    let origin = Origin::decode((head >> 56) as u8, (from >> 32) as u32);
    let packet = words.get(..length).and_then(|words| Packet::from_parts(id, source, words));
    packet.map(|packet| Received { packet, origin, number }).ok_or(BadLength(length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u64, words: usize) -> Packet {
        let words: Vec<u64> = (0..words as u64).map(|word| number * 100 + word).collect();
        Packet::from_parts(MessageId(number as u16), NodeId(7), &words).unwrap()
    }

    #[test]
    fn messages_come_out_whole_and_in_order_and_a_full_ring_refuses() {
        let ring = Ring::new(4);
        for round in 0..10_u64 {
            assert!(!ring.is_ready());
            let push = |i: &u64| ring.push(&packet(round * 4 + i, *i as usize), Origin::Thread);
            assert_eq!((0..6).take_while(push).count(), 4);
            for i in 0..4 {
                assert!(ring.is_ready());
                let Received { packet: got, origin, .. } = ring.pop().unwrap().unwrap();
                let sent = packet(round * 4 + i, i as usize);
                assert_eq!((got.id(), got.source(), got.words()), (sent.id(), NodeId(7), sent.words()));
                assert_eq!(origin, Origin::Thread);
            }
            assert!(ring.pop().is_none());
        }
    }

    #[test]
    fn a_length_that_no_message_has_is_an_error() {
        let ring = Ring::new(2);
        ring.slot(0)[0].store(u64::from(stamp(0)) | 15 << 48, Ordering::Relaxed);
        assert_eq!(ring.pop().unwrap().err().unwrap().0, 15);
    }

    #[test]
    fn messages_say_where_they_come_from() {
        let ring = Ring::new(4);
        let origins = [Origin::Thread, Origin::Handler, Origin::Bringer(Block(u32::MAX)), Origin::Fault];
        origins.iter().for_each(|origin| assert!(ring.push(&packet(0, 1), *origin)));
        for origin in origins {
            let message = ring.pop().unwrap().unwrap();
            assert_eq!((message.origin, message.packet.source()), (origin, NodeId(7)));
        }
    }

    #[test]
    fn stamps_may_wrap() {
        let ring = Ring::new(4);
        let start = u64::from(u32::MAX) - 5;
        for place in [&ring.producer, &ring.consumer] {
            place.next.store(start, Ordering::Relaxed);
            place.taken.store(start, Ordering::Relaxed);
        }
        ring.taken.0.store(start, Ordering::Relaxed);
        (start..start + 4).for_each(|i| ring.slot(i)[0].store(u64::from(stamp(i - 4)), Ordering::Relaxed));
        for number in 0..12 {
            assert!(!ring.is_ready());
            assert!(ring.push(&packet(number, 1), Origin::Handler));
            assert!(ring.is_ready());
            assert_eq!(ring.pop().unwrap().unwrap().packet.words(), [number * 100]);
        }
    }

    #[test]
    fn a_million_messages_cross_between_threads_through_few_slots() {
        for (slots, messages) in [(1, 20_000), (2, 20_000), (4, 460_000), (64, 500_000)] {
            let ring = Ring::new(slots);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    for number in 0..messages {
                        while !ring.push(&packet(number, (number % 15) as usize), Origin::Handler) {
                            std::thread::yield_now();
                        }
                    }
                });
                for number in 0..messages {
                    let got = loop {
                        match ring.pop() {
                            Some(message) => break message.unwrap().packet,
                            None => std::thread::yield_now(),
                        }
                    };
                    assert_eq!(got.words(), packet(number, (number % 15) as usize).words());
                }
            });
        }
    }
}
