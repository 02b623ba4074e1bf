//! Messages and payloads of every length arrive as they were sent.

use bytemuck::{Pod, Zeroable};
use tempest::{
    Cells, Handler, Key, MAX_WORDS, Message, NodeId, Program, Protocol, Quiet, Report, Setup, Shape, Thread,
};

use crate::Setting;

/// Messages of less than a word, of one word and of the greatest length, with payloads of every length that
/// still has room.
pub fn payloads_of_every_length(setting: &Setting<'_>) {
    setting.verified::<Payload>("payloads_of_every_length", (), 1);
}

/// How many messages each node sends to each: all payloads behind either small message, and the full one.
const PER_PAIR: u64 = 2 * MAX_WORDS as u64 + 1;

struct Payload {
    shape: Shape,
    arrived: Cells<u64>,
}

/// Less than a word.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Short {
    length: u16,
}

/// A word.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Whole {
    length: u64,
}

/// As long as a message may be.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
struct Full {
    words: [u64; MAX_WORDS],
}

/// Words in which every byte counts.
fn words(length: u64) -> Vec<u64> {
    (1..=length).map(|word| word.wrapping_mul(0xfedc_ba98_7654_3211)).collect()
}

impl Message for Short {
    type Protocol = Payload;

    fn key(&self) -> Key {
        Key::User(u64::from(self.length))
    }

    fn handle(self, protocol: &Payload, payload: &[u64], _cx: &mut Handler<'_>) {
        protocol.accept(u64::from(self.length), payload);
    }
}

impl Message for Whole {
    type Protocol = Payload;

    fn key(&self) -> Key {
        Key::User(self.length)
    }

    fn handle(self, protocol: &Payload, payload: &[u64], _cx: &mut Handler<'_>) {
        protocol.accept(self.length, payload);
    }
}

impl Message for Full {
    type Protocol = Payload;

    fn key(&self) -> Key {
        Key::NoSync
    }

    fn handle(self, protocol: &Payload, payload: &[u64], _cx: &mut Handler<'_>) {
        assert!(payload.is_empty(), "a message without payload arrived with {payload:?}");
        protocol.accept(MAX_WORDS as u64, &self.words);
    }
}

impl tempest::Handlers for Payload {
    fn register(messages: &mut tempest::Messages<'_, Self>) {
        messages.add::<Short>();
        messages.add::<Whole>();
        messages.add::<Full>();
    }
}

impl Protocol for Payload {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        Self { shape: setup.shape(), arrived: Cells::new(1, 0) }
    }
}

impl Payload {
    fn accept(&self, length: u64, payload: &[u64]) {
        assert_eq!(payload, words(length), "a payload of {length} words");
        self.arrived.add(0, 1);
    }

    fn send_all(thread: &Thread<'_>, to: NodeId) {
        for length in 0..MAX_WORDS as u64 {
            thread.send_with(to, Short { length: length as u16 }, &words(length));
            thread.send_with(to, Whole { length }, &words(length));
        }
        let mut full = Full { words: [0; MAX_WORDS] };
        full.words.copy_from_slice(&words(MAX_WORDS as u64));
        thread.send(to, full);
    }
}

impl Program for Payload {
    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            (0..thread.nodes()).for_each(|node| Self::send_all(thread, NodeId(node)));
        }
    }

    fn report(&self, _: &mut Quiet<'_>) -> Report {
        let expected = u64::from(self.shape.nodes) * PER_PAIR;
        let arrived = self.arrived.get(0);
        Report::checked(arrived == expected, || format!("{arrived} messages arrived: expected {expected}"))
    }
}
