//! Tests of outboxes and their quota.

use tempest::NodeId;
use tempest::world::{MessageId, Packet};

use crate::rings::message::Origin;
use crate::rings::outbox::{Outbox, PAGE_BYTES, Quota};

/// Words of a page.
const PAGE: usize = PAGE_BYTES / size_of::<u64>();

fn packet(number: u64, words: usize) -> Packet {
    Packet::from_parts(MessageId(number as u16), NodeId(7), &vec![number; words]).unwrap()
}

/// The numbers of the first `most` messages, after a check that each is whole.
fn take(outbox: &mut Outbox, quota: &Quota, most: usize) -> Vec<u64> {
    let mut numbers = Vec::new();
    outbox.pass_on(quota, |packet, origin| {
        let leaves = numbers.len() < most;
        if leaves {
            let number = u64::from(packet.id().0);
            assert!(packet.words().iter().all(|word| *word == number));
            assert_eq!((packet.words().len(), packet.source()), (number as usize % 15, NodeId(7)));
            assert_eq!(origin, if number % 3 == 0 { Origin::Thread } else { Origin::WithBlock });
            numbers.push(number);
        }
        leaves
    });
    numbers
}

#[test]
fn messages_leave_in_order_and_whole() {
    let (mut outbox, quota) = (Outbox::default(), Quota::new(100));
    let (mut first, mut next) = (0, 0);
    for (put, taken) in [(1_000, 400), (10, 600), (700, 710), (5, 5)] {
        let numbers = next..next + put;
        for number in numbers.clone() {
            let origin = if number % 3 == 0 { Origin::Thread } else { Origin::WithBlock };
            let words = number as usize % 15;
            assert_eq!(outbox.push(&packet(number, words), origin, &quota), Some(1 + words));
        }
        next = numbers.end;
        assert_eq!(take(&mut outbox, &quota, taken), (first..next).take(taken).collect::<Vec<_>>());
        first = next.min(first + taken as u64);
    }
    assert_eq!(first, next);
}

#[test]
fn a_quota_is_shared_and_what_is_given_back_can_be_taken_again() {
    let quota = Quota::new(2);
    let (mut one, mut other) = (Outbox::default(), Outbox::default());
    let fill = |outbox: &mut Outbox| {
        (0..).take_while(|_| outbox.push(&packet(14, 14), Origin::WithBlock, &quota).is_some()).count()
    };
    let a_page = PAGE / 15;
    assert!(other.push(&packet(1, 1), Origin::WithBlock, &quota).is_some());
    assert_eq!(fill(&mut one), a_page);
    assert_eq!(fill(&mut other), a_page, "a word less than all of its page was free");
    assert_eq!(fill(&mut one), 0);
    assert_eq!(take(&mut one, &quota, a_page).len(), a_page);
    assert_eq!(fill(&mut one), a_page, "it has kept its page");
    let all = take(&mut other, &quota, usize::MAX).len();
    assert_eq!((all, fill(&mut one)), (a_page + 1, 0), "an empty outbox keeps its page");
}

#[test]
fn threads_have_a_share() {
    let (mut outbox, quota) = (Outbox::default(), Quota::new(10));
    let mut push = |origin| {
        let may = origin != Origin::Thread || outbox.has_room_for_a_thread();
        may && outbox.push(&packet(1, 1), origin, &quota).is_some()
    };
    assert!(!push(Origin::Thread), "a ring that is full keeps threads waiting");
    let handlers = (0..80).filter(|_| push(Origin::Handler)).count();
    let threads = (0..80).filter(|_| push(Origin::Thread)).count();
    assert_eq!((handlers, threads), (80, 12), "one in eight of all that wait, and no more");
}
