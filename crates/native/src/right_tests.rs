//! Tests of `right`, on one thread, in a file of their own because the model in `tests/models` compiles that one too.

use crate::right::{Right, Watch};

#[test]
fn one_has_it_at_a_time() {
    let right = Right::default();
    let turn = right.try_take().unwrap();
    assert!(right.try_take().is_none() && right.offered().is_none());
    drop(turn);
    assert!(right.try_take().is_some_and(|turn| turn.is_kept()));
}

#[test]
fn a_holder_that_nobody_disturbs_keeps_it() {
    let right = Right::default();
    let turn = right.try_take().unwrap();
    let steps: Vec<_> = (0..3).map(|_| turn.offer(|| right.offered().unwrap())).collect();
    assert!(turn.is_kept() && right.offered().is_none());
    assert!(steps.is_sorted_by(|a, b| a < b), "each offer is another one: {steps:?}");
    assert!(steps.iter().all(|step| right.take_over(*step).is_none()), "they are over");
}

#[test]
fn it_is_taken_over_from_a_holder_that_offers_it() {
    let right = Right::default();
    let first = right.try_take().unwrap();
    let second = first.offer(|| {
        let step = right.offered().unwrap();
        let second = right.take_over(step).unwrap();
        assert!(right.take_over(step).is_none(), "once");
        second
    });
    assert!(!first.is_kept() && second.is_kept());
    drop(first);
    assert!(right.try_take().is_none(), "who has lost it gives nothing back");
    drop(second);
    assert!(right.try_take().is_some());
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
    let right = Right::default();
    let (first, second) = (right.try_take().unwrap(), right.inherit());
    first.lose();
    drop(first);
    assert!(right.try_take().is_none());
    drop(second);
    assert!(right.try_take().is_some());
}

#[test]
fn it_is_handed_on_while_all_former_holders_are_at_their_handlers() {
    let right = Right::default();
    let first = right.try_take().unwrap();
    first.offer(|| {
        let second = right.take_over(right.offered().unwrap()).unwrap();
        second.offer(|| drop(right.take_over(right.offered().unwrap()).unwrap()));
        assert!(!second.is_kept());
    });
    assert!(!first.is_kept() && right.try_take().is_some());
}

#[test]
fn a_panic_of_what_is_done_meanwhile_leaves_it_in_order() {
    let right = Right::default();
    let turn = right.try_take().unwrap();
    let panics = std::panic::AssertUnwindSafe(|| turn.offer(|| panic!("meanwhile")));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(turn.is_kept() && right.offered().is_none());
}
