//! Promises that both implementations keep, each a function instantiated for either. The concurrent queue, which does not
//! promise the oldest item of all, is asked for everything it can dispatch.

use tradewind_pdq::Key;

use crate::dispatcher::{Dispatcher, blocked, drain, eager, take, unbounded};

const A: Key = Key::User(0xa);
const B: Key = Key::User(0xb);
const SEQ: Key = Key::Sequential;
const FREE: Key = Key::NoSync;

type Items = &'static str;

fn filled<D: Dispatcher<Items>>(mut empty: D, items: &[(Key, Items)]) -> D {
    for (key, item) in items {
        empty.enqueue(*key, item);
    }
    empty
}

fn key_of<D: Dispatcher<Items>>(_: &D, held: &D::Token) -> Key {
    D::key_of(held)
}

macro_rules! promises {
    ($($promise:ident),* $(,)?) => {
        mod specification {
            $(#[test] fn $promise() { super::$promise(super::unbounded::<super::Items>()); })*
        }
        mod queue {
            $(#[test] fn $promise() { super::$promise(super::eager::<super::Items>()); })*
        }
    };
}

promises! {
    figure_3_three_run_at_once_and_the_fourth_waits_for_its_key,
    equal_keys_run_one_at_a_time_in_arrival_order,
    of_several_dispatchable_items_the_oldest_goes_first,
    a_sequential_item_waits_for_every_older_item_even_one_blocked_on_a_busy_key,
    nothing_younger_starts_before_a_sequential_item_is_done,
    nosync_overtakes_keyed_items_and_overlaps_itself,
    nosync_respects_a_waiting_and_a_running_sequential_item,
    several_sequential_items_run_in_arrival_order_one_at_a_time,
    a_handler_may_enqueue_for_its_own_key_and_it_runs_after_all_that_wait,
    a_handler_may_enqueue_a_sequential_item,
    row_18_an_item_that_waits_in_the_queue_for_its_own_key_deadlocks,
    row_18_an_item_that_is_deferred_in_the_state_does_not_deadlock,
    a_continuation_runs_under_its_key_ahead_of_all_others,
    a_continuation_keeps_a_sequential_item_out,
    a_sequential_item_may_continue,
    a_key_is_held_directly_only_if_nothing_unfinished_conflicts,
    a_directly_held_key_keeps_its_items_waiting,
    sequential_is_held_directly_only_when_all_is_done,
    a_forgotten_token_keeps_its_key_and_harms_no_other,
    statistics_count_what_waited_and_for_what,
}

fn figure_3_three_run_at_once_and_the_fourth_waits_for_its_key(queue: impl Dispatcher<Items>) {
    let key = Key::User;
    let mut queue =
        filled(queue, &[(key(0x100), "1"), (key(0x200), "2"), (key(0x300), "3"), (key(0x100), "4")]);
    let [first, second, third] = ["1", "2", "3"].map(|item| take(&mut queue, item));
    assert!(blocked(&mut queue));
    queue.enqueue(key(0x400), "5");
    let fifth = take(&mut queue, "5");
    queue.complete(second);
    assert!(blocked(&mut queue), "another key's completion does not help");
    queue.complete(first);
    let fourth = take(&mut queue, "4");
    for held in [third, fourth, fifth] {
        queue.complete(held);
    }
    assert_eq!((queue.waiting(), queue.held()), (0, 0));
}

fn equal_keys_run_one_at_a_time_in_arrival_order(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (A, "3")]);
    for item in ["1", "2", "3"] {
        let held = take(&mut queue, item);
        assert!(blocked(&mut queue));
        queue.complete(held);
    }
}

fn of_several_dispatchable_items_the_oldest_goes_first(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (B, "3"), (FREE, "4")]);
    let held = take(&mut queue, "1");
    queue.complete(held);
    assert_eq!(drain(&mut queue), ["2", "3", "4"]);
}

fn a_sequential_item_waits_for_every_older_item_even_one_blocked_on_a_busy_key(
    queue: impl Dispatcher<Items>,
) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (SEQ, "alone")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    queue.complete(first);
    let second = take(&mut queue, "2");
    assert!(blocked(&mut queue));
    queue.complete(second);
    assert_eq!(drain(&mut queue), ["alone"]);
}

fn nothing_younger_starts_before_a_sequential_item_is_done(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (SEQ, "alone"), (B, "2"), (FREE, "3")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue), "it waits, and so does what is behind it");
    queue.complete(first);
    let alone = take(&mut queue, "alone");
    assert!(blocked(&mut queue), "it runs");
    queue.complete(alone);
    assert_eq!(drain(&mut queue), ["2", "3"]);
}

fn nosync_overtakes_keyed_items_and_overlaps_itself(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (FREE, "3"), (FREE, "4")]);
    let running = ["1", "3", "4"].map(|item| take(&mut queue, item));
    assert_eq!(queue.held(), 3);
    running.into_iter().for_each(|held| queue.complete(held));
    assert_eq!(drain(&mut queue), ["2"]);
}

fn nosync_respects_a_waiting_and_a_running_sequential_item(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(FREE, "1"), (SEQ, "alone"), (FREE, "2")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    queue.complete(first);
    let alone = take(&mut queue, "alone");
    assert!(blocked(&mut queue));
    queue.complete(alone);
    assert_eq!(drain(&mut queue), ["2"]);
}

fn several_sequential_items_run_in_arrival_order_one_at_a_time(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(SEQ, "1"), (SEQ, "2"), (A, "between"), (SEQ, "3")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    queue.complete(first);
    assert_eq!(drain(&mut queue), ["2", "between", "3"]);
}

fn a_handler_may_enqueue_for_its_own_key_and_it_runs_after_all_that_wait(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2")]);
    let first = take(&mut queue, "1");
    queue.enqueue(A, "3");
    assert!(blocked(&mut queue), "it never runs inline");
    queue.complete(first);
    assert_eq!(drain(&mut queue), ["2", "3"]);
}

fn a_handler_may_enqueue_a_sequential_item(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2")]);
    let first = take(&mut queue, "1");
    queue.enqueue(SEQ, "alone");
    queue.enqueue(B, "3");
    assert!(blocked(&mut queue));
    queue.complete(first);
    assert_eq!(drain(&mut queue), ["2", "alone", "3"]);
}

/// The mistake: the handler of a request that cannot be served yet keeps its key until it can. The item that would
/// unblock it has the same key. The queue cannot help; it can show it: items wait, keys are held, no item is
/// dispatchable.
fn row_18_an_item_that_waits_in_the_queue_for_its_own_key_deadlocks(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "request"), (A, "unblocks it")]);
    let _waiting_inside_its_handler = take(&mut queue, "request");
    assert!(blocked(&mut queue));
    assert_eq!((queue.waiting(), queue.held()), (1, 1));
}

/// The remedy: the handler puts the request into the state of its key and ends.
fn row_18_an_item_that_is_deferred_in_the_state_does_not_deadlock(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "request"), (A, "unblocks it")]);
    let mut deferred = Vec::new();
    let mut served = Vec::new();
    while let Some((held, item)) = queue.dispatch(0) {
        match item {
            "request" => deferred.push(item),
            _ => served.append(&mut deferred),
        }
        queue.complete(held);
    }
    assert_eq!((served, queue.waiting()), (vec!["request"], 0));
}

fn a_continuation_runs_under_its_key_ahead_of_all_others(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (B, "3")]);
    let first = take(&mut queue, "1");
    queue.complete_with(first, "1 continues");
    assert_eq!((queue.held(), queue.waiting()), (0, 3), "no processor holds it");
    let continued = take(&mut queue, "1 continues");
    assert_eq!(key_of(&queue, &continued), A);
    let third = take(&mut queue, "3");
    assert!(blocked(&mut queue));
    queue.complete(continued);
    queue.complete(third);
    assert_eq!(drain(&mut queue), ["2"]);
}

fn a_continuation_keeps_a_sequential_item_out(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (SEQ, "alone"), (A, "2")]);
    let first = take(&mut queue, "1");
    queue.complete_with(first, "1 continues");
    let continued = take(&mut queue, "1 continues");
    assert!(blocked(&mut queue));
    queue.complete_with(continued, "and again");
    assert_eq!(drain(&mut queue), ["and again", "alone", "2"]);
}

fn a_sequential_item_may_continue(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(SEQ, "alone"), (A, "1")]);
    let alone = take(&mut queue, "alone");
    queue.complete_with(alone, "still alone");
    let alone = take(&mut queue, "still alone");
    assert!(blocked(&mut queue));
    queue.complete(alone);
    assert_eq!(drain(&mut queue), ["1"]);
}

fn a_key_is_held_directly_only_if_nothing_unfinished_conflicts(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1")]);
    assert!(queue.try_hold(A).is_none(), "an item of the key waits");
    let first = take(&mut queue, "1");
    assert!(queue.try_hold(A).is_none(), "an item of the key is held");
    let other = queue.try_hold(B).expect("nothing unfinished has this key");
    queue.enqueue(SEQ, "alone");
    assert!(queue.try_hold(Key::User(0xc)).is_none(), "it would overtake a sequential item");
    assert!(queue.try_hold(FREE).is_none(), "and so would this");
    queue.complete(first);
    queue.complete(other);
    assert_eq!(drain(&mut queue), ["alone"]);
}

fn a_directly_held_key_keeps_its_items_waiting(queue: impl Dispatcher<Items>) {
    let mut queue = queue;
    let held = queue.try_hold(A).expect("the queue is empty");
    queue.enqueue(A, "1");
    assert!(blocked(&mut queue));
    queue.complete(held);
    assert_eq!(drain(&mut queue), ["1"]);
}

fn sequential_is_held_directly_only_when_all_is_done(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(FREE, "1")]);
    assert!(queue.try_hold(SEQ).is_none());
    let first = take(&mut queue, "1");
    assert!(queue.try_hold(SEQ).is_none());
    queue.complete(first);
    let alone = queue.try_hold(SEQ).expect("all is done");
    queue.enqueue(FREE, "2");
    assert!(blocked(&mut queue));
    queue.complete(alone);
    assert_eq!(drain(&mut queue), ["2"]);
}

fn a_forgotten_token_keeps_its_key_and_harms_no_other(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (B, "3")]);
    let _forgotten = take(&mut queue, "1");
    assert_eq!(drain(&mut queue), ["3"]);
    assert_eq!((queue.waiting(), queue.held()), (1, 1));
}

fn statistics_count_what_waited_and_for_what(queue: impl Dispatcher<Items>) {
    let mut queue = filled(queue, &[(A, "1"), (A, "2"), (SEQ, "alone"), (B, "3")]);
    let first = take(&mut queue, "1");
    assert!(blocked(&mut queue));
    queue.complete_with(first, "1 continues");
    drain(&mut queue);
    let counts = queue.statistics();
    assert_eq!((counts.enqueued, counts.continued, counts.dispatched), (4, 1, 5));
    assert_eq!((counts.waited_on_key, counts.waited_on_sequential), (1, 2));
}
