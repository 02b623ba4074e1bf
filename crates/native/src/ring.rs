//! A bounded ring of messages between one producer and one consumer.
//!
//! # Protocol
//!
//! A slot is sixteen words: two lines, fetched as a pair. Slot `i % N` carries message number `i`. Word 0 holds the
//! *stamp*: the low 32 bits of `i + 1`, then handler id, length and origin. Word 1 holds the source node, the rest the
//! message's words.
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
//! than 2³².
//!
//! `taken` is published once in a quarter of the ring and whenever the consumer finds the ring empty, so that the line
//! seldom moves and a producer that waits is never left waiting.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempest::{MAX_WORDS, MessageId, NodeId, Packet};

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

struct Ring {
    slots: Box<[Slot]>,
    taken: Apart,
}

/// Who a message comes from: a thread's counts against the credits of its lane.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    Thread,
    Handler,
}

/// The end that messages go into.
pub(crate) struct Producer {
    ring: Arc<Ring>,
    next: u64,
    /// `taken` as last read.
    taken: u64,
}

/// The end that messages come out of.
pub(crate) struct Consumer {
    ring: Arc<Ring>,
    next: u64,
    /// `taken` as last published.
    published: u64,
}

/// A ring of `slots` messages.
pub(crate) fn ring(slots: usize) -> (Producer, Consumer) {
    assert!(slots.is_power_of_two(), "a ring of {slots} slots: expected a power of two");
    let ring =
        Arc::new(Ring { slots: (0..slots).map(|_| Slot::default()).collect(), taken: Apart::default() });
    (Producer { ring: Arc::clone(&ring), next: 0, taken: 0 }, Consumer { ring, next: 0, published: 0 })
}

impl Ring {
    fn slot(&self, number: u64) -> &[AtomicU64; HEADER_WORDS + MAX_WORDS] {
        &self.slots[number as usize & (self.slots.len() - 1)].0
    }
}

/// The stamp of message `number` in word 0: never 0 in an unused slot, because numbers wrap only after 2³² messages and
/// an unused slot is read before.
fn stamp(number: u64) -> u32 {
    (number as u32).wrapping_add(1)
}

impl Producer {
    /// Puts a message in; false if there is no room.
    #[inline]
    pub(crate) fn push(&mut self, packet: &Packet, origin: Origin) -> bool {
        if !self.has_room() {
            return false;
        }
        let slot = self.ring.slot(self.next);
        slot[1].store(u64::from(packet.source().0), Ordering::Relaxed);
        for (place, word) in slot[HEADER_WORDS..].iter().zip(packet.words()) {
            place.store(*word, Ordering::Relaxed);
        }
        let length = packet.words().len() as u64;
        let head = u64::from(stamp(self.next))
            | u64::from(packet.id().0) << 32
            | length << 48
            | u64::from(origin == Origin::Thread) << 56;
        slot[0].store(head, Ordering::Release);
        self.next += 1;
        true
    }

    fn has_room(&mut self) -> bool {
        let slots = self.ring.slots.len() as u64;
        if self.next - self.taken == slots {
            self.taken = self.ring.taken.0.load(Ordering::Acquire);
        }
        self.next - self.taken < slots
    }
}

impl Consumer {
    /// Whether a message waits.
    #[inline]
    pub(crate) fn is_ready(&self) -> bool {
        self.ring.slot(self.next)[0].load(Ordering::Relaxed) as u32 == stamp(self.next)
    }

    /// Takes the next message out. `None` if there is none.
    ///
    /// A length that no message has yields `Some(Err)`: nothing received is trusted.
    #[inline]
    pub(crate) fn pop(&mut self) -> Option<Result<(Packet, Origin), BadLength>> {
        let slot = self.ring.slot(self.next);
        let head = slot[0].load(Ordering::Acquire);
        if head as u32 != stamp(self.next) {
            self.publish();
            return None;
        }
        let length = usize::from((head >> 48) as u8);
        let mut words = [0; MAX_WORDS];
        for (word, place) in words.iter_mut().zip(&slot[HEADER_WORDS..]).take(length) {
            *word = place.load(Ordering::Relaxed);
        }
        let source = NodeId(slot[1].load(Ordering::Relaxed) as u32);
        let id = MessageId((head >> 32) as u16);
        let origin = if head >> 56 == 0 { Origin::Handler } else { Origin::Thread };
        self.next += 1;
        if self.next - self.published >= (self.ring.slots.len() as u64 / 4).max(1) {
            self.publish();
        }
        let packet = words.get(..length).and_then(|words| Packet::from_parts(id, source, words));
        Some(packet.map(|packet| (packet, origin)).ok_or(BadLength(length)))
    }

    fn publish(&mut self) {
        if self.published != self.next {
            self.published = self.next;
            self.ring.taken.0.store(self.next, Ordering::Release);
        }
    }
}

/// A slot claims more words than a message has.
#[derive(Debug)]
pub(crate) struct BadLength(pub(crate) usize);

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(number: u64, words: usize) -> Packet {
        let words: Vec<u64> = (0..words as u64).map(|word| number * 100 + word).collect();
        Packet::from_parts(MessageId(number as u16), NodeId(7), &words).unwrap()
    }

    #[test]
    fn messages_come_out_whole_and_in_order_and_a_full_ring_refuses() {
        let (mut into, mut out) = ring(4);
        for round in 0..10_u64 {
            let pushed =
                (0..6).take_while(|i| into.push(&packet(round * 4 + i, *i as usize), Origin::Thread)).count();
            assert_eq!(pushed, 4);
            for i in 0..4 {
                let (got, origin) = out.pop().unwrap().unwrap();
                let sent = packet(round * 4 + i, i as usize);
                assert_eq!((got.id(), got.source(), got.words()), (sent.id(), NodeId(7), sent.words()));
                assert_eq!(origin, Origin::Thread);
            }
            assert!(out.pop().is_none());
        }
    }

    #[test]
    fn a_million_messages_cross_between_threads_through_few_slots() {
        for slots in [1, 2, 4, 64] {
            let (mut into, mut out) = ring(slots);
            let messages = if slots < 4 { 20_000 } else { 500_000 };
            std::thread::scope(|scope| {
                scope.spawn(move || {
                    for number in 0..messages {
                        while !into.push(&packet(number, (number % 15) as usize), Origin::Handler) {
                            std::thread::yield_now();
                        }
                    }
                });
                for number in 0..messages {
                    let (got, _) = loop {
                        match out.pop() {
                            Some(message) => break message.unwrap(),
                            None => std::thread::yield_now(),
                        }
                    };
                    assert_eq!(got.words(), packet(number, (number % 15) as usize).words());
                }
            });
        }
    }
}
