//! Models of the ring between two nodes: halves, lines and pairs of lines, while both ends are at work, and reused lines.

use loom::sync::Arc;
use loom::thread;
use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::explore;
use crate::rings::message::{Origin, Received, Sent};
use crate::rings::ring::Ring;

/// Each fault of the explored sources, and the scenario that detects it.
pub(crate) const FAULTS: &[(&str, &str)] = &[
    ("head-relaxed", "lines::short_ones_share_lines"),
    ("head-relaxed", "lines::one_takes_two_lines"),
    ("head-not-acquired", "lines::short_ones_share_lines"),
    ("half-not-cleared", "lines::a_half_is_cleared"),
    ("credit-ignored", "lines::a_line_is_used_again"),
];

/// Attempts of the producer to find room.
const TRIES: usize = 2;

/// Pushes message `number` of `words` words, each of them its number.
pub(crate) fn push(ring: &Ring, number: u64, words: usize) -> bool {
    let packet = Packet::from_parts(MessageId(number as u16), NodeId(0), &vec![number; words]);
    ring.producer
        .push(&packet.expect("a message has so many words"), Sent { origin: Origin::Thread, follows: false })
}

/// Drains the ring: the numbers and lengths of complete messages.
fn drain(ring: &Ring, into: &mut Vec<(u64, usize)>) {
    ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |message, is_good| {
        is_good.expect("the length is that of a message");
        let (number, words) = (u64::from(message.packet.id().0), message.packet.words());
        assert!(words.iter().all(|word| *word == number), "{words:?} of message {number}");
        into.push((number, words.len()));
        true
    });
}

/// Messages of the lengths `before` are in the ring when the producer goes on with the lengths `meanwhile`.
fn pass(before: &'static [usize], meanwhile: &'static [usize]) {
    explore(move || {
        let ring = Arc::new(Ring::new(2));
        let lengths = || before.iter().chain(meanwhile).copied();
        for (number, words) in (0..).zip(before) {
            assert!(push(&ring, number, *words));
        }
        let other = Arc::clone(&ring);
        let producer = thread::spawn(move || {
            let numbered = (before.len() as u64..).zip(meanwhile);
            let goes = |number, words| (0..TRIES).any(|_| push(&other, number, words));
            numbered.take_while(|(number, words)| goes(*number, **words)).count()
        });
        let mut taken = Vec::new();
        drain(&ring, &mut taken);
        drain(&ring, &mut taken);
        let pushed = before.len() + producer.join().expect("it does not panic");
        drain(&ring, &mut taken);
        assert_eq!(taken, (0..).zip(lengths()).take(pushed).collect::<Vec<_>>());
        assert!(!ring.consumer.is_ready());
    });
}

#[test]
fn short_ones_share_lines() {
    pass(&[], &[1, 3, 2]);
}

#[test]
fn a_line_follows_a_half() {
    pass(&[], &[1, 7]);
}

#[test]
fn one_takes_two_lines() {
    pass(&[2], &[14]);
}

/// A message that a look-ahead shows is complete, too.
#[test]
fn what_waits_is_shown_whole() {
    explore(|| {
        let ring = Arc::new(Ring::new(2));
        assert!(push(&ring, 0, 1));
        let other = Arc::clone(&ring);
        let producer = thread::spawn(move || assert!(push(&other, 1, 2) && push(&other, 2, 7)));
        let (mut shown, mut taken) = (Vec::new(), Vec::new());
        ring.consumer.look_ahead(NodeId(0), |packet| {
            let number = u64::from(packet.id().0);
            assert!(packet.words().iter().all(|word| *word == number));
            shown.push((number, packet.words().len()));
        });
        drain(&ring, &mut taken);
        producer.join().expect("it does not panic");
        drain(&ring, &mut taken);
        assert_eq!(taken, [(0, 1), (1, 2), (2, 7)]);
        assert!(taken.starts_with(&shown));
    });
}

/// Words 4 of the lines used before look like the head of a second half.
#[test]
fn a_half_is_cleared() {
    explore(|| {
        let ring = Ring::new(2);
        let misleading = |line: u64| (line + 5) | 1 << 55 | 1 << 48;
        for line in 0..4 {
            let packet = Packet::from_parts(MessageId(0), NodeId(0), &[misleading(line); 7]);
            let sent = Sent { origin: Origin::Thread, follows: false };
            assert!(ring.producer.push(&packet.expect("seven words"), sent));
        }
        assert_eq!(ring.consumer.drain(8, NodeId(0), &mut Received::blank(), |_, _| true).messages, 4);
        assert!(push(&ring, 1, 1));
        let mut taken = Vec::new();
        drain(&ring, &mut taken);
        drain(&ring, &mut taken);
        assert_eq!(taken, [(1, 1)]);
    });
}

#[test]
fn a_line_is_used_again() {
    pass(&[7, 7, 7, 4], &[5]);
}
