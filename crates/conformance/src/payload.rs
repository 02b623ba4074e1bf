//! Messages and payloads of every length arrive as they were sent.

use tempest::{
    Cells, FinalState, Handler, MAX_WORDS, NodeId, Protocol, Report, Setup, Shape, Thread, handlers,
};

use crate::Setting;

/// Messages of less than a word, of one word and of the greatest length, with payloads of every length that
/// still has room.
pub fn payloads_of_every_length(setting: &Setting<'_>) {
    setting.verified::<Payload>("payloads_of_every_length", (), 1);
}

/// Number of messages from each node to each: all payloads behind either small message, and the full one.
const PER_PAIR: u64 = 2 * MAX_WORDS as u64 + 1;

struct Payload {
    shape: Shape,
    arrived: Cells<u64>,
}

/// Words in which every byte counts.
fn words(length: u64) -> Vec<u64> {
    (1..=length).map(|word| word.wrapping_mul(0xfedc_ba98_7654_3211)).collect()
}

impl Protocol for Payload {
    type Config = ();

    fn install(_: &(), setup: &mut Setup<'_>) -> Self {
        Self { shape: setup.shape(), arrived: Cells::new(1, 0) }
    }
}

impl Payload {
    fn accept(&self, cx: &Handler<'_>, length: u64, payload: &[u64]) {
        assert_eq!(payload, words(length), "a payload of {length} words");
        self.arrived.add(cx, 0, 1);
    }

    fn send_all(thread: &Thread<'_>, to: NodeId) {
        for length in 0..MAX_WORDS as u64 {
            thread.send_with(to, Self::short(length as u16), &words(length));
            thread.send_with(to, Self::whole(length), &words(length));
        }
        let full = words(MAX_WORDS as u64).try_into().expect("as many words as a message carries");
        thread.send(to, Self::full(full));
    }
}

#[handlers]
impl Payload {
    /// A message of less than a word.
    #[message(key = u64::from(length))]
    fn short(&self, length: u16, payload: &[u64], cx: &mut Handler<'_>) {
        self.accept(cx, u64::from(length), payload);
    }

    /// A message of one word.
    #[message(key = length)]
    fn whole(&self, length: u64, payload: &[u64], cx: &mut Handler<'_>) {
        self.accept(cx, length, payload);
    }

    /// A message of the greatest length.
    #[message]
    fn full(&self, words: [u64; MAX_WORDS], payload: &[u64], cx: &mut Handler<'_>) {
        assert!(payload.is_empty(), "a message without payload arrived with {payload:?}");
        self.accept(cx, MAX_WORDS as u64, &words);
    }

    fn main(&self, thread: &Thread<'_>) {
        if thread.index() == 0 {
            (0..thread.nodes()).for_each(|node| Self::send_all(thread, NodeId(node)));
        }
    }

    fn report(&self, end: &mut FinalState<'_>) -> Report {
        let expected = u64::from(self.shape.nodes) * PER_PAIR;
        let arrived = self.arrived.get(end, 0);
        Report::checked(arrived == expected, || format!("{arrived} messages arrived: expected {expected}"))
    }
}
