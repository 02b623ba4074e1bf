//! A lane: order, back-pressure, credit.

use std::ops::Range;

use tempest::world::{MessageId, Packet};
use tempest::{MAX_WORDS, NodeId};

use crate::rings::backlog::Backlog;
use crate::rings::bounds::{Bounds, Depths};
use crate::rings::lane::Lane;
use crate::rings::message::{Origin, Received};
use crate::rings::outbox::PAGE_BYTES;

/// A message of maximum length: a slot has room for only one.
fn packet(number: u64) -> Packet {
    Packet::from_parts(MessageId(0), NodeId(0), &[number; MAX_WORDS]).unwrap()
}

/// A lane whose outbox may take one page.
fn lane(slots: usize, window: u64) -> (Lane, Backlog) {
    let bounds = Bounds::new(Depths { slots, window, outboxes: PAGE_BYTES }, 1, 1);
    (Lane::new(slots, &bounds, true), Backlog::new(0))
}

/// Widens the window to its maximum.
fn widen(lane: &Lane) {
    let windows = lane.sender.windows();
    (0..8).for_each(|_| windows.widen(MessageId(0), windows.of(MessageId(0))));
}

fn post(lane: &Lane, numbers: Range<u64>, backlog: &Backlog) {
    for number in numbers {
        assert_eq!(lane.sender.post(&packet(number), Origin::Handler, 1, backlog), Some(number));
    }
}

fn drain(lane: &Lane) -> Vec<u64> {
    let mut all = Vec::new();
    lane.receiver.receive(100, NodeId(0), &mut Received::blank(), |message, is_good| {
        is_good.unwrap();
        assert_eq!(message.number, message.packet.words()[0], "it is known by its number in the lane");
        all.push(message.number);
        true
    });
    all
}

#[test]
fn handlers_messages_wait_in_the_outbox_and_keep_their_order() {
    let (lane, backlog) = lane(2, 10);
    widen(&lane);
    post(&lane, 0..5, &backlog);
    assert_eq!(backlog.words(), 3 * (1 + MAX_WORDS));
    assert_eq!(
        lane.sender.offer(&packet(5), 1, &backlog),
        Some(5),
        "a thread's message may wait behind them"
    );
    assert_eq!(lane.sender.offer(&packet(6), 1, &backlog), None, "but not many more");
    assert_eq!(drain(&lane), [0, 1]);
    assert!(lane.sender.flush(&backlog));
    assert_eq!(drain(&lane), [2, 3]);
    post(&lane, 6..7, &backlog);
    assert_eq!(drain(&lane), [4, 5]);
    assert!(lane.sender.flush(&backlog));
    assert_eq!((drain(&lane), backlog.words()), (vec![6], 0));
    assert!(!lane.sender.flush(&backlog));
}

#[test]
fn a_ring_that_threads_fill_keeps_them_waiting() {
    let (lane, backlog) = lane(2, 10);
    widen(&lane);
    let sent =
        (0..10).take_while(|number| lane.sender.offer(&packet(*number), 1, &backlog).is_some()).count();
    assert_eq!((sent, backlog.words()), (2, 0));
}

#[test]
fn an_outbox_without_memory_refuses_and_goes_on_when_it_has_some_again() {
    let (lane, backlog) = lane(2, 10);
    let a_page = (PAGE_BYTES / size_of::<u64>() / (1 + MAX_WORDS)) as u64;
    post(&lane, 0..2 + a_page, &backlog);
    assert_eq!(lane.sender.post(&packet(2 + a_page), Origin::Handler, 1, &backlog), None);
    for first in (0..2 + a_page).step_by(2) {
        assert_eq!(drain(&lane), [first, first + 1]);
        lane.sender.flush(&backlog);
    }
    post(&lane, 2 + a_page..6 + a_page, &backlog);
}

#[test]
fn threads_have_as_many_credits_as_are_acknowledged() {
    let (lane, backlog) = lane(8, 3);
    widen(&lane);
    let offer = |number: &u64| lane.sender.offer(&packet(*number), 1, &backlog) == Some(*number);
    assert_eq!((0..8).take_while(offer).count(), 3);
    assert_eq!(drain(&lane), [0, 1, 2]);
    lane.receiver.count_handled(2);
    assert!(!offer(&3), "handled, but the sender does not know");
    lane.receiver.publish_acknowledged();
    assert_eq!((3..8).take_while(offer).count(), 2);
}

/// Sends as many messages as a thread may, and handles them. Returns their number.
fn round(lane: &Lane, next: &mut u64, backlog: &Backlog) -> u64 {
    let first = *next;
    while lane.sender.offer(&packet(*next), 1, backlog).is_some() {
        *next += 1;
    }
    assert_eq!(drain(lane).len() as u64, *next - first);
    lane.receiver.count_handled(*next - first);
    lane.receiver.publish_acknowledged();
    *next - first
}

#[test]
fn a_window_widens_as_long_as_all_that_it_let_through_is_handled() {
    let (lane, backlog) = lane(64, 5);
    let mut next = 0;
    let rounds: Vec<u64> = (0..6).map(|_| round(&lane, &mut next, &backlog)).collect();
    assert_eq!(rounds, [1, 2, 4, 5, 5, 5]);
    lane.sender.windows().narrow(MessageId(0), u64::MAX);
    assert_eq!(round(&lane, &mut next, &backlog), 1);
}
