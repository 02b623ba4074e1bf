//! Tests of `receive_lock`, on one thread, in a file of their own because the model in `tests/models` compiles that one too.

use crate::fences::Fences;
use crate::parts::receive_lock::{ReceiveGuard, ReceiveLock, Watch};

/// The receive lock of a node of three processors.
fn lock() -> ReceiveLock {
    ReceiveLock::among(3, Fences::asymmetric())
}

/// Takes the lock for a processor from the processor that offers it now.
fn take_over(lock: &ReceiveLock, number: usize) -> ReceiveGuard<'_> {
    lock.take_over(lock.offered().unwrap(), number).unwrap()
}

#[test]
fn one_has_it_at_a_time() {
    let lock = lock();
    let guard = lock.try_take(0).unwrap();
    assert!(lock.try_take(2).is_none() && lock.offered().is_none());
    drop(guard);
    assert!(lock.try_take(2).is_some_and(|guard| guard.is_kept()));
}

#[test]
fn a_holder_that_nobody_disturbs_keeps_it() {
    let lock = lock();
    let guard = lock.try_take(0).unwrap();
    let offers = [(); 3].map(|()| guard.offer(|| lock.offered().unwrap()));
    assert!(guard.is_kept() && lock.offered().is_none());
    assert!(offers[0] != offers[1] && offers[1] != offers[2], "each offer is another one: {offers:?}");
    assert!(offers.iter().all(|offer| lock.take_over(*offer, 1).is_none()), "they are over");
}

#[test]
fn it_is_taken_over_from_a_holder_that_offers_it() {
    let lock = lock();
    let first = lock.try_take(0).unwrap();
    let second = first.offer(|| {
        let offer = lock.offered().unwrap();
        let second = lock.take_over(offer, 1).unwrap();
        assert!(lock.take_over(offer, 2).is_none(), "once");
        second
    });
    assert!(!first.is_kept() && second.is_kept());
    drop(first);
    assert!(lock.try_take(2).is_none(), "who has lost it gives nothing back");
    drop(second);
    assert!(lock.try_take(2).is_some());
}

#[test]
fn a_handler_is_late_when_it_has_been_watched_for_long() {
    let watch = Watch::default();
    let is_late = |handler, now| watch.is_late(handler, now, 100);
    assert!(!is_late(1, 7) && !is_late(1, 106));
    assert!(!is_late(3, 107), "this is another one");
    assert!(!is_late(3, 206) && is_late(3, 207));
}

#[test]
fn who_leaves_it_to_another_gives_nothing_back() {
    let lock = lock();
    let (first, second) = (lock.try_take(0).unwrap(), lock.inherit(1));
    first.lose();
    drop(first);
    assert!(lock.try_take(2).is_none());
    drop(second);
    assert!(lock.try_take(2).is_some());
}

#[test]
fn it_is_handed_on_while_all_former_holders_are_at_their_handlers() {
    let lock = lock();
    let first = lock.try_take(0).unwrap();
    first.offer(|| {
        let second = take_over(&lock, 1);
        second.offer(|| drop(take_over(&lock, 2)));
        assert!(!second.is_kept());
    });
    assert!(!first.is_kept() && lock.try_take(0).is_some());
}

#[test]
fn one_that_takes_over_from_itself_gives_it_back_beside_a_second_handler() {
    let lock = lock();
    let first = lock.try_take(0).unwrap();
    first.offer(|| {
        let second = take_over(&lock, 0);
        second.offer(|| assert!(lock.offered().is_none() && lock.try_take(1).is_some()));
        assert!(!second.is_kept());
    });
    assert!(!first.is_kept());
    let third = lock.try_take(0).unwrap();
    third.offer(|| drop(take_over(&lock, 1)));
    assert!(!third.is_kept(), "it offers the lock again once it is at no handler");
}

#[test]
fn a_panic_of_what_is_done_meanwhile_leaves_it_in_order() {
    let lock = lock();
    let guard = lock.try_take(0).unwrap();
    let panics = std::panic::AssertUnwindSafe(|| guard.offer(|| panic!("meanwhile")));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(guard.is_kept() && lock.offered().is_none());
}
