//! Tests of `ring`, in a file of their own because the model in `tests/models` compiles that one too.

use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::rings::message::{BadLine, Drained, Origin, Received, Sent};
use crate::rings::ring::Ring;

const SOURCE: NodeId = NodeId(7);

fn packet(number: u64, words: u64) -> Packet {
    let words: Vec<u64> = (0..words).map(|word| number * 100 + word).collect();
    Packet::from_parts(MessageId(number as u16), SOURCE, &words).unwrap()
}

const SENT: Sent = Sent { origin: Origin::Thread, follows: false };

fn push(ring: &Ring, number: u64, words: u64) -> bool {
    ring.producer.push(&packet(number, words), SENT)
}

/// A message's origin, kind and words.
type Popped = (Origin, u16, Vec<u64>);

/// Takes the next message out.
fn pop(ring: &Ring) -> Option<Result<Popped, BadLine>> {
    let mut popped = None;
    ring.consumer.drain(1, SOURCE, &mut Received::blank(), |message, is_good| {
        let Received { packet, origin, .. } = message;
        assert_eq!(packet.source(), SOURCE);
        popped = Some(is_good.map(|()| (*origin, packet.id().0, packet.words().to_vec())));
        true
    });
    popped
}

fn expect(ring: &Ring, number: u64, words: u64) {
    let expected = packet(number, words);
    let popped = pop(ring).map(Result::unwrap);
    assert_eq!(popped, Some((Origin::Thread, number as u16, expected.words().to_vec())));
}

#[test]
fn messages_of_every_length_come_out_whole_and_in_order() {
    // Any two lengths follow each other, from either half of a line.
    let ring = Ring::new(8);
    for (first, second) in (0..15).flat_map(|first| (0..15).map(move |second| (first, second))) {
        for lead in 0..2 {
            (0..lead).for_each(|number| assert!(push(&ring, number, 1)));
            assert!(push(&ring, 2, first) && push(&ring, 3, second));
            (0..lead).for_each(|number| expect(&ring, number, 1));
            assert!(ring.consumer.is_ready());
            expect(&ring, 2, first);
            assert!(ring.consumer.is_ready());
            expect(&ring, 3, second);
            assert!(!ring.consumer.is_ready() && pop(&ring).is_none());
        }
    }
}

#[test]
fn a_full_ring_refuses_and_has_room_again_when_lines_have_been_taken() {
    let fill = |ring: &Ring, words| (0..).take_while(|number| push(ring, *number, words)).count() as u64;
    for (words, each) in [(3, 1), (7, 2), (14, 4)] {
        let ring = Ring::new(4);
        // Eight lines, sixteen halves.
        for _ in 0..10 {
            let pushed = fill(&ring, words);
            assert_eq!(pushed, 16 / each);
            (0..pushed).for_each(|number| expect(&ring, number, words));
            assert!(pop(&ring).is_none());
        }
    }
}

#[test]
fn what_a_line_was_used_for_before_is_no_message() {
    let ring = Ring::new(2);
    // Four lines, numbers 0 to 3, whose words 4 look like heads of lines 4 to 7 with a message in the second half.
    for number in 0..4 {
        let head = (number + 5) | 1 << 55 | 2 << 48;
        let packet = Packet::from_parts(MessageId(0), SOURCE, &[head; 7]).unwrap();
        assert!(ring.producer.push(&packet, SENT));
    }
    (0..4).for_each(|_| assert!(pop(&ring).is_some()));
    assert!(pop(&ring).is_none());
    assert!(push(&ring, 9, 2));
    expect(&ring, 9, 2);
    assert!(!ring.consumer.is_ready() && pop(&ring).is_none());
}

#[test]
fn a_length_that_no_message_has_is_an_error() {
    for (length, half) in [(15, false), (4, true), (15, true)] {
        let ring = Ring::new(2);
        ring.forge(length, half);
        assert_eq!(pop(&ring), Some(Err(BadLine::Length(length as usize))));
    }
}

#[test]
fn messages_say_where_they_come_from() {
    let ring = Ring::new(4);
    let origins = [Origin::Thread, Origin::Handler, Origin::WithBlock, Origin::Fault];
    origins
        .iter()
        .for_each(|origin| assert!(ring.producer.push(&packet(0, 1), Sent { origin: *origin, ..SENT })));
    for origin in origins {
        assert_eq!(pop(&ring).unwrap().unwrap().0, origin);
    }
}

/// The numbers of the messages that a look ahead shows.
fn look_ahead(ring: &Ring) -> Vec<u16> {
    let mut seen = Vec::new();
    ring.consumer.look_ahead(SOURCE, |shown| {
        let number = shown.id().0;
        let length = shown.words().len() as u64;
        assert_eq!(shown.words(), packet(number.into(), length).words());
        seen.push(number);
    });
    seen
}

#[test]
fn what_waits_is_shown_once_a_little_before_it_is_next() {
    // Sixteen halves at a time: short messages take one each, and more are shown when eight of them have been taken.
    let ring = Ring::new(16);
    assert_eq!(look_ahead(&ring), []);
    (0..30).for_each(|number| assert!(push(&ring, number, number % 4)));
    assert_eq!(look_ahead(&ring), Vec::from_iter(0..16));
    (0..8).for_each(|number| expect(&ring, number, number % 4));
    assert_eq!(look_ahead(&ring), []);
    expect(&ring, 8, 0);
    assert_eq!(look_ahead(&ring), Vec::from_iter(16..25));
    (9..30).for_each(|number| expect(&ring, number, number % 4));
    // 25 to 29 were taken before a look showed them. The next message begins a line, behind a half or not.
    for (number, words) in [(30, 7), (31, 1), (32, 14)] {
        assert!(push(&ring, number, words));
    }
    assert_eq!(look_ahead(&ring), [30, 31, 32]);
    for (number, words) in [(30, 7), (31, 1), (32, 14)] {
        expect(&ring, number, words);
    }
    assert!(pop(&ring).is_none());
}

#[test]
fn a_length_that_no_message_has_is_not_shown() {
    for (length, half) in [(15, false), (4, true), (15, true)] {
        let ring = Ring::new(2);
        ring.forge(length, half);
        assert_eq!(look_ahead(&ring), []);
    }
}

#[test]
fn the_last_of_a_batch_says_whether_there_may_be_more() {
    let ring = Ring::new(4);
    [false, true, true, false]
        .iter()
        .for_each(|follows| assert!(ring.producer.push(&packet(0, 1), Sent { follows: *follows, ..SENT })));
    let drain = |limit| ring.consumer.drain(limit, SOURCE, &mut Received::blank(), |_, _| true);
    assert_eq!(drain(1), Drained { messages: 1, more: false, bad: None });
    assert_eq!(drain(2), Drained { messages: 2, more: true, bad: None });
    assert_eq!(drain(2), Drained { messages: 1, more: false, bad: None });
}

#[test]
fn stamps_may_wrap() {
    // Once round the ring before the stamps do, so that every line has been used.
    let ring = Ring::starting_at(u64::from(u32::MAX) - 16, 4);
    for number in 0..80 {
        assert!(!ring.consumer.is_ready() && pop(&ring).is_none());
        assert!(push(&ring, number, 1));
        assert!(ring.consumer.is_ready());
        expect(&ring, number, 1);
    }
}

#[test]
fn a_million_messages_cross_between_threads_through_few_slots() {
    let length = |number: u64| (number * number) % 15;
    for (slots, messages) in [(1, 20_000), (2, 20_000), (4, 460_000), (64, 500_000)] {
        let ring = Ring::new(slots);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for number in 0..messages {
                    while !push(&ring, number, length(number)) {
                        std::thread::yield_now();
                    }
                }
            });
            let mut number = 0;
            while number < messages {
                let drained = ring.consumer.drain(8, SOURCE, &mut Received::blank(), |message, is_good| {
                    is_good.unwrap();
                    assert_eq!(message.packet.words(), packet(number, length(number)).words());
                    number += 1;
                    true
                });
                if drained.messages == 0 {
                    std::thread::yield_now();
                }
            }
        });
    }
}
