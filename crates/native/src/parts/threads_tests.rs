//! Tests of `threads`, in a file of their own because the model in `tests/models` compiles that one too.

use tempest::{NodeId, Waiter};

use crate::parts::threads::{Inbox, Local, ThreadSlot};

#[test]
fn a_wait_for_room_begins_and_ends_once() {
    let local = Local::default();
    assert!(local.lacks_room(NodeId(1), 7) && !local.lacks_room(NodeId(1), 9));
    assert_eq!((local.since_ns.get(), local.waits_for_what()), (7, "room"));
    assert!(local.lacked_room() && local.has_room() && !local.has_room());
    assert_eq!(local.waits_for_what(), "");
}

#[test]
fn a_wait_is_ended_by_its_own_waiter_and_once() {
    let slot = ThreadSlot::default();
    let waiter = |generation| Waiter { thread: 0, generation };
    assert!(!slot.end_wait(waiter(1)), "the waiter of a later wait");
    assert!(slot.end_wait(waiter(0)) && !slot.end_wait(waiter(0)));
    assert!(slot.end_wait_alone(waiter(1)) && !slot.end_wait_alone(waiter(1)));
    assert_eq!(slot.generation(), 2);
    assert!(slot.take_grant().is_none());
}

#[test]
fn an_inbox_gives_its_threads_in_order() {
    let (inbox, mut woken) = (Inbox::default(), Vec::new());
    assert!(inbox.is_empty() && inbox.drain(|_| unreachable!("it is empty")) == 0);
    [4, 2].into_iter().for_each(|thread| inbox.push(thread));
    assert!(!inbox.is_empty());
    assert_eq!(inbox.drain(|thread| woken.push(thread)), 2);
    assert!(inbox.is_empty() && woken == [4, 2]);
}
