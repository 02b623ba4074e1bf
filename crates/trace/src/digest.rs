//! A fingerprint of a stream of events.
//!
//! This module must never depend on the platform, the compiler's version or an address: two digests are compared across
//! machines and years.

use std::fmt;

use units::Time;

use crate::Event;

/// The first 64 hexadecimal digits of the fractional part of π, as constants with no hidden purpose.
const START: [u64; 2] = [0x243f_6a88_85a3_08d3, 0x1319_8a2e_0370_7344];
const STEP: [u64; 2] = [0xa409_3822_299f_31d0, 0x082e_fa98_ec4e_6c89];

/// A 64-bit fingerprint of all absorbed input, sensitive to its order.
///
/// Equal streams have equal digests on every platform and with every version of this crate; different streams
/// differ but for a chance of about 2⁻⁶⁴. It tells honest runs apart and is no defence against forgery.
///
/// The function is the multiply-and-fold of wyhash (Wang Yi, public domain, final version 4) in its protected form
/// (`WYHASH_CONDOM 2`, where a zero factor does not wipe out earlier input), kept at 128 bits between words: two
/// inputs are added by exclusive or to the two halves of the state, the halves are multiplied to 128 bits, and the
/// product is added crosswise. The four words of an event are first put into two, by a multiplication that does not
/// wait for the state, so that events follow one another at the pace of a single fold. [`value`](Digest::value)
/// folds the state twice more, with the count of inputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Digest {
    state: [u64; 2],
    absorbed: u64,
}

impl Digest {
    /// The digest of nothing.
    pub const fn new() -> Digest {
        Digest { state: START, absorbed: 0 }
    }

    /// Adds an event and its instant.
    #[inline(always)]
    pub fn record(&mut self, at: Time, event: Event) {
        let [place, detail, message] = event.words();
        self.absorb(at.as_femtoseconds() ^ scatter(detail), place ^ scatter(message));
    }

    /// Adds any two words.
    #[inline]
    fn absorb(&mut self, a: u64, b: u64) {
        self.state = fold([self.state[0] ^ a, self.state[1] ^ b]);
        self.absorbed += 1;
    }

    /// The fingerprint of all that was added.
    pub fn value(&self) -> u64 {
        let [a, b] = fold([self.state[0] ^ STEP[0] ^ self.absorbed, self.state[1] ^ STEP[1]]);
        let [a, b] = fold([a ^ STEP[1], b ^ STEP[0]]);
        a ^ b
    }
}

/// A step of the function: the two halves and, crosswise, the two halves of their product.
#[inline]
fn fold([a, b]: [u64; 2]) -> [u64; 2] {
    let product = u128::from(a) * u128::from(b);
    [a ^ (product >> 64) as u64, b ^ product as u64]
}

/// Makes room in a word for a second one: a small number comes to fill all 64 bits. The odd factor, 2⁶⁴ over the
/// golden ratio, loses nothing.
#[inline]
fn scatter(word: u64) -> u64 {
    word.wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// The digests of a run: one for each node, and one for events that belong to the whole machine.
///
/// Events of different nodes may be recorded in any order among each other; the order within a node counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    nodes: Vec<Digest>,
    machine: Digest,
}

impl Digests {
    /// The digests of nothing.
    pub const fn new() -> Digests {
        Digests { nodes: Vec::new(), machine: Digest::new() }
    }

    /// Adds an event and its instant to the digest of its node.
    // Inlined like the sink's function, so that the kind of the event is known.
    #[inline(always)]
    pub fn record(&mut self, at: Time, event: Event) {
        let node = match event.node() {
            None => return self.machine.record(at, event),
            Some(node) => node as usize,
        };
        let digest = match self.nodes.get_mut(node) {
            Some(digest) => digest,
            None => self.add_nodes(node),
        };
        digest.record(at, event);
    }

    /// The digest of a node, if the node has had an event.
    pub fn of(&self, node: usize) -> Option<&Digest> {
        self.nodes.get(node)
    }

    /// Folds all digests into one: it absorbs the value of each node's digest in the order of the nodes, up to the last
    /// node that had an event, and the value of the machine's digest last. Beside each value stands the number of
    /// events.
    pub fn fold(&self) -> Digest {
        let mut all = Digest::new();
        for one in self.nodes.iter().chain([&self.machine]) {
            all.absorb(one.value(), one.absorbed);
        }
        all
    }

    /// Adds digests up to that of the node `last`, which it returns.
    #[cold]
    fn add_nodes(&mut self, last: usize) -> &mut Digest {
        self.nodes.resize(last + 1, Digest::new());
        &mut self.nodes[last]
    }
}

impl Default for Digest {
    fn default() -> Digest {
        Digest::new()
    }
}

impl fmt::Display for Digest {
    /// Writes sixteen hexadecimal digits.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.value())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(events: &[(u64, Event)]) -> Digest {
        let mut digest = Digest::new();
        for &(at, event) in events {
            digest.record(Time::from_nanoseconds(at), event);
        }
        digest
    }

    const SENT: Event = Event::Send { node: 1, processor: 2, to: 3, message: 4, bytes: 5, flow: 6 };
    const ARRIVED: Event = Event::Arrive { node: 3, from: 1, message: 4, flow: 6 };

    #[test]
    fn digests_are_what_they_always_were() {
        // Checked against the same formulas written in Python.
        assert_eq!(Digest::new().to_string(), "fae273cb8b02b051");
        assert_eq!(of(&[(1, SENT), (2, ARRIVED)]).to_string(), "43bc0452e49a5ac5");
        let mut words = Digest::new();
        words.absorb(1, 2);
        assert_eq!(words.to_string(), "0a9a51904cb5d0b9");
    }

    #[test]
    fn order_time_and_number_matter() {
        let digests = [
            of(&[]),
            of(&[(1, SENT)]),
            of(&[(2, SENT)]),
            of(&[(1, SENT), (1, ARRIVED)]),
            of(&[(1, ARRIVED), (1, SENT)]),
            of(&[(1, SENT), (1, SENT)]),
        ];
        for (index, digest) in digests.iter().enumerate() {
            assert!(digests[..index].iter().all(|other| other.value() != digest.value()), "number {index}");
        }
    }

    fn all_of(events: &[(u64, Event)]) -> u64 {
        let mut digests = Digests::new();
        for &(at, event) in events {
            digests.record(Time::from_nanoseconds(at), event);
        }
        digests.fold().value()
    }

    #[test]
    fn only_the_order_within_a_node_counts() {
        let phase = Event::Phase { index: 0, name: "" };
        let began = Event::ThreadStart { node: 1, thread: 0 };
        let run = [(1, began), (2, SENT), (2, phase), (2, ARRIVED)];
        let one_node_first = [(2, ARRIVED), (1, began), (2, SENT), (2, phase)];
        let swapped_on_a_node = [(2, SENT), (1, began), (2, phase), (2, ARRIVED)];
        assert_eq!(all_of(&run), all_of(&one_node_first));
        assert_ne!(all_of(&run), all_of(&swapped_on_a_node));
    }

    #[test]
    fn the_fold_takes_the_nodes_in_order_and_the_machine_last() {
        let phase = Event::Phase { index: 0, name: "" };
        let mut fold = Digest::new();
        for node in [of(&[]), of(&[(1, SENT)]), of(&[]), of(&[(2, ARRIVED)]), of(&[(3, phase)])] {
            fold.absorb(node.value(), node.absorbed);
        }
        assert_eq!(all_of(&[(1, SENT), (2, ARRIVED), (3, phase)]), fold.value());
    }

    #[test]
    fn what_came_first_is_not_forgotten_by_a_zero_factor() {
        // Inputs equal to the state would make both factors zero.
        let mut early = of(&[(1, SENT)]);
        let mut late = of(&[(2, SENT)]);
        let [a, b] = early.state;
        early.absorb(a, 0);
        late.absorb(a, 0);
        early.absorb(0, b);
        late.absorb(0, b);
        assert_ne!(early.value(), late.value());
    }

    proptest! {
        #[test]
        fn a_flipped_bit_flips_about_half_of_the_digest(
            words in proptest::collection::vec((any::<u64>(), any::<u64>()), 1..8),
            index in any::<proptest::sample::Index>(),
            bit in 0_u32..128,
        ) {
            let digest = |words: &[(u64, u64)]| {
                let mut digest = Digest::new();
                words.iter().for_each(|&(a, b)| digest.absorb(a, b));
                digest.value()
            };
            let mut flipped = words.clone();
            let word = index.get_mut(&mut flipped);
            if bit < 64 { word.0 ^= 1 << bit } else { word.1 ^= 1 << (bit - 64) }
            let changed = (digest(&words) ^ digest(&flipped)).count_ones();
            // Outside this range once in 10⁸ for a random function.
            prop_assert!((9..=55).contains(&changed), "{changed} bits changed");
        }
    }
}
