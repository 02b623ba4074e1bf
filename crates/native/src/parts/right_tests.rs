//! Tests of `right`, on one thread, in a file of their own because the model in `tests/models` compiles that one too.

use crate::fences::Fences;
use crate::parts::right::{Right, Turn, Watch};

/// The right of a node of three processors.
fn right() -> Right {
    Right::among(3, Fences::asymmetric())
}

/// Takes the right for a processor from the processor that offers it now.
fn take_over(right: &Right, number: usize) -> Turn<'_> {
    right.take_over(right.offered().unwrap(), number).unwrap()
}

#[test]
fn one_has_it_at_a_time() {
    let right = right();
    let turn = right.try_take(0).unwrap();
    assert!(right.try_take(2).is_none() && right.offered().is_none());
    drop(turn);
    assert!(right.try_take(2).is_some_and(|turn| turn.is_kept()));
}

#[test]
fn a_holder_that_nobody_disturbs_keeps_it() {
    let right = right();
    let turn = right.try_take(0).unwrap();
    let offers = [(); 3].map(|()| turn.offer(|| right.offered().unwrap()));
    assert!(turn.is_kept() && right.offered().is_none());
    assert!(offers[0] != offers[1] && offers[1] != offers[2], "each offer is another one: {offers:?}");
    assert!(offers.iter().all(|offer| right.take_over(*offer, 1).is_none()), "they are over");
}

#[test]
fn it_is_taken_over_from_a_holder_that_offers_it() {
    let right = right();
    let first = right.try_take(0).unwrap();
    let second = first.offer(|| {
        let offer = right.offered().unwrap();
        let second = right.take_over(offer, 1).unwrap();
        assert!(right.take_over(offer, 2).is_none(), "once");
        second
    });
    assert!(!first.is_kept() && second.is_kept());
    drop(first);
    assert!(right.try_take(2).is_none(), "who has lost it gives nothing back");
    drop(second);
    assert!(right.try_take(2).is_some());
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
    let right = right();
    let (first, second) = (right.try_take(0).unwrap(), right.inherit(1));
    first.lose();
    drop(first);
    assert!(right.try_take(2).is_none());
    drop(second);
    assert!(right.try_take(2).is_some());
}

#[test]
fn it_is_handed_on_while_all_former_holders_are_at_their_handlers() {
    let right = right();
    let first = right.try_take(0).unwrap();
    first.offer(|| {
        let second = take_over(&right, 1);
        second.offer(|| drop(take_over(&right, 2)));
        assert!(!second.is_kept());
    });
    assert!(!first.is_kept() && right.try_take(0).is_some());
}

#[test]
fn one_that_takes_over_from_itself_gives_it_back_beside_a_second_handler() {
    let right = right();
    let first = right.try_take(0).unwrap();
    first.offer(|| {
        let second = take_over(&right, 0);
        second.offer(|| assert!(right.offered().is_none() && right.try_take(1).is_some()));
        assert!(!second.is_kept());
    });
    assert!(!first.is_kept());
    let third = right.try_take(0).unwrap();
    third.offer(|| drop(take_over(&right, 1)));
    assert!(!third.is_kept(), "it offers the right again once it is at no handler");
}

#[test]
fn a_panic_of_what_is_done_meanwhile_leaves_it_in_order() {
    let right = right();
    let turn = right.try_take(0).unwrap();
    let panics = std::panic::AssertUnwindSafe(|| turn.offer(|| panic!("meanwhile")));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(turn.is_kept() && right.offered().is_none());
}
